"""The step runner's hands on a phone of this process: the same way to act as the tools'.

Each act is judged by itself, as the step that it belongs to: an approval lets through that one
step on that screen, not the whole action.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core import policy
from core.devices.base import Bounds, Picture, Point
from core.errors import LeaseLost, TakenOver
from core.policy import Act
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.finding import Found, find
from core.steps.hands import Spot, Touched, Typed, Typing, Wanted
from mcp_server.access import Access, Device
from mcp_server.acting import (
    ANYWHERE,
    HARMLESS,
    ON_A_LOCKED_PHONE,
    Acting,
    Doing,
    Gesture,
    off_the_keys,
)
from mcp_server.consent import CALL, Call
from mcp_server.device_apps import AppTools
from mcp_server.device_write import WriteTools
from mcp_server.sight import look

LONGEST = 1280


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways to act that the tools have."""

    acting: Acting
    apps: AppTools
    writes: WriteTools


class PhoneHands:
    """One phone for one replay; ``device`` is set anew when the replay goes on in a later call."""

    def __init__(self, ways: Ways, device: Device, call: Call) -> None:
        self.ways = ways
        self.acting = ways.acting
        self.device = device
        self.call = call
        self.path = ""
        self.pictures: list[Picture] = []

    @property
    def serial(self) -> str:
        """Give adb's name of the phone."""
        return self.device.serial

    def begin(self, path: str) -> None:
        """Take note of which step the next acts belong to."""
        self.path = path

    def look(self) -> Screen:
        """Read the screen."""
        return look(self.device.slot.phone)

    def tap(self, wanted: Wanted) -> Touched:
        """Tap an element."""
        return self._press(wanted, Gesture("Tapped", self.device.slot.phone.tap))

    def long_press(self, wanted: Wanted) -> Touched:
        """Press an element for a second."""
        return self._press(wanted, Gesture("Pressed long", self.device.slot.phone.long_press))

    def type_text(self, typing: Typing) -> Typed:
        """Type into a field and read it back."""
        seeker = _Seeker(typing.into)
        with self._as_step():
            _, holds = self.ways.writes.type_into(
                self.device, seeker.field, typing.text, clear=typing.clear, submit=typing.submit
            )
        return Typed(holds, seeker.touched)

    def tap_point(self, x: float, y: float) -> None:
        """Tap a point, in pixels, or as fractions when neither is above 1."""

        def point(now: Screen) -> Point:
            fractions = x <= 1 and y <= 1
            return _at(now, (x, y)) if fractions else (round(x), round(y))

        with self._as_step():
            tap = Doing(
                lambda now: self.acting.tap_there(self.device, now, point(now)),
                lambda now: Act(now.at(point(now)), blind=True),
            )
            self.acting.send(self.device, tap)

    def swipe(self, start: Spot, end: Spot) -> None:
        """Move a finger."""

        def means(now: Screen) -> Act:
            return policy.moved(now, _at(now, start), _at(now, end), aimed=True)

        def swipe(now: Screen) -> None:
            off_the_keys(now, _at(now, start))
            self.device.slot.phone.swipe(_at(now, start), _at(now, end))

        self._send(swipe, means, ON_A_LOCKED_PHONE)

    def scroll(self, direction: str, area: Bounds) -> None:
        """Show what lies further in a direction."""
        self._send(lambda now: self.device.slot.phone.scroll(direction, area))

    def press_key(self, key: str) -> None:
        """Press a key, or ``unlock``."""
        with self._as_step():
            self.acting.send(self.device, self.ways.writes.pressing(self.device, key))

    def open_app(self, app: str) -> None:
        """Open an app and wait until it is in front."""
        with self._as_step():
            self.ways.apps.open(self.device, app)

    def close_app(self, app: str) -> str:
        """End an app and return its package."""
        package, close = self.ways.apps.closing(self.device, app)
        with self._as_step():
            self.acting.send(self.device, close)
        return package

    def open_url(self, url: str) -> None:
        """Open an address."""
        with self._as_step():
            self.acting.send(self.device, self.ways.apps.visiting(self.device, url))

    def keep_screen(self, on: bool) -> None:
        """Keep the screen from going off, or let it."""
        self._send(lambda now: self.device.slot.phone.keep_screen(on), despite=ANYWHERE)

    def keep_picture(self, name: str) -> str:
        """Take a picture; it goes with the answer."""
        _, picture = self.acting.sight.picture(self.device, LONGEST)
        self.pictures.append(picture)
        return f"picture {len(self.pictures)}{f' ({name})' if name else ''}"

    def _press(self, wanted: Wanted, gesture: Gesture) -> Touched:
        seeker = _Seeker(wanted)
        with self._as_step():
            pressed = self.acting.press(
                self.device, seeker.element, gesture, search=wanted.last_try
            )
        found = seeker.found
        return Touched(pressed.before, pressed.element, found.selector, found.count)

    def _send(
        self,
        do: Callable[[Screen], None],
        means: Callable[[Screen], Act] = lambda now: HARMLESS,
        despite: frozenset[str] = frozenset(),
    ) -> None:
        def said(now: Screen) -> str:
            do(now)
            return ""

        with self._as_step():
            self.acting.send(self.device, Doing(said, means, despite))

    @contextmanager
    def _as_step(self) -> Iterator[None]:
        """Have the act judged as this step, not as the call that it belongs to."""
        arguments: dict[str, Any] = {**self.call.arguments, "step": self.path}
        serving = CALL.set(Call(self.call.tool, arguments))
        try:
            yield
        finally:
            CALL.reset(serving)


class _Seeker:
    """Finds what a step wants on the screen that an act reads, and remembers what it was."""

    def __init__(self, wanted: Wanted | None) -> None:
        self.wanted = wanted
        self.touched: Touched | None = None
        self.found: Found

    def element(self, now: Screen) -> Element:
        """Find it."""
        self.found = find(now, self.wanted.selectors if self.wanted else ())
        element = self.found.element
        self.touched = Touched(now, element, self.found.selector, self.found.count)
        return element

    def field(self, now: Screen) -> Element | None:
        """Find the field; without a selector it is the one that has the focus."""
        return self.element(now) if self.wanted else None


class LeaseStop:
    """Stops a replay when its phone is no longer its own: the run was stopped, or is over."""

    def __init__(self, access: Access, hands: PhoneHands) -> None:
        self.access = access
        self.hands = hands

    def is_set(self) -> bool:
        """Say whether the phone is lost; one that a person only borrowed is not."""
        try:
            self.access.check(self.hands.device)
        except LeaseLost:
            return True
        except TakenOver:
            return False
        return False

    def wait(self, timeout: float) -> bool:
        """Wait a while."""
        time.sleep(timeout)
        return self.is_set()


def _at(now: Screen, spot: Spot) -> Point:
    """Give a point in pixels; the far edge is still on the screen."""
    width, height = now.size.width, now.size.height
    return min(int(spot[0] * width), width - 1), min(int(spot[1] * height), height - 1)
