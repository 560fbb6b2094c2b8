"""Type through a keyboard made for adb, where one is installed, and give the user's back.

Two such keyboards are common, each with its own broadcast; both take the text as base64, since
``input text`` knows ASCII only.
"""

import base64
import logging
import time
from collections.abc import Callable

from core.devices import dumpsys
from core.devices.adb import Link
from core.devices.kept import KEYBOARD, Kept

logger = logging.getLogger(__name__)

SHELL_S = 10.0
CHOSEN_S = 2.0
POLL_S = 0.1


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


BROADCASTS: dict[str, Callable[[str], str]] = {
    "com.github.uiautomator/.AdbKeyboard": lambda text: (
        f"am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text {_encoded(text)}"
    ),
    "com.android.adbkeyboard/.AdbIME": lambda text: (
        f"am broadcast -a ADB_INPUT_B64 --es msg {_encoded(text)}"
    ),
}


class AdbKeyboard:
    """The adb keyboard of one phone, if it has one."""

    def __init__(self, link: Link, kept: Kept) -> None:
        self.link = link
        self.kept = kept

    def type(self, text: str) -> bool:
        """Type text into the focused field; False when there is no such keyboard.

        The user's keyboard is back afterwards, whatever happened. Whether the text arrived is
        for the reader of the field to say.
        """
        name = self._installed()
        if name is None:
            return False
        self._shell(f"ime enable {name}")
        self.kept.change(KEYBOARD, name)
        try:
            self._wait_until_chosen(name)
            self._shell(BROADCASTS[name](text))
        finally:
            self.kept.restore(KEYBOARD)
        return True

    def _installed(self) -> str | None:
        there = dumpsys.keyboards(self._shell("ime list -s -a"))
        if not there:  # some makers forbid the list, and leave the setting readable
            there = dumpsys.keyboards(self._shell("settings get secure enabled_input_methods"))
        return next((name for name in BROADCASTS if name in there), None)

    def _wait_until_chosen(self, name: str) -> None:
        deadline = time.monotonic() + CHOSEN_S
        while name not in self._shell(dumpsys.KEYBOARD):
            if time.monotonic() > deadline:
                logger.warning("%s: keyboard %s was not taken", self.link.serial, name)
                return
            time.sleep(POLL_S)

    def _shell(self, command: str) -> str:
        return self.link.shell(command, SHELL_S)
