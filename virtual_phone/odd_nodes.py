"""Nodes as real apps have them and nobody expects: without area, off the screen, oddly written.

Laid into whatever app is in front by the fault ``odd_nodes``. What cannot be seen can be pressed
only by mistake; each such press is told in the log of touches by its label.
"""

from __future__ import annotations

from virtual_phone import ui
from virtual_phone.ui import Look, Node, Rect

#: With a no-break space, a zero-width space and an emoji, as a shop writes its prices.
WRITTEN = "红\u00a0包\u200b 🧧"
INVERTED, OFF_SCREEN, TWIN = "看不见的按钮", "屏幕外的按钮", "同名"
_LOOK = Look(size=36, pad=12)


def odd_nodes(width: int, height: int) -> list[Node]:
    """Make them for a screen of that size, in pixels."""
    left, top = width // 12, height // 2
    row = Rect(left, top, left + width // 3, top + 80)

    def button(label: str, place: Rect, rid: str) -> Node:
        return Node(ui.VIEW, place, text=label, rid=rid, look=_LOOK, on_tap=lambda: None)

    return [
        button(WRITTEN, row, "odd/written"),
        button(INVERTED, Rect(left, top + 120, left + 90, top + 116), "odd/inverted"),
        button(OFF_SCREEN, Rect(left, height + 60, left + 300, height + 140), "odd/off_screen"),
        button(TWIN, Rect(left, top + 160, left + 200, top + 240), "odd/twin"),
        button(TWIN, Rect(left + 260, top + 160, left + 460, top + 240), "odd/twin"),
    ]
