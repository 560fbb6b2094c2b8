"""The windows that belong to the phone: status bar, navigation bar and on-screen keyboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from virtual_phone import ui
from virtual_phone.shade import PULL_PX, pull
from virtual_phone.state import LAUNCHER, SYSTEM_UI, delete_text, toggle, type_text
from virtual_phone.theme import HOME_INK
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import Act, View

KEYBOARD = "com.android.inputmethod.latin"
STATUS_PX, NAVIGATION_PX = 92, 124
KEYBOARD_SHARE = 0.40

_LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SYMBOLS = ("1234567890", "@#¥_&-+()/", "*\"':;!?")


def status_bar(view: View) -> Window:
    """Draw the clock, the radios and the battery over whatever the app paints there."""
    settings, system = view.state["settings"], view.state["system"]
    box = Rect(0, 0, view.width, view.px(STATUS_PX))
    home = system["foreground"] == LAUNCHER
    ink = view.theme.text if not home or settings["dark_mode"] else HOME_INK
    if system["locked"] or covered(view):
        ink = "#ffffff"
    clock = Rect(view.px(60), box.top, view.px(300), box.bottom)
    nodes = [
        view.label(
            str(system["time"])[11:16], clock, 38, color=ink, bold=True, rid=f"{SYSTEM_UI}:id/clock"
        )
    ]
    if system["notifications"]:
        place = Rect(view.px(175), box.top, view.px(235), box.bottom)
        bell = Look(icon="bell", icon_size=view.px(42), icon_color=ink)
        nodes.append(Node(ui.IMAGE, place, look=bell, painted_only=True))
    x = view.width - view.px(60)
    nodes.append(_battery(view, x, ink))
    x -= view.px(96)
    for name, words, rid in _radios(view):
        place = Rect(x - view.px(48), box.top, x, box.bottom)
        look = Look(icon=name, icon_size=view.px(52), icon_color=ink)
        nodes.append(Node(ui.IMAGE, place, rid=f"{SYSTEM_UI}:id/{rid}", desc=words, look=look))
        x -= view.px(60)
    rid = f"{SYSTEM_UI}:id/status_bar"
    drag = partial(_drag, view)
    return Window(SYSTEM_UI, Node(ui.FRAME, box, rid=rid, children=nodes, on_drag=drag))


def _drag(view: View, dx: float, dy: float) -> None:
    if not view.state["system"]["locked"] and dy > abs(dx):
        pull(view.state, dy, view.px(PULL_PX))


def covered(view: View) -> bool:
    """Tell whether the app is darkened, so that the bars must be light."""
    system = view.state["system"]
    return bool(system["shade"]) or any(o["name"] != "update" for o in system["overlays"])


def _radios(view: View) -> list[tuple[str, str, str]]:
    settings = view.state["settings"]
    found = []
    if settings["airplane"]:
        found.append(("airplane", view.tr("飞行模式", "Airplane mode"), "airplane"))
    else:
        found.append(("signal", view.tr("信号满格", "Signal full"), "mobile_signal"))
    if settings["wifi"]:
        found.append(("wifi", view.tr("WLAN 信号满格", "Wi-Fi signal full"), "wifi_signal"))
    if settings["bluetooth"]:
        found.append(("bluetooth", view.tr("蓝牙开启", "Bluetooth on"), "bluetooth"))
    return found


def _battery(view: View, right: int, ink: str) -> Node:
    level = view.state["system"]["battery"]
    middle = view.px(STATUS_PX) // 2
    box = Rect(right - view.px(68), middle - view.px(18), right, middle + view.px(18))
    look = Look(widget="battery", color=ink, value=level / 100)
    words = view.tr(f"电量 {level}%", f"Battery {level} percent")
    return Node(ui.VIEW, box, rid=f"{SYSTEM_UI}:id/battery", desc=words, look=look)


def navigation_bar(view: View, act: Callable[[str], Act]) -> Window:
    """Draw back, home and recents; ``act`` gives each its handler."""
    box = Rect(0, view.height - view.px(NAVIGATION_PX), view.width, view.height)
    system = view.state["system"]
    home = system["foreground"] == LAUNCHER
    fill = view.theme.keyboard if system["keyboard"] else ""
    ink = "#ffffff" if covered(view) else view.theme.dim
    if home and not covered(view):
        ink = "#ffffff" if view.state["settings"]["dark_mode"] else HOME_INK
    back = "down" if system["keyboard"] else "nav_back"
    buttons = (
        (back, ("返回", "Back"), "back"),
        ("nav_home", ("主屏幕", "Home"), "home"),
        ("nav_recents", ("概览", "Overview"), "recent_apps"),
    )
    nodes = []
    third = view.width // 3
    for number, (icon, names, rid) in enumerate(buttons):
        place = Rect(number * third, box.top, (number + 1) * third, box.bottom)
        button = view.icon_button(icon, place.inset(view.px(80), 0), names, act(rid))
        button.rid = f"{SYSTEM_UI}:id/{rid}"
        button.look = Look(icon=icon, icon_size=view.px(56), icon_color=ink)
        nodes.append(button)
    look = Look(fill=fill)
    root = Node(ui.FRAME, box, rid=f"{SYSTEM_UI}:id/nav_bar", look=look, children=nodes)
    return Window(SYSTEM_UI, root)


def keyboard_top(view: View) -> int:
    """Return the y from which the keyboard covers the screen."""
    return round(view.height * (1 - KEYBOARD_SHARE))


def keyboard(view: View, enter: Act) -> Window:
    """Draw the keys; tapping one types it into the focused field."""
    system = view.state["system"]
    bottom = view.height - view.px(NAVIGATION_PX)
    box = Rect(0, keyboard_top(view), view.width, bottom)
    pad = view.px(14)
    height = (box.height - 2 * pad) // 4
    rows = _SYMBOLS if system["symbols"] else _LETTERS
    nodes = []
    for number, letters in enumerate(rows):
        y = box.top + pad + number * height
        nodes += _letters(view, letters, Rect(0, y, view.width, y + height), third=number == 2)
    y = box.top + pad + 3 * height
    nodes += _bottom_row(view, Rect(0, y, view.width, y + height), enter)
    look = Look(fill=view.theme.keyboard)
    root = Node(ui.FRAME, box, rid=f"{KEYBOARD}:id/keyboard_view", look=look, children=nodes)
    return Window(KEYBOARD, root)


def _letters(view: View, letters: str, line: Rect, *, third: bool) -> list[Node]:
    state = view.state
    unit = (view.width - view.px(16)) / 10
    left = (view.width - unit * len(letters)) / 2
    nodes = []
    for number, letter in enumerate(letters):
        text = letter.upper() if state["system"]["shift"] else letter
        place = view.rect(left + number * unit, line.top, left + (number + 1) * unit, line.bottom)
        nodes.append(_key(view, place, text, partial(type_text, state, text)))
    if third:
        edge = view.px(8)
        low = view.rect(edge, line.top, left - edge, line.bottom)
        high = view.rect(view.width - left + edge, line.top, view.width - edge, line.bottom)
        shift = partial(toggle, state, "system.shift")
        nodes.insert(0, _special(view, low, "shift", view.tr("大写", "Shift"), shift))
        erase = partial(delete_text, state)
        nodes.append(_special(view, high, "delete_key", view.tr("退格", "Backspace"), erase))
    return nodes


def _bottom_row(view: View, line: Rect, enter: Act) -> list[Node]:
    state = view.state
    symbols = state["system"]["symbols"]
    edge, wide = view.px(8), view.px(160)
    right = view.width - edge
    switch = partial(toggle, state, "system.symbols")
    space = Rect(edge + 2 * wide, line.top, right - 2 * wide, line.bottom)
    corner = Rect(right - wide, line.top, right, line.bottom)
    keys = (
        (Rect(edge, line.top, edge + wide, line.bottom), "ABC" if symbols else "?123", switch),
        (Rect(edge + wide, line.top, space.left, line.bottom), ",", partial(type_text, state, ",")),
        (space, view.tr("空格", "Space"), partial(type_text, state, " ")),
        (
            Rect(space.right, line.top, corner.left, line.bottom),
            ".",
            partial(type_text, state, "."),
        ),
    )
    nodes = [_key(view, place, text, act) for place, text, act in keys]
    return [*nodes, _special(view, corner, "enter", view.tr("回车", "Enter"), enter)]


def _key(view: View, place: Rect, text: str, act: Act) -> Node:
    cap = _cap(view, place, view.theme.key)
    size = 34 if len(text) > 1 else 50
    cap.look = Look(
        fill=cap.look.fill,
        radius=cap.look.radius,
        size=view.px(size),
        color=view.theme.text,
        align="center",
    )
    cap.text = text
    return Node(ui.BUTTON, place, desc=text, children=[cap], on_tap=act)


def _special(view: View, place: Rect, icon: str, words: str, act: Act) -> Node:
    cap = _cap(view, place, view.theme.key_dark)
    glyph = Look(icon=icon, icon_size=view.px(56), icon_color=view.theme.text)
    picture = Node(ui.IMAGE, cap.bounds, look=glyph, painted_only=True)
    return Node(ui.IMAGE_BUTTON, place, desc=words, children=[cap, picture], on_tap=act)


def _cap(view: View, place: Rect, fill: str) -> Node:
    box = place.inset(view.px(7), view.px(9))
    return Node(ui.VIEW, box, look=Look(fill=fill, radius=view.px(18)), painted_only=True)
