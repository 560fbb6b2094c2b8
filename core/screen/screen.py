"""Make one observation a screen: numbered elements, compact text and a state.

The numbers are valid for this screen only. The app's own window comes first, what lies over it
next, so that a notification in the status bar renumbers nothing.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import xxhash

from core.devices.base import AppInfo, Bounds, Observation, Point, Size, Source
from core.screen import elements, hierarchy, state, windows
from core.screen.covers import Cover, covering
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy, Node
from core.screen.state import Evidence, PictureFacts
from core.screen.windows import SYSTEM_UI

__all__ = ["SYSTEM_UI", "Screen", "read"]

#: Where an act's result tells which screen it led to: a fingerprint, or nothing when not known.
SCREEN_META = "phonedeck/screen"
#: Where it tells which points a finger touched, as fractions of the screen; two of a swipe.
TOUCH_META = "phonedeck/touch"


@dataclass(frozen=True)
class Screen:
    """What a phone shows now, as a model reads it.

    ``titles`` are the lines above the windows that lie over the app, by the number of their
    first element; ``covers`` is what lies over it, the keyboard too.
    """

    app: AppInfo
    size: Size
    rotation: int
    state: state.ScreenState
    keyboard: Bounds | None
    elements: tuple[Element, ...]
    hierarchy: Hierarchy
    titles: tuple[tuple[int, str], ...] = ()
    covers: tuple[Cover, ...] = ()
    source: Source = "u2"

    @property
    def heading(self) -> str:
        """Give the first line of the compact text."""
        parts = [
            f"{self.app.package}/{self.app.activity}",
            f"{self.size.width}x{self.size.height}",
            f"rotation {self.rotation}",
        ]
        if self.source != "u2":
            parts.append(f"from {self.source}")
        if self.hierarchy.partial:
            parts.append("broke off")
        parts.append(self.state)
        return elements.JOINT.join(parts + ["keyboard"] * (self.keyboard is not None))

    @property
    def text(self) -> str:
        """Give the compact text: the heading, then a line an element."""
        titles = dict(self.titles)
        lines = [self.heading]
        for element in self.elements:
            if element.number in titles:
                lines.append(titles[element.number])
            lines.append(element.line())
        return "\n".join(lines)

    @cached_property
    def fingerprint(self) -> int:
        """Tell two screens apart by what a person would see; a ticking clock does not count."""
        shown = (e.line() for e in self.elements if e.package != SYSTEM_UI)
        return xxhash.xxh3_64_intdigest("\n".join([self.heading, *shown]).encode())

    def element(self, number: int) -> Element | None:
        """Give the element with a number."""
        return self.elements[number - 1] if 0 < number <= len(self.elements) else None

    def at(self, point: Point) -> Element | None:
        """Give the element that a tap on a point would reach: the smallest there, topmost first."""
        there = [e for e in self.elements if e.bounds.contains(point) and not e.covered]
        over = [e for e in there if self._is_over(e)]
        return min(over or there, key=lambda e: (e.bounds.area, -e.number), default=None)

    def focused_field(self) -> Node | None:
        """Find the field that typing would go to."""
        fields = (n for n in self.hierarchy.walk() if n.is_on("focused") and elements.is_field(n))
        return next(fields, None)

    def _is_over(self, element: Element) -> bool:
        return bool(self.titles) and element.number >= self.titles[0][0]


@lru_cache(maxsize=32)
def read(seen: Observation, serial: str = "", picture: PictureFacts | None = None) -> Screen:
    """Number what an observation shows; one that was read a moment ago costs nothing.

    Args:
        seen: What the phone gave.
        serial: Named in the error.
        picture: How a picture of the same moment came out, if one was taken.

    Raises:
        ScreenUnreadable: The phone gave no hierarchy.
    """
    tree = hierarchy.parse(seen.xml, serial)
    visible, front = seen.size.bounds, seen.app.package
    # keys are not listed: forty lines that de_type_text makes needless
    shown = windows.sort(tree, front, visible, seen.keyboard_package if seen.keyboard else "")
    keyboard = _keyboard(seen, tree)
    over = [Cover(bounds.clip(visible), package) for package, bounds in seen.over]
    over = [cover for cover in over if cover.bounds != keyboard]
    covers = (*covering(shown, visible, keyboard), *over)
    listed = elements.number(shown, visible, covers, front)
    numbered = tuple(element for window in listed for element in window)
    own = len(listed[0]) if shown and shown[0].role == "app" else 0
    known = Evidence.of(seen, tree, numbered[:own], numbered[own:], picture)
    return Screen(
        app=seen.app,
        size=seen.size,
        rotation=seen.rotation,
        state=state.judge(known),
        keyboard=keyboard,
        elements=numbered,
        hierarchy=tree,
        titles=tuple(
            (first[0].number, window.title)
            for window, first in zip(shown, listed, strict=True)
            if window.title and first
        ),
        covers=covers,
        source=seen.source,
    )


def _is_keyboard(window: Node, seen: Observation) -> bool:
    named = seen.keyboard and seen.keyboard_package
    return bool(named) and window.get("package") == seen.keyboard_package


def _keyboard(seen: Observation, tree: Hierarchy) -> Bounds | None:
    if not seen.keyboard:
        return None
    whole = seen.size.bounds
    for window in tree.windows:
        if _is_keyboard(window, seen):
            keys = [n.bounds.clip(whole) for n in window.walk() if n.children or n.get("text")]
            shown = [b for b in keys if b.area > 0 and b.top > whole.height // 4]
            if shown:
                top, bottom = min(b.top for b in shown), max(b.bottom for b in shown)
                return Bounds(0, top, whole.right, bottom)
    for package, frame in seen.over:  # Android's own dump does not hold it
        # one that begins at the top is mostly glass, and nobody knows where its keys are
        if package == seen.keyboard_package and frame.top > whole.height // 4:
            return frame.clip(whole)
    return Bounds(0, whole.bottom, whole.right, whole.bottom)
