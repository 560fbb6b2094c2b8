"""Toasts: a few words over everything for a moment, in no tree and in nobody's way."""

from __future__ import annotations

from virtual_phone import fonts, ui
from virtual_phone.state import SYSTEM_UI, State
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import View

SHOWN_S = 2.0
_SIZE_PX, _PAD_PX, _LIFT_PX = 42, 56, 420
_FILL, _INK = "#323232", "#ffffff"


def show(state: State, text: str) -> None:
    """Show words; uiautomator2 is told the last ones also after they are gone."""
    state["system"].update(toast=text, toast_shown=text)


def toast_window(view: View) -> Window:
    """Draw the words that are shown now; the window is painted only and never reported."""
    text = str(view.state["system"]["toast_shown"])
    size, pad = view.px(_SIZE_PX), view.px(_PAD_PX)
    limit = view.width - 4 * pad
    wide = min(fonts.width(text, size), limit) + 2 * pad
    lines = len(fonts.wrap(text, size, limit))
    height = lines * fonts.line_height(size) + pad
    left, bottom = (view.width - wide) // 2, view.height - view.px(_LIFT_PX)
    box = Rect(left, bottom - height, left + wide, bottom)
    back = Node(ui.FRAME, box, look=Look(fill=_FILL, radius=view.px(60)))
    look = Look(size=size, color=_INK, align="center", multiline=lines > 1)
    back.children = [Node(ui.TEXT, box.inset(pad, pad // 2), text=text, look=look)]
    return Window(SYSTEM_UI, back)
