"""What Android's own ``input`` is told, and what it answers when it did nothing."""

import pytest

from core.devices import shell_input
from core.devices.adb import Link
from core.errors import PhoneFault, TouchRefused


class Saying(Link):
    """A link whose phone answers every command with the same words."""

    def __init__(self, said: str) -> None:
        self.serial = "s1"
        self.said = said

    def shell(self, command: str, timeout_s: float = 10.0) -> str:
        return self.said


@pytest.mark.parametrize(
    ("method", "params", "command"),
    [
        ("click", (5, 6), "input tap 5 6"),
        ("click", (5, 6, 800), "input swipe 5 6 5 6 800"),
        ("swipe", (1, 2, 3, 4, 60), "input swipe 1 2 3 4 300"),
        ("pressKeyCode", (66,), "input keyevent 66"),
    ],
)
def test_each_act_has_its_command(method: str, params: tuple[int, ...], command: str) -> None:
    assert shell_input.command(method, params) == command


def test_an_act_that_android_refused_is_no_success() -> None:
    forbidden = Saying("java.lang.SecurityException: needs INJECT_EVENTS permission")
    killed = Saying("Killed")
    noisy = Saying("WARNING: linker: unused DT entry")

    with pytest.raises(TouchRefused):
        shell_input.send(forbidden, "click", (5, 6), 1.0)
    with pytest.raises(PhoneFault, match="Killed"):
        shell_input.send(killed, "click", (5, 6), 1.0)
    shell_input.send(noisy, "click", (5, 6), 1.0)
