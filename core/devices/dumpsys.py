"""Read the few lines of dumpsys, getprop, wm and df that tell what a phone is and shows.

Vendors print more than one display, a null first, and no focus at all while a window changes.
A line that is missing or worded otherwise reads as unknown, never as a crash.
"""

import re
from dataclasses import dataclass

from core.devices.base import AppInfo, Hardware, Size

#: Asks for what `front` and `keyboard_shown` read, in one call. ``dumpsys window windows`` has no
#: focus since Android 13, so the displays are asked.
FRONT = "dumpsys window displays | grep Focus; dumpsys input_method | grep Shown"
#: Asks for the same of phones that answer `FRONT` with no focus.
FRONT_OLD = FRONT.replace("window displays", "window")
#: Asks for what `resumed` reads, when nothing has the focus.
RESUMED = "dumpsys activity activities | grep esumedActivity"
#: Asks for what `locked` reads.
POLICY = "dumpsys window policy"

#: Asks which keyboard is in use; only needed while one is shown.
KEYBOARD = "settings get secure default_input_method"

#: Asks for everything that `hardware` reads. Properties come first, in this order, a line each.
HARDWARE = (
    "getprop ro.serialno; getprop ro.product.model; getprop ro.build.version.release; "
    "settings get secure android_id; dumpsys battery; df /data"
)

#: Asks for what `display` reads.
DISPLAY = "wm size; dumpsys display | grep orientation=; dumpsys power | grep mWakefulness="

_FRONT = re.compile(r"m(CurrentFocus|FocusedApp)=[^{\n]*\{\S+ (?:u\d+ )?([\w.]+)/([\w.$]+)")
_ACTIVITY = re.compile(r"ActivityRecord\{\S+ (?:u\d+ )?([\w.]+)/([\w.$]+)")
_RESUMED = re.compile(r"(?:topResumedActivity|mResumedActivity|ResumedActivity)[:=] ?(.*)")
_TOP = re.compile(r"ACTIVITY ([\w.]+)/([\w.$]+)(.*?)(?=^TASK|\Z)", re.S | re.M)
_SIZE = re.compile(r"(Physical|Override) size: (\d+)x(\d+)")
_ORIENTATION = re.compile(r"\borientation=([0-3])\b")
_PAIR = re.compile(r"^[ \t]*([\w ]+):[ \t]*(\S*)[ \t\r]*$", re.M)
_FLAG = re.compile(r"^\s*(showing|mIsShowing|mShowingLockscreen|occluded)=(true|false)", re.M)
_FREE = re.compile(r"^\S+\s+\d+\s+\d+\s+(\d+)\s+\d+%\s", re.M)
_HEXADECIMAL = re.compile(r"[0-9a-f]{8,16}", re.I)


@dataclass(frozen=True, slots=True)
class Battery:
    """Charge in percent and temperature in degrees; None where the phone does not say."""

    level: int | None
    celsius: float | None
    charging: bool


def front(text: str, active: str) -> AppInfo:
    """Say which app is in front.

    Args:
        text: What `FRONT` printed.
        active: The package that the accessibility service calls active; empty when unknown.

    Returns:
        With an empty activity when a window of no activity, such as the notification shade, has
        the focus; with an empty package when nothing told.
    """
    found = [(m[1], _app(m[2], m[3])) for m in _FRONT.finditer(text)]
    for _, app in found:
        if app.package == active:
            return app
    for kind, app in found:
        if kind == "CurrentFocus":
            return app
    if active or not found:
        return AppInfo(active, "")
    return found[0][1]


def resumed(text: str) -> AppInfo:
    """Say which activity runs in front, from ``dumpsys activity activities`` or ``… top``."""
    for line in _RESUMED.finditer(text):
        if found := _ACTIVITY.search(line[1]):
            return _app(found[1], found[2])
    shown = [m for m in _TOP.finditer(text) if "mResumed=true" in m[3]]
    return _app(shown[-1][1], shown[-1][2]) if shown else AppInfo("", "")


def locked(text: str) -> bool:
    """Say whether the keyguard shows, from what `POLICY` printed; an app may lie over it."""
    flags = {(m[1], m[2]) for m in _FLAG.finditer(text)}
    shows = any(value == "true" for name, value in flags if name != "occluded")
    return shows and ("occluded", "true") not in flags


def keyboard_shown(text: str) -> bool:
    """Say whether `FRONT` told of a keyboard on the screen; an adb keyboard draws none."""
    return "mInputShown=true" in text and "mIsInputViewShown=false" not in text


def keyboard_package(text: str) -> str:
    """Give the package that draws the keyboard from what `KEYBOARD` printed, empty if none."""
    package, slash, _ = text.strip().partition("/")
    return package if slash else ""


def keyboards(text: str) -> list[str]:
    """List keyboards from ``ime list -s`` or the setting ``enabled_input_methods``."""
    names = [name.partition(";")[0] for line in text.splitlines() for name in line.split(":")]
    return [name for name in names if re.fullmatch(r"[\w.]+/[\w.$]+", name)]


def screen_size(text: str) -> Size | None:
    """Read ``wm size``: the override, where there is one, is the space that touches are in."""
    sizes = {m[1]: Size(int(m[2]), int(m[3])) for m in _SIZE.finditer(text)}
    return sizes.get("Override") or sizes.get("Physical")


def display(text: str) -> dict[str, object]:
    """Read what `DISPLAY` printed, under the names of uiautomator2's ``deviceInfo``."""
    size = screen_size(text) or Size(0, 0)
    turned = _ORIENTATION.search(text)
    rotation = int(turned[1]) if turned else 0
    width, height = (size.height, size.width) if rotation % 2 else (size.width, size.height)
    return {
        "displayWidth": width,
        "displayHeight": height,
        "displayRotation": rotation,
        "screenOn": "mWakefulness=" not in text or "mWakefulness=Awake" in text,
    }


def battery(text: str) -> Battery:
    """Read ``dumpsys battery``; the first of a repeated key counts, as makers add their own."""
    pairs: dict[str, str] = {}
    for name, value in _PAIR.findall(text):
        pairs.setdefault(name.strip(), value)
    level, tenths = pairs.get("level", ""), pairs.get("temperature", "")
    powered = any(value == "true" for name, value in pairs.items() if name.endswith(" powered"))
    # emulators say 0 degrees, which means that they have no sensor
    celsius = int(tenths) / 10 if tenths.isdecimal() and tenths != "0" else None
    return Battery(int(level) if level.isdecimal() else None, celsius, powered)


def free_mb(text: str) -> int | None:
    """Read the free megabytes from ``df``, None when it printed no table."""
    found = _FREE.search(text)
    return int(found[1]) // 1024 if found else None


def properties(text: str) -> dict[str, str]:
    """Read ``getprop``'s whole list; a value may span lines."""
    return dict(re.findall(r"^\[([^\]]+)\]: \[(.*?)\]\r?$", text, re.S | re.M))


def packages(text: str) -> frozenset[str]:
    """Read ``pm list packages``."""
    return frozenset(re.findall(r"^package:(\S+)\s*$", text, re.M))


def hardware(text: str) -> Hardware:
    """Read what `HARDWARE` printed; a line that is missing reads as empty."""
    lines = [line.strip() for line in text.splitlines()]
    serial, model, android, mark = [*lines, "", "", "", ""][:4]
    return Hardware(
        serial,
        model,
        android,
        battery(text).level,
        storage_mb=free_mb(text),
        mark=mark if _HEXADECIMAL.fullmatch(mark) else "",
    )


def _app(package: str, activity: str) -> AppInfo:
    return AppInfo(package, activity.removeprefix(package))
