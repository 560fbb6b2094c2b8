"""Make one observation a screen: numbered elements, compact text and a state.

The numbers are valid for this screen only.
"""

from dataclasses import dataclass
from functools import cached_property

import xxhash

from core.devices.base import AppInfo, Bounds, Observation, Size
from core.screen import elements, hierarchy, state
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy, Node

SYSTEM_UI = "com.android.systemui"


@dataclass(frozen=True)
class Screen:
    """What a phone shows now, as a model reads it."""

    app: AppInfo
    size: Size
    rotation: int
    state: state.ScreenState
    keyboard: Bounds | None
    elements: tuple[Element, ...]
    hierarchy: Hierarchy

    @property
    def heading(self) -> str:
        """Give the first line of the compact text."""
        parts = [
            f"{self.app.package}/{self.app.activity}",
            f"{self.size.width}x{self.size.height}",
            f"rotation {self.rotation}",
            self.state,
        ]
        return elements.JOINT.join(parts + ["keyboard"] * (self.keyboard is not None))

    @property
    def text(self) -> str:
        """Give the compact text: the heading, then a line an element."""
        return "\n".join([self.heading, *(element.line() for element in self.elements)])

    @cached_property
    def fingerprint(self) -> int:
        """Tell two screens apart by what a person would see; a ticking clock does not count."""
        shown = (e.line() for e in self.elements if e.package != SYSTEM_UI)
        return xxhash.xxh3_64_intdigest("\n".join([self.heading, *shown]).encode())

    def element(self, number: int) -> Element | None:
        """Give the element with a number."""
        return self.elements[number - 1] if 0 < number <= len(self.elements) else None

    def focused_field(self) -> Node | None:
        """Find the field that typing would go to."""
        fields = (n for n in self.hierarchy.walk() if n.is_on("focused") and elements.is_field(n))
        return next(fields, None)


def read(seen: Observation, serial: str = "") -> Screen:
    """Number what an observation shows.

    Raises:
        ScreenUnreadable: The phone gave no hierarchy.
    """
    tree = hierarchy.parse(seen.xml, serial)
    whole = seen.size.bounds
    keyboard = _keyboard(seen, tree)
    # keys are not listed: forty lines that de_type_text makes needless
    windows = [w for w in tree.windows if not _is_keyboard(w, seen)]
    windows.sort(key=lambda window: window.get("package") == SYSTEM_UI)
    listed = elements.number(tuple(windows), whole, keyboard)
    return Screen(
        app=seen.app,
        size=seen.size,
        rotation=seen.rotation,
        state=state.judge(seen, tree, listed),
        keyboard=keyboard,
        elements=tuple(listed),
        hierarchy=tree,
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
    return Bounds(0, whole.bottom, whole.right, whole.bottom)
