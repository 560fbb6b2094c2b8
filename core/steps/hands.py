"""What a step runner needs of a phone, whoever carries it out: in process or over the loopback.

Every act finds its element on a fresh screen and is checked (lease, policy) right before it is
sent; it is sent once. Acts raise `core.errors.PersonNeeded` when a person has to be asked first;
nothing was sent then, and the same act may be tried again once there is an answer.
"""

from dataclasses import dataclass
from typing import Protocol

from core.devices.base import Bounds
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.schema import Selector

#: A point as fractions of the screen's width and height.
Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """An element to be touched; the first selector that fits anything counts.

    ``last_try`` allows to hide a keyboard that may be in the way of what is not there.
    """

    selectors: tuple[Selector, ...]
    last_try: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """What was touched, and the screen on which it was found; ``count`` is how many fitted.

    It was ``left`` alone where it stood already as the touch would have left it.
    """

    screen: Screen
    element: Element
    selector: Selector
    count: int = 1
    left: bool = False


@dataclass(frozen=True, slots=True)
class Typing:
    """A text for a field; without ``into`` for the one that has the focus."""

    text: str
    into: Wanted | None = None
    clear: bool = False
    submit: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """What the field holds now, empty where that cannot be read; and the field, if it was named."""

    holds: str
    touched: Touched | None = None


class Stop(Protocol):
    """Says when to stop; an event of `threading` is one."""

    def is_set(self) -> bool:
        """Say whether to stop now."""
        ...

    def wait(self, timeout: float) -> bool:
        """Wait a while, less when a stop comes; says whether to stop."""
        ...


class Hands(Protocol):
    """One phone, as the runner uses it."""

    @property
    def serial(self) -> str:
        """Give adb's name of the phone."""
        ...

    def begin(self, path: str) -> None:
        """Take note of which step the next acts belong to."""
        ...

    def look(self) -> Screen:
        """Read the screen as it is now."""
        ...

    def tap(self, wanted: Wanted) -> Touched:
        """Tap an element.

        Raises:
            ElementGone: It is not there.
            Untouchable: It is there and cannot be touched now.
        """
        ...

    def long_press(self, wanted: Wanted) -> Touched:
        """Press an element for a second; raises as `tap`."""
        ...

    def type_text(self, typing: Typing) -> Typed:
        """Type into a field and read it back; raises as `tap`.

        Raises:
            TextNotTyped: It is not in the field.
        """
        ...

    def tap_point(self, x: float, y: float) -> None:
        """Tap a point, in pixels, or as fractions when neither is above 1."""
        ...

    def swipe(self, start: Spot, end: Spot) -> None:
        """Move a finger."""
        ...

    def scroll(self, direction: str, area: Bounds) -> None:
        """Show what lies further in a direction, within an area."""
        ...

    def press_key(self, key: str) -> None:
        """Press a key, or ``unlock``."""
        ...

    def open_app(self, app: str) -> None:
        """Open an app and wait until it is in front.

        Raises:
            NoSuchApp: There is none of that label or package.
            PhoneFault: It did not come to the front.
        """
        ...

    def close_app(self, app: str) -> str:
        """End an app and return its package."""
        ...

    def open_url(self, url: str) -> None:
        """Open an address."""
        ...

    def keep_screen(self, on: bool) -> None:
        """Keep the screen from going off, or let it."""
        ...

    def keep_picture(self, name: str) -> str:
        """Take a picture and keep it; returns what it can be found by."""
        ...
