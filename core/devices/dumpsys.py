"""Read the few lines of dumpsys and getprop that tell what a phone is and shows.

Vendors print more than one display, a null first, and no focus at all while a window changes.
"""

import re

from core.devices.base import AppInfo, Hardware

#: Asks for what `front` and `keyboard_shown` read, in one call. ``dumpsys window windows`` has no
#: focus since Android 13, so the displays are asked.
FRONT = "dumpsys window displays | grep Focus; dumpsys input_method | grep mInputShown"
#: Asks for the same of phones that answer `FRONT` with no focus.
FRONT_OLD = FRONT.replace("window displays", "window")

#: Asks which keyboard is in use; only needed while one is shown.
KEYBOARD = "settings get secure default_input_method"

#: Asks for everything that `hardware` reads.
HARDWARE = (
    "getprop ro.serialno; getprop ro.product.model; getprop ro.build.version.release; "
    "dumpsys battery | grep level"
)

_FRONT = re.compile(r"m(CurrentFocus|FocusedApp)=[^{\n]*\{\S+ (?:u\d+ )?([\w.]+)/([\w.$]+)")
_LEVEL = re.compile(r"level: (\d+)")


def front(text: str, active: str) -> AppInfo:
    """Say which app is in front.

    Args:
        text: What `FRONT` printed.
        active: The package that the accessibility service calls active; empty when unknown.

    Returns:
        With an empty activity when a window of no activity, such as the notification shade, has
        the focus; with an empty package when nothing told.
    """
    found = [(m[1], AppInfo(m[2], m[3].removeprefix(m[2]))) for m in _FRONT.finditer(text)]
    for _, app in found:
        if app.package == active:
            return app
    for kind, app in found:
        if kind == "CurrentFocus":
            return app
    if active or not found:
        return AppInfo(active, "")
    return found[0][1]


def keyboard_shown(text: str) -> bool:
    """Say whether `FRONT` told of a keyboard on the screen."""
    return "mInputShown=true" in text


def keyboard_package(text: str) -> str:
    """Give the package that draws the keyboard from what `KEYBOARD` printed, empty if none."""
    package, slash, _ = text.strip().partition("/")
    return package if slash else ""


def hardware(text: str) -> Hardware:
    """Read what `HARDWARE` printed; a line that is missing reads as empty."""
    lines = [line.strip() for line in text.splitlines()]
    serial, model, android = [*lines, "", "", ""][:3]
    level = _LEVEL.search(text)
    return Hardware(serial, model, android, int(level[1]) if level else None)
