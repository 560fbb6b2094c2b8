"""Remember which screen a caller was shown, so that an element's number can be checked.

A number counts for the screen that it was read from. Before a touch the screen is read again
and the element looked for on it: what moved is followed, what is gone is refused.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from core.devices.base import Phone, Size
from core.errors import ConsoleError, ElementGone, Invalid, NotInTime
from core.screen import screen, selectors
from core.screen.elements import JOINT, Element
from core.screen.screen import Screen
from mcp_server.access import Device

KEPT = 512
PATIENT_S = (0.15, 0.3, 0.5)  # after a touch: an app may think before it shows anything
BRISK_S = (0.15,)  # after a finger moved: the screen moved with it, or is at its end
POLL_S = 0.5
NEW_SHOWN = 10

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

    def pictured(self, device: Device, seen: Screen) -> None:
        """Note how the screen was turned when the caller got a picture of it."""
        with self._lock:
            self._frames.keep(device, (seen.size, seen.rotation))

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


def look(phone: Phone) -> Screen:
    """Read the screen as it is now."""
    return screen.read(phone.observe(), phone.serial)


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
    try:
        after = settle(phone, before, waits_s)
    except ConsoleError as error:
        return f"What it changed is not known: {error}"
    if after.fingerprint == before.fingerprint:
        return "The screen did not change."
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
    return f"Now in {after.app.package}/{after.app.activity}."


def _news(before: Screen, after: Screen) -> str:
    known = {e.gist for e in before.elements}
    shown = [e for e in after.elements if e.label and e.package != screen.SYSTEM_UI]
    fresh = [gist for gist in dict.fromkeys(e.gist for e in shown) if gist not in known]
    parts = [f" New: {JOINT.join(fresh[:NEW_SHOWN])}"] if fresh else []
    if len(fresh) > NEW_SHOWN:
        parts.append(f" and {len(fresh) - NEW_SHOWN} more")
    if (after.keyboard is None) != (before.keyboard is None):
        parts.append(f". The keyboard is {'hidden' if after.keyboard is None else 'shown'}")
    return "".join(parts) + ("." if parts else "")
