"""Say what can be scrolled on a screen, and whether a swipe moved it."""

from collections.abc import Iterable

from core.devices.base import Bounds
from core.screen.elements import Element
from core.screen.screen import Screen

BACK = {"down": "up", "right": "left"}


def largest(screen: Screen) -> Bounds | None:
    """Give the largest area that scrolls."""
    lists = [each.bounds for each in screen.elements if "scrollable" in each.flags]
    return max(lists, key=lambda each: each.area, default=None)


def forward(area: Bounds) -> str:
    """Give the direction in which an area goes on."""
    return "right" if area.width > 2 * area.height else "down"


def shown(elements: Iterable[Element], area: Bounds) -> list[tuple[str, Bounds]]:
    """List what stands within an area, so that a clock beside it does not count as movement."""
    return [(e.gist, e.bounds) for e in elements if e.bounds.clip(area).area > 0]
