"""A phone on adb: looks and touches through uiautomator2's server, the rest through the shell."""

import base64
import binascii
import re
import shlex
import time

from core.devices import dumpsys, image
from core.devices.adb import Link
from core.devices.base import KEYS, AppInfo, Hardware, Observation, Picture, Point, Size
from core.devices.gate import Gate, Need
from core.devices.text_entry import Field, TextEntry
from core.devices.u2 import Server
from core.errors import CaptureFailed, Invalid, NoSuchApp, PhoneFault

ACT_S = 15.0
LOOK_S = 15.0
MAX_DEPTH = 50
EMPTY_RETRY_S = (0.2, 0.4, 0.0)
SWIPE_STEP_MS = 5  # uiautomator moves the finger once in this time
LIVE_SCALE = 0.5

_PACKAGE = re.compile(r"^[A-Za-z][\w.]*$")
_LAUNCHER = re.compile(r"^[\w.]+/[\w.$]+$")


class AndroidPhone:
    """`core.devices.base.Phone` by adb. Safe for threads: each call goes through the gate."""

    def __init__(self, link: Link) -> None:
        self.serial = link.serial
        self.link = link
        self.gate = Gate(link.serial)
        self.server = Server(link)
        self._front = dumpsys.FRONT

    def start(self) -> None:
        """Start what the phone needs to be driven, so that the first call is not slow."""
        with self.gate.hold(Need.LOOK):
            self.server.start()

    def close(self) -> None:
        """Let go of the phone."""
        self.server.close()

    def hardware(self) -> Hardware:
        """Ask who the phone is."""
        with self.gate.hold(Need.LOOK):
            return dumpsys.hardware(self.link.shell(dumpsys.HARDWARE, LOOK_S))

    def observe(self) -> Observation:
        """Read the hierarchy and the foreground app."""
        with self.gate.hold(Need.LOOK):
            info = self._info()
            xml = self._dump()
            said, app = self._front_app(str(info.get("currentPackageName") or ""))
            shown = dumpsys.keyboard_shown(said)
            method = self.link.shell(dumpsys.KEYBOARD, LOOK_S) if shown else ""
        return Observation(
            xml=xml,
            app=app,
            size=_size(info),
            rotation=_number(info, "displayRotation"),
            keyboard=shown,
            keyboard_package=dumpsys.keyboard_package(method),
            screen_on=bool(info.get("screenOn", True)),
        )

    def current_app(self) -> AppInfo:
        """Say which app is in front."""
        with self.gate.hold(Need.LOOK):
            return self._front_app(str(self._info().get("currentPackageName") or ""))[1]

    def size(self) -> Size:
        """Give the screen's size as it is turned now."""
        with self.gate.hold(Need.LOOK):
            return _size(self._info())

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
        steps = max(2, min(ms, 5000) // SWIPE_STEP_MS)
        self._act("swipe", *start, *end, steps)

    def press_key(self, key: str) -> None:
        """Press one of `KEYS`."""
        if key not in KEYS:
            raise Invalid(path="key", detail=f"{key} is no key; there are {', '.join(KEYS)}.")
        self._act("pressKeyCode", KEYS[key])

    def type_text(self, text: str, *, clear: bool = False) -> str:
        """Put text into the focused field and read the field back."""
        with self.gate.hold(Need.ACT):
            return TextEntry(self.serial, self).type(text, clear=clear)

    def focused_field(self) -> Field | None:
        """Read the field that typing goes to; None when no field has the focus."""
        with self.gate.hold(Need.LOOK):
            return Field.find(self._dump(), self.serial)

    def set_text(self, text: str) -> bool:
        """Replace the focused field's text; False when the phone found none."""
        with self.gate.hold(Need.ACT):
            return bool(self.server.act("setText", FOCUSED, text, timeout_s=ACT_S))

    def paste(self, text: str) -> bool:
        """Paste text at the cursor; False when the phone refused."""
        with self.gate.hold(Need.ACT):
            self.server.act("setClipboard", "phonedeck", text, timeout_s=ACT_S)
            return self.server.act("pasteClipboard", timeout_s=ACT_S) is not False

    def input_text(self, text: str) -> None:
        """Type printable ASCII as key presses."""
        with self.gate.hold(Need.ACT):
            self.link.shell(f"input text {shlex.quote(text.replace(' ', '%s'))}", ACT_S)

    def installed(self) -> frozenset[str]:
        """List the packages."""
        with self.gate.hold(Need.LOOK):
            lines = self.link.shell("pm list packages", LOOK_S).splitlines()
        return frozenset(ln.removeprefix("package:").strip() for ln in lines if "package:" in ln)

    def open_app(self, package: str) -> None:
        """Start an app by its launcher entry; whether it came to the front is not checked."""
        name = _package(package)
        with self.gate.hold(Need.ACT):
            said = self.link.shell(f"cmd package resolve-activity --brief {name}", LOOK_S)
            entry = said.strip().splitlines()[-1].strip() if said.strip() else ""
            if _LAUNCHER.match(entry):
                said = self.link.shell(f"am start -n {shlex.quote(entry)}", ACT_S)
            else:
                said = self.link.shell(
                    f"monkey -p {name} -c android.intent.category.LAUNCHER 1", ACT_S
                )
        if "No activities found" in said:
            raise NoSuchApp(app=package, known="It is installed but has no screen to open.")
        if "Error" in said:
            raise PhoneFault(serial=self.serial, detail=said.strip().splitlines()[-1][:200])

    def close_app(self, package: str) -> None:
        """End an app."""
        with self.gate.hold(Need.ACT):
            self.link.shell(f"am force-stop {_package(package)}", ACT_S)

    def _act(self, method: str, *params: int) -> None:
        with self.gate.hold(Need.ACT):
            done = self.server.act(method, *params, timeout_s=ACT_S)
        if done is False:
            raise PhoneFault(serial=self.serial, detail=f"Android refused {method}.")

    def _dump(self) -> str:
        """Read the hierarchy; while a window changes there may be none for a moment."""
        for pause in EMPTY_RETRY_S:
            xml = self.server.look("dumpWindowHierarchy", False, MAX_DEPTH, timeout_s=LOOK_S)
            if xml and "<node" in str(xml):
                return str(xml)
            time.sleep(pause)
        return str(xml or "")

    def _info(self) -> dict[str, object]:
        info = self.server.look("deviceInfo", timeout_s=LOOK_S)
        return info if isinstance(info, dict) else {}

    def _front_app(self, active: str) -> tuple[str, AppInfo]:
        said = self.link.shell(self._front, LOOK_S)
        app = dumpsys.front(said, active)
        if not app.activity and self._front == dumpsys.FRONT and "mCurrentFocus" not in said:
            self._front = dumpsys.FRONT_OLD
            return self._front_app(active)
        return said, app

    def _server_picture(self, scale: float, quality: int) -> bytes:
        encoded = self.server.look("takeScreenshot", scale, quality, timeout_s=LOOK_S)
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


def _package(package: str) -> str:
    if not _PACKAGE.match(package):
        raise NoSuchApp(app=package, known="")
    return package
