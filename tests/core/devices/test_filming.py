"""A phone is filmed by scrcpy's server, and shown by pictures when the film breaks off."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.devices import image, scrcpy_source
from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.base import Size
from core.devices.frames import View
from core.devices.live import Live
from core.devices.scrcpy_source import ScrcpyOpener
from core.devices.sources import Shot, Source
from core.errors import PhoneFault
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """Stand in for the server's file: the virtual phone has a server of its own."""
    made = tmp_path / "scrcpy-server-v3.3.4"
    made.write_bytes(b"PK\x03\x04")
    return made


@pytest.fixture
def opener(phone: PhoneHandle, server: Path) -> ScrcpyOpener:
    return ScrcpyOpener(Adb().link(phone.address), server)


@pytest.fixture
def film(opener: ScrcpyOpener) -> Iterator[Source]:
    opened = opener.open()
    yield opened
    opened.close()


def frame(source: Source) -> Shot:
    """Wait for the next frame that the phone sends."""
    for _ in range(20):
        shot = source.next(0.5)
        if shot is not None:
            return shot
    raise AssertionError("no frame came")


def test_a_changed_screen_is_the_next_frame(film: Source, phone: PhoneHandle) -> None:
    first = frame(film)

    phone.start(SETTINGS)
    second = frame(film)

    assert max(first.size.width, first.size.height) <= image.LIVE_LONGEST
    assert first.size.height > first.size.width
    assert not image.is_black(second.raw)
    assert first.mark != second.mark


def test_a_turned_phone_is_filmed_turned(film: Source, phone: PhoneHandle) -> None:
    frame(film)

    phone.set("system.rotation", 1)
    turned = frame(film)

    assert turned.size.width > turned.size.height


def test_a_file_that_names_another_version_is_started_by_the_servers_own(
    opener: ScrcpyOpener,
) -> None:
    opener.version = "3.1"

    opened = opener.open()
    opened.close()

    assert opener.version.startswith("3.")


def test_a_phone_that_is_gone_says_so(server: Path, phone: PhoneHandle) -> None:
    opener = ScrcpyOpener(Adb().link("nowhere:1"), server)

    with pytest.raises(PhoneFault, match="nowhere:1"):
        opener.open()


def test_the_live_view_goes_from_pictures_to_film_and_back_when_it_breaks_off(
    phone: PhoneHandle, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(scrcpy_source.PATH_VARIABLE, str(server))
    android = AndroidPhone(Adb().link(phone.address))
    android.start()
    live = Live(android)

    def woken() -> None:
        return

    live.watch(woken, View(fps=15))
    wait_for(lambda: live.source == "scrcpy", "the film", 10)
    phone.start(SETTINGS)
    wait_for(lambda: live.frame and live.frame.source == "scrcpy", "a filmed frame", 10)
    filmed = live.frame
    film = live.sources._better
    assert film is not None
    film.close()
    wait_for(lambda: live.missing == "scrcpy", "the fall back", 10)
    phone.set("system.rotation", 1)
    wait_for(lambda: live.frame and live.frame.screen == Size(2400, 1080), "a picture", 10)
    after = live.frame
    live.leave(woken)
    wait_for(lambda: live._thread is None, "the end of the live view", 5)
    android.close()

    assert filmed is not None
    assert after is not None
    assert (filmed.error, filmed.screen) == (None, Size(1080, 2400))
    assert (live.source, after.source) == ("u2", "u2")


def test_no_film_is_left_running_when_nobody_looks(
    phone: PhoneHandle, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(scrcpy_source.PATH_VARIABLE, str(server))
    android = AndroidPhone(Adb().link(phone.address))
    android.start()
    live = Live(android)

    def woken() -> None:
        return

    live.watch(woken)
    wait_for(lambda: live.source == "scrcpy", "the film", 10)
    live.leave(woken)
    wait_for(lambda: live._thread is None and live.source == "u2", "the end of the film", 5)
    android.close()

    assert live.missing == ""
