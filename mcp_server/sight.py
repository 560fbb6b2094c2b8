"""Remember which screen a caller was shown, so that an element's number can be checked.

A number counts for the screen that it was read from. Before a touch the screen is read again
and the element looked for on it: what moved is followed, what is gone is refused.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from core.devices import image
from core.devices.base import Phone, Picture, Point, Size
from core.devices.gate import Need
from core.errors import (
    CaptureFailed,
    ConsoleError,
    ElementGone,
    Invalid,
    NotInTime,
    ScreenBlack,
    ScreenOff,
    ScreenSecure,
)
from core.runs.events import Spots
from core.screen import screen, selectors
from core.screen.elements import JOINT, Element
from core.screen.screen import Screen
from core.screen.state import PictureFacts
from mcp_server.access import Device

KEPT = 512
PATIENT_S = (0.15, 0.3, 0.5)  # after a touch: an app may think before it shows anything
BRISK_S = (0.15,)  # after a finger moved: the screen moved with it, or is at its end
POLL_S = 0.5
NEW_SHOWN = 10
OVER = "-- over the app: "  # how a screen's text titles such a window
UNTOLD = "The element list did not change, but it tells little here: take de_screenshot."
#: The screen that the act of this call led to, as a fingerprint; empty when nobody can tell.
LED_TO: ContextVar[str | None] = ContextVar("led_to", default=None)
#: Where the act of this call touched the screen, as fractions of it.
TOUCHED: ContextVar[Spots] = ContextVar("touched", default=())
#: Why a picture shows nothing, by the screen's state.
UNSEEN: dict[str, type[CaptureFailed]] = {
    "secure": ScreenSecure,
    "black": ScreenBlack,
    "off": ScreenOff,
}

T = TypeVar("T")


class _Kept(OrderedDict[tuple[str, str], T]):
    """What callers were shown last, by caller and phone; the oldest is forgotten first."""

    def keep(self, device: Device, value: T) -> None:
        key = (device.caller.key, device.serial)
        self[key] = value
        self.move_to_end(key)
        while len(self) > KEPT:
            self.popitem(last=False)

    def of(self, device: Device) -> T | None:
        return self.get((device.caller.key, device.serial))


class Sight:
    """The last screen each caller was shown of each phone."""

    def __init__(self) -> None:
        self._shown: _Kept[Screen] = _Kept()
        self._frames: _Kept[tuple[Size, int]] = _Kept()
        self._lock = threading.Lock()

    def show(self, device: Device) -> Screen:
        """Read the screen; its numbers are what the caller may use from now on."""
        seen = look(device.slot.phone)
        with self._lock:
            self._shown.keep(device, seen)
            self._frames.keep(device, (seen.size, seen.rotation))
        return seen

    def picture(self, device: Device, longest: int) -> tuple[Screen, Picture]:
        """Take a picture, with the screen of the same moment.

        Raises:
            CaptureFailed: There is none, or nothing is to be seen on it; the leaf says why.
        """
        phone = device.slot.phone
        with phone.gate.hold(Need.LOOK):
            seen = phone.observe()
            picture, facts = _capture(phone, longest, seen.app.package)
        now = screen.read(seen, phone.serial, facts)
        why = UNSEEN.get(now.state)
        if why is not None:
            raise why(serial=phone.serial)
        if isinstance(picture, CaptureFailed):
            raise picture
        with self._lock:
            self._frames.keep(device, (now.size, now.rotation))
        return now, picture

    def same_frame(self, device: Device, now: Screen) -> None:
        """Refuse coordinates that were read from a screen turned another way.

        Raises:
            Invalid: The screen was turned since the caller looked.
        """
        with self._lock:
            frame = self._frames.of(device)
        if frame is not None and frame != (now.size, now.rotation):
            detail = (
                f"the screen was {wh(frame[0])}, rotation {frame[1]}, when you looked, and is "
                f"{wh(now.size)}, rotation {now.rotation}, now. Look again."
            )
            raise Invalid(path="x", detail=detail)

    def numbered(self, device: Device, number: int, now: Screen) -> Element:
        """Find on the screen as it is now what the caller knows by a number.

        Raises:
            ElementGone: It is not there any more, or no screen was shown yet.
        """
        with self._lock:
            shown = self._shown.of(device)
        before = shown.element(number) if shown else None
        if before is None:
            why = "Numbers come from de_ui_tree" if shown is None else "de_ui_tree lists what is"
            raise ElementGone(wanted=f"element [{number}]", nearest=f"{why}.")
        return selectors.again(now, before)


def wh(size: Size) -> str:
    """Say a size."""
    return f"{size.width}x{size.height}"


def _capture(
    phone: Phone, longest: int, package: str
) -> tuple[Picture | CaptureFailed, PictureFacts]:
    """Take a picture and judge it; one that did not come is told, not raised."""
    try:
        picture = phone.screenshot(longest)
    except CaptureFailed as error:
        return error, PictureFacts(error=str(error), forbidden=phone.forbids_pictures(package))
    is_black = image.is_black(picture.jpeg)
    forbidden = phone.forbids_pictures(package) if is_black else None
    return picture, PictureFacts(is_black=is_black, forbidden=forbidden)


def look(phone: Phone) -> Screen:
    """Read the screen as it is now."""
    return screen.read(phone.observe(), phone.serial)


def touched(now: Screen, *points: Point) -> None:
    """Note where a finger came down, and where a swipe ended, so that people can be shown it."""
    width, height = now.size.width, now.size.height
    spots = ((round(x / width, 4), round(y / height, 4)) for x, y in points)
    TOUCHED.set(tuple(spots))


def settle(phone: Phone, before: Screen, waits_s: tuple[float, ...] = PATIENT_S) -> Screen:
    """Read the screen after an act, giving it some time to answer."""
    after = look(phone)
    for pause in waits_s:
        if after.fingerprint != before.fingerprint:
            break
        time.sleep(pause)
        after = look(phone)
    return after


def outcome(phone: Phone, before: Screen, waits_s: tuple[float, ...] = PATIENT_S) -> str:
    """Say what an act changed; the act itself is done, whatever this finds."""
    LED_TO.set("")
    try:
        after = settle(phone, before, waits_s)
    except ConsoleError as error:
        return f"What it changed is not known: {error}"
    if after.state != "thin":
        LED_TO.set(f"{after.fingerprint:x}")
    if after.fingerprint == before.fingerprint:
        return UNTOLD if after.state == "thin" else "The screen did not change."
    return f"{_where(before, after)}{_news(before, after)}"


def wait_until(
    phone: Phone, wanted: str, is_met: Callable[[Screen], bool], timeout_s: float
) -> Screen:
    """Read the screen again and again until it is as wanted.

    Raises:
        NotInTime: It was not within ``timeout_s``.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        seen = look(phone)
        if is_met(seen):
            return seen
        left = deadline - time.monotonic()
        if left <= 0:
            nearest = selectors.nearest(seen, wanted)
            raise NotInTime(wanted=wanted, timeout_s=f"{timeout_s:g}", nearest=nearest)
        time.sleep(min(POLL_S, left))


