"""Say what a phone can do, whoever carries it out.

Every length is in pixels of the phone's screen as it is turned now, never scaled.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

Point = tuple[int, int]

#: Keys that `Phone.press_key` takes, with Android's key codes.
KEYS: dict[str, int] = {
    "back": 4,
    "home": 3,
    "recents": 187,
    "enter": 66,
    "delete": 67,
    "menu": 82,
    "search": 84,
    "power": 26,
    "wake": 224,
    "volume_up": 24,
    "volume_down": 25,
    "tab": 61,
    "escape": 111,
    "up": 19,
    "down": 20,
    "left": 21,
    "right": 22,
}

#: Where a finger goes for a direction, as fractions of the screen: up shows what is below.
DIRECTIONS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "up": ((0.5, 0.75), (0.5, 0.25)),
    "down": ((0.5, 0.3), (0.5, 0.8)),
    "left": ((0.85, 0.5), (0.15, 0.5)),
    "right": ((0.15, 0.5), (0.85, 0.5)),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """A rectangle; the right and bottom edges are outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Give the width, negative when the rectangle is inverted."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Give the height, negative when the rectangle is inverted."""
        return self.bottom - self.top

    @property
    def area(self) -> int:
        """Give the area; an inverted rectangle has none."""
        return max(0, self.width) * max(0, self.height)

    @property
    def center(self) -> Point:
        """Give the point in the middle."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def clip(self, other: "Bounds") -> "Bounds":
        """Give the part inside ``other``; its area is 0 when they do not meet."""
        return Bounds(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def contains(self, point: Point) -> bool:
        """Say whether the point is inside."""
        return self.left <= point[0] < self.right and self.top <= point[1] < self.bottom


@dataclass(frozen=True, slots=True)
class Size:
    """A screen's width and height as it is turned now."""

    width: int
    height: int

    @property
    def bounds(self) -> Bounds:
        """Give the whole screen as a rectangle."""
        return Bounds(0, 0, self.width, self.height)


@dataclass(frozen=True, slots=True)
class AppInfo:
    """The app in front; ``activity`` is short, as ``.Settings``, and may be empty."""

    package: str
    activity: str


@dataclass(frozen=True, slots=True)
class InstalledApp:
    """An app that can be opened; ``label`` is empty when nobody knows it."""

    package: str
    label: str


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a phone says about itself.

    ``battery`` in percent and ``storage_mb`` of free space, None when it does not say; ``mark``
    tells apart phones whose maker gave all the same serial, empty when it has none.
    """

    serial: str
    model: str
    android: str
    battery: int | None
    storage_mb: int | None = None
    mark: str = ""


#: Where a hierarchy came from: uiautomator2's server, Android's own dump (compressed: some
#: layout nodes are missing), or nowhere, so that only a picture tells what is there.
Source = Literal["u2", "dump", "picture"]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a phone shows, as it told it; `core.screen.screen.read` makes a screen of it.

    ``xml`` is a hierarchy without nodes when ``source`` is ``picture``. ``locked`` says that the
    keyguard shows. ``over`` are windows above the app, by package, which the hierarchy lacks.
    """

    xml: str
    app: AppInfo
    size: Size
    rotation: int
    keyboard: bool
    keyboard_package: str
    screen_on: bool
    source: Source = "u2"
    locked: bool = False
    over: tuple[tuple[str, Bounds], ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG and its own size, which may be smaller than the screen's."""

    jpeg: bytes
    size: Size


class Phone(Protocol):
    """A phone that can be looked at and touched.

    Every method raises leaves of `core.errors.PhoneFault` and has a deadline of its own.
    Acts are sent once: an error after sending does not mean that nothing happened.
    """

    serial: str

    def observe(self) -> Observation:
        """Read the hierarchy and the foreground app."""
        ...

    def screenshot(self, longest: int | None = None) -> Picture:
        """Take a picture whose longest side is at most ``longest`` pixels.

        Raises:
            CaptureFailed: The phone gave none; it is never replaced by a black one.
        """
        ...

    def forbids_pictures(self, package: str) -> bool | None:
        """Say whether an app forbids pictures of itself; None when the phone does not tell."""
        ...

    def current_app(self) -> AppInfo:
        """Say which app is in front."""
        ...

    def size(self) -> Size:
        """Give the screen's size as it is turned now."""
        ...

    def tap(self, point: Point) -> None:
        """Touch a point."""
        ...

    def long_press(self, point: Point, ms: int = 800) -> None:
        """Touch a point and stay."""
        ...

    def swipe(self, start: Point, end: Point, ms: int = 300) -> None:
        """Move a finger from one point to another."""
        ...

    def press_key(self, key: str) -> None:
        """Press one of `KEYS`."""
        ...

    def type_text(self, text: str, *, clear: bool = False) -> str:
        """Put text into the focused field and read the field back.

        Returns:
            What the field holds now; empty for a password field, which cannot be read.

        Raises:
            TextNotTyped: No field is focused, or it holds something else.
        """
        ...

    def installed(self) -> frozenset[str]:
        """List the packages."""
        ...

    def open_app(self, package: str) -> None:
        """Start an app by its launcher entry; whether it came to the front is not checked."""
        ...

    def close_app(self, package: str) -> None:
        """End an app."""
        ...

    def open_url(self, url: str) -> None:
        """Open an address in whatever app takes it.

        Raises:
            Invalid: It is no address that a phone opens.
        """
        ...

    def list_apps(self) -> list[InstalledApp]:
        """List the apps that can be opened, with their labels where known."""
        ...

    def unlock(self) -> None:
        """Wake the screen and open the lock, by swipe or by the PIN kept for this phone.

        Raises:
            PhoneLocked: It needs a PIN that is not known, or refused the one that is.
        """
        ...

    def keep_screen(self, on: bool) -> None:
        """Keep the screen from going off by itself, or let it."""
        ...

    def scroll(self, direction: str, area: Bounds | None = None) -> None:
        """Show what lies further ``up``, ``down``, ``left`` or ``right``, within ``area``."""
        ...
