"""A phone on adb: looks and touches through uiautomator2's server, the rest through the shell.

Where the server cannot run, looks and touches go through the shell too; that is chosen before an
act is sent, never after one failed.
"""

import base64
import binascii
import logging
import shlex
from typing import Any

from core.devices import dumpsys, image, keyguard, shell_input, window_list
from core.devices.adb import Link
from core.devices.base import (
    KEYS,
    AppInfo,
    Bounds,
    Hardware,
    InstalledApp,
    Observation,
    Picture,
    Point,
    Size,
)
from core.devices.gate import Gate, Need
from core.devices.kept import Kept
from core.devices.keyboard import AdbKeyboard
from core.devices.keyguard import Keyguard, Pin
from core.devices.packages import Packages
from core.devices.text_entry import Field, TextEntry
from core.devices.tree import Tree
from core.devices.u2 import Server
from core.devices.window_list import ListedWindow
from core.errors import CaptureFailed, Invalid, PhoneFault

logger = logging.getLogger(__name__)

ACT_S = 15.0
LOOK_S = 15.0
INFO_S = 5.0
IDLE_WAIT_S = 1.0
LIVE_SCALE = 0.5

#: What a finger does to show what lies further that way, as fractions of the area.
SCROLLS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "down": ((0.5, 0.75), (0.5, 0.25)),
    "up": ((0.5, 0.25), (0.5, 0.75)),
    "right": ((0.8, 0.5), (0.2, 0.5)),
    "left": ((0.2, 0.5), (0.8, 0.5)),
}


