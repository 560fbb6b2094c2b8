"""A phone on a real adb server: looks, touches, and errors that say what is known."""

import socket
import threading
from collections.abc import Iterator

import pytest

from core.devices import u2_program
from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.errors import AdbDown, CaptureFailed, DeviceLost, DeviceSlow, Invalid, NoSuchApp
from core.screen import screen, selectors
from tests.stack import free_port, wait_for
from virtual_phone import u2rpc
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Serve a port that accepts and never says a word, as a stuck adb server does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    kept.append(server.accept()[0])
            except OSError:
                return

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        for each in kept:
            each.close()


def tap(android: AndroidPhone, text: str) -> None:
    android.tap(selectors.find(screen.read(android.observe()), text).point)


def test_a_tap_reaches_what_the_tree_shows(android: AndroidPhone, phone: PhoneHandle) -> None:
    android.open_app(SETTINGS)
    tap(android, "网络和互联网")
    before = phone.get("settings.wifi")

    tap(android, "Wi-Fi")

    assert phone.get("settings.wifi") is not before
    assert android.current_app().package == SETTINGS


def test_an_act_is_sent_once_when_the_stream_breaks(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    stream = android.server.stream._http
    assert stream is not None
    stream.sock.shutdown(socket.SHUT_RDWR)

    with pytest.raises(DeviceLost, match="may have happened"):
        android.tap((540, 500))

    assert phone.log() == []
    android.tap((540, 500))
    assert len(phone.log()) == 1


def test_a_look_goes_on_when_the_stream_breaks(android: AndroidPhone) -> None:
    android.observe()
    stream = android.server.stream._http
    assert stream is not None
    stream.sock.shutdown(socket.SHUT_RDWR)

    assert android.observe().app.package


def test_the_server_on_the_phone_is_started_again_when_it_died(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    wait_for(lambda: not phone.ask(u2rpc.end_servers), "the end of every server")

    assert android.size().width == 1080


def test_keys_are_pressed_by_name_and_others_refused(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    android.press_key("home")
    with pytest.raises(Invalid, match="foo is no key"):
        android.press_key("foo")

    assert phone.state()["system"]["foreground"] != SETTINGS


@pytest.mark.parametrize("package", ["no.such.app", "a; reboot", "设置"])
def test_a_package_that_is_none_is_refused(android: AndroidPhone, package: str) -> None:
    with pytest.raises(NoSuchApp):
        android.open_app(package)


def test_a_picture_that_failed_is_no_black_one(android: AndroidPhone, phone: PhoneHandle) -> None:
    phone.fault("screencap_fail")

    with pytest.raises(CaptureFailed, match=phone.address):
        android.screenshot()


def test_an_adb_server_that_is_silent_does_not_hold_anyone(
    silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(silent_port))
    link = Adb().link("s1")

    with pytest.raises(DeviceSlow):
        link.shell("echo", timeout_s=0.1)


def test_without_an_adb_server_none_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(free_port()))
    adb = Adb()

    with pytest.raises(AdbDown):
        adb.connect("127.0.0.1:1")
    with pytest.raises(DeviceLost):
        adb.link("s1").shell("echo")
    assert not adb.is_running()


def test_the_program_for_the_phone_is_the_packages_own() -> None:
    path, digest = u2_program.jar()

    assert path.name == "u2.jar"
    assert len(digest) == 32