def _where(before: Screen, after: Screen) -> str:
    if after.app == before.app:
        return "The screen changed."
    if _is_dialog(after.app.package):
        return f"A dialog of {after.app.package} is in front."
    return f"Now in {after.app.package}/{after.app.activity}."


def _is_dialog(package: str) -> bool:
    """Say whether a package is one that only asks, above whatever app."""
    return package in ("android", screen.SYSTEM_UI) or "permission" in package


def _news(before: Screen, after: Screen) -> str:
    known = {e.gist for e in before.elements}
    shown = [e for e in after.elements if e.label and e.package != screen.SYSTEM_UI]
    fresh = [gist for gist in dict.fromkeys(e.gist for e in shown) if gist not in known]
    parts = [_lies_over(before, after)]
    if (after.keyboard is None) != (before.keyboard is None):
        parts.append(f" The keyboard is {'hidden' if after.keyboard is None else 'shown'}.")
    if fresh:
        more = len(fresh) - NEW_SHOWN
        tail = f" and {more} more." if more > 0 else "."
        parts.append(f" New: {JOINT.join(fresh[:NEW_SHOWN])}{tail}")
    return "".join(parts)


def _lies_over(before: Screen, after: Screen) -> str:
    """Say which windows came over the app or went."""
    was, over = _over(before), _over(after)
    came = [package for package in over if package not in was]
    gone = [package for package in was if package not in over]
    said = f" Over the app lies a window of {', '.join(came)}." if came else ""
    return said + (f" The window of {', '.join(gone)} is gone." if gone else "")


def _over(seen: Screen) -> list[str]:
    packages = dict.fromkeys(title.removeprefix(OVER) for _, title in seen.titles)
    return [package for package in packages if package != screen.SYSTEM_UI]