class AndroidPhone:
    """`core.devices.base.Phone` by adb. Safe for threads: each call goes through the gate."""

    def __init__(self, link: Link, pin: Pin = lambda: None) -> None:
        self.serial = link.serial
        self.link = link
        self.gate = Gate(link.serial)
        self.server = Server(link)
        self.tree = Tree(link, self.server)
        self.packages = Packages(link)
        self.kept = Kept(link)
        self.keyguard = Keyguard(link, self, pin)
        self._front = dumpsys.FRONT

    def start(self) -> None:
        """Start what the phone needs to be driven, and give back what a crash left changed."""
        with self.gate.hold(Need.LOOK):
            self._start_server()
            self.kept.restore_after_crash()

    def _start_server(self) -> None:
        try:
            self.server.start(checked=True)
        except PhoneFault as error:
            if not self.server.is_out:
                raise
            logger.warning("%s: driven without its helper: %s", self.serial, error)

    def close(self) -> None:
        """Let go of the phone."""
        self.server.close()

    def hardware(self) -> Hardware:
        """Ask who the phone is."""
        with self.gate.hold(Need.LOOK):
            return dumpsys.hardware(self.link.shell(dumpsys.HARDWARE, LOOK_S))

    def refresh(self) -> Hardware:
        """Ask who the phone is and how it does, after everyone else who wants something of it."""
        with self.gate.hold(Need.LIVE, IDLE_WAIT_S):
            return dumpsys.hardware(self.link.shell(dumpsys.HARDWARE, INFO_S))

    def observe(self) -> Observation:
        """Read the hierarchy and the foreground app."""
        with self.gate.hold(Need.LOOK):
            info = self._info()
            awake = bool(info.get("screenOn", True))
            xml, source = self.tree.read(_number(info, "displayRotation"))
            said, app = self._front_app(str(info.get("currentPackageName") or ""))
            shown = dumpsys.keyboard_shown(said)
            method = self.link.shell(dumpsys.KEYBOARD, LOOK_S) if shown else ""
            # only a window of no activity can be the keyguard
            locked = bool(not app.activity or not awake) and self.keyguard.is_locked()
            # Android's own dump holds one window, so the others must be asked for
            listed = self._windows() if source == "dump" else []
        return Observation(
            xml=xml,
            app=app,
            size=_size(info),
            rotation=_number(info, "displayRotation"),
            keyboard=shown,
            keyboard_package=dumpsys.keyboard_package(method),
            screen_on=awake,
            source=source,
            locked=locked,
            over=tuple((w.package, w.bounds) for w in window_list.over(listed, app.package)),
        )

    def current_app(self) -> AppInfo:
        """Say which app is in front."""
        with self.gate.hold(Need.LOOK):
            return self._front_app(str(self._info().get("currentPackageName") or ""))[1]

    def size(self) -> Size:
        """Give the screen's size as it is turned now."""
        with self.gate.hold(Need.LOOK):
            return _size(self._info())

    def upright(self) -> Size:
        """Ask how large the screen is when the phone is not turned."""
        with self.gate.hold(Need.LOOK):
            info = self._info()
        size = _size(info)
        turned = _number(info, "displayRotation") % 2
        return Size(size.height, size.width) if turned else size

    def turned(self) -> tuple[Size, int]:
        """Give the screen's size and rotation (0 to 3) for the live view, after anything else."""
        with self.gate.hold(Need.LIVE):
            info = self._info()
        return _size(info), _number(info, "displayRotation")

    def screenshot(self, longest: int | None = None) -> Picture:
        """Take a picture; the server's JPEG, or screencap's pixels when the server has none."""
        with self.gate.hold(Need.LOOK):
            raw = self._server_picture(1, image.QUALITY)
            raw = raw or self.link.exec_out("screencap", LOOK_S)
        return self._picture(raw, longest)

    def forbids_pictures(self, package: str) -> bool | None:
        """Say whether an app forbids pictures of itself, by the flags of its windows."""
        with self.gate.hold(Need.LOOK):
            return window_list.forbids_pictures(self._windows(), package)

    def app_version(self, package: str) -> str:
        """Say which version of an app is installed; empty when the phone does not tell."""
        with self.gate.hold(Need.LOOK):
            return self.packages.version(package)

    def _windows(self) -> list[ListedWindow]:
        return window_list.parse(self.link.shell(window_list.WINDOWS, LOOK_S))

    def live_frame(self) -> bytes:
        """Take a picture for the live view: half the size, and never before anything else."""
        with self.gate.hold(Need.LIVE):
            raw = self._server_picture(LIVE_SCALE, image.LIVE_QUALITY)
            raw = raw or self.link.exec_out("screencap", LOOK_S)
        if not raw:
            raise self._no_picture("It sent nothing.")
        return raw

    def tap(self, point: Point) -> None:
        """Touch a point."""
        self._act("click", *point)

    def long_press(self, point: Point, ms: int = 800) -> None:
        """Touch a point and stay."""
        self._act("click", *point, min(ms, 5000))

    def swipe(self, start: Point, end: Point, ms: int = 300) -> None:
        """Move a finger from one point to another."""
        steps = max(2, min(ms, 5000) // shell_input.STEP_MS)
        self._act("swipe", *start, *end, steps)

    def press_key(self, key: str) -> None:
        """Press one of `KEYS`."""
        if key not in KEYS:
            raise Invalid(path="key", detail=f"{key} is no key; there are {', '.join(KEYS)}.")
        self.press_code(KEYS[key])

    def press_code(self, code: int) -> None:
        """Press a key by Android's number."""
        self._act("pressKeyCode", code)

    def scroll(self, direction: str, area: Bounds | None = None) -> None:
        """Show what lies further ``up``, ``down``, ``left`` or ``right``, within ``area``."""
        if direction not in SCROLLS:
            raise Invalid(path="direction", detail=f"{direction} is none of {', '.join(SCROLLS)}.")
        with self.gate.hold(Need.ACT):
            within = area or self.size().bounds
            start, end = (_within(within, part) for part in SCROLLS[direction])
            self.swipe(start, end)

    def type_text(self, text: str, *, clear: bool = False) -> str:
        """Put text into the focused field and read the field back."""
        with self.gate.hold(Need.ACT):
            return TextEntry(self.serial, self).type(text, clear=clear)

    def focused_field(self) -> Field | None:
        """Read the field that typing goes to; None when no field has the focus."""
        with self.gate.hold(Need.LOOK):
            xml = self.tree.read()[0] if self.server.rests else self.tree.from_server()
            return Field.find(xml, self.serial)

    def set_text(self, text: str) -> bool:
        """Replace the focused field's text; False when the phone found none."""
        with self.gate.hold(Need.ACT):
            self._need_server()
            return bool(self.server.act("setText", FOCUSED, text, timeout_s=ACT_S))

    def paste(self, text: str) -> bool:
        """Paste text at the cursor; False when the phone refused."""
        with self.gate.hold(Need.ACT):
            self._need_server()
            self.server.act("setClipboard", "phonedeck", text, timeout_s=ACT_S)
            return self.server.act("pasteClipboard", timeout_s=ACT_S) is not False

    def _need_server(self) -> None:
        if not self.server.is_ready():
            detail = "Without its helper only ASCII can be added to a field."
            raise PhoneFault(serial=self.serial, detail=detail)

    def type_by_keyboard(self, text: str) -> bool:
        """Type through a keyboard made for adb; False when the phone has none."""
        with self.gate.hold(Need.ACT):
            return AdbKeyboard(self.link, self.kept).type(text)

    def input_text(self, text: str) -> None:
        """Type printable ASCII as key presses."""
        with self.gate.hold(Need.ACT):
            self.link.shell(f"input text {shlex.quote(text.replace(' ', '%s'))}", ACT_S)

    def installed(self) -> frozenset[str]:
        """List the packages."""
        with self.gate.hold(Need.LOOK):
            return self.packages.installed()

    def list_apps(self) -> list[InstalledApp]:
        """List the apps that can be opened, with their labels where known."""
        with self.gate.hold(Need.LOOK):
            return self.packages.launchable()

    def open_app(self, package: str) -> None:
        """Start an app by its launcher entry; whether it came to the front is not checked."""
        with self.gate.hold(Need.ACT):
            self.packages.open(package)

    def open_url(self, url: str) -> None:
        """Open an address in whatever app takes it."""
        with self.gate.hold(Need.ACT):
            self.packages.open_url(url)

    def close_app(self, package: str) -> None:
        """End an app."""
        with self.gate.hold(Need.ACT):
            self.packages.close(package)

    def unlock(self) -> None:
        """Wake the screen and open the lock, by swipe or by the PIN kept for this phone."""
        with self.gate.hold(Need.ACT):
            self.keyguard.open()

    def keep_screen(self, on: bool) -> None:
        """Keep the screen from going off by itself, or give the user's settings back."""
        with self.gate.hold(Need.ACT):
            keyguard.keep_screen(self.kept, on)

    def _act(self, method: str, *params: int) -> None:
        with self.gate.hold(Need.ACT):
            if not self.server.is_ready():
                shell_input.send(self.link, method, params, ACT_S)
                return
            done = self.server.act(method, *params, timeout_s=ACT_S)
        if done is False:
            raise PhoneFault(serial=self.serial, detail=f"Android refused {method}.")

    def _info(self) -> dict[str, object]:
        info = self._ask("deviceInfo", timeout_s=INFO_S)
        if self.server.rests:
            return dumpsys.display(self.link.shell(dumpsys.DISPLAY, INFO_S))
        return info if isinstance(info, dict) else {}

    def _ask(self, method: str, *params: Any, timeout_s: float) -> Any:
        """Ask the server; None where it cannot run."""
        if not self.server.rests:
            try:
                return self.server.look(method, *params, timeout_s=timeout_s)
            except PhoneFault as error:
                if not self.server.rests:
                    raise
                logger.warning("%s: %s without its helper: %s", self.serial, method, error)
        return None

    def _front_app(self, active: str) -> tuple[str, AppInfo]:
        said = self.link.shell(self._front, LOOK_S)
        app = dumpsys.front(said, active)
        if not app.activity and self._front == dumpsys.FRONT and "mCurrentFocus" not in said:
            self._front = dumpsys.FRONT_OLD
            return self._front_app(active)
        if not app.package:
            app = dumpsys.resumed(self.link.shell(dumpsys.RESUMED, LOOK_S))
        return said, app

    def _server_picture(self, scale: float, quality: int) -> bytes:
        encoded = self._ask("takeScreenshot", scale, quality, timeout_s=LOOK_S)
        if not encoded:
            return b""
        try:
            return base64.b64decode(str(encoded))
        except binascii.Error as error:
            raise self._no_picture(str(error)) from error

    def _picture(self, raw: bytes, longest: int | None) -> Picture:
        try:
            return image.picture(raw, longest)
        except CaptureFailed as error:
            raise self._no_picture(error.details["detail"]) from error

    def _no_picture(self, detail: str) -> CaptureFailed:
        return CaptureFailed(serial=self.serial, detail=detail)


#: uiautomator2's selector for whatever has the input focus.
FOCUSED = {"mask": 1 << 15, "childOrSibling": [], "childOrSiblingSelector": [], "focused": True}


def _size(info: dict[str, object]) -> Size:
    return Size(_number(info, "displayWidth"), _number(info, "displayHeight"))


def _number(info: dict[str, object], name: str) -> int:
    value = info.get(name)
    return value if isinstance(value, int) else 0


def _within(area: Bounds, part: tuple[float, float]) -> Point:
    return round(area.left + part[0] * area.width), round(area.top + part[1] * area.height)
