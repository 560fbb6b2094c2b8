"""The home screen: one icon for each app, and the list of recent apps."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from virtual_phone import theme, ui
from virtual_phone.state import LAUNCHER, State, forget_app, start_app
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, View, scroll_list
from virtual_phone.widgets import empty_page

_ROW_PX = 310
_WEEKDAYS_ZH = "一二三四五六日"


def _screen(view: View) -> Node:
    if view.state["launcher"]["ui"]["recents"]:
        return _recents(view)
    icons = [app for app in view.apps if app.package != LAUNCHER]
    cells = [_icon(view, app, number) for number, app in enumerate(icons)]
    grid_box = Rect(0, _grid_top(view), view.width, view.bottom)
    grid = Node(ui.FRAME, grid_box, rid=f"{LAUNCHER}:id/workspace", children=cells)
    return _over_wallpaper(view, [*_clock(view), grid])


def _over_wallpaper(view: View, children: list[Node]) -> Node:
    dark = bool(view.state["settings"]["dark_mode"])
    box = Rect(0, 0, view.width, view.height)
    look = Look(widget="wallpaper", colors=theme.wallpaper(dark))
    back = Node(ui.VIEW, box, look=look, painted_only=True)
    content = Node(ui.FRAME, box, rid="android:id/content", children=[back, *children])
    return Node(ui.FRAME, box, children=[content])


def _clock(view: View) -> list[Node]:
    now = datetime.fromisoformat(view.state["system"]["time"])
    ink = "#ffffff" if view.state["settings"]["dark_mode"] else theme.HOME_INK
    zh = f"{now.month}月{now.day}日 星期{_WEEKDAYS_ZH[now.weekday()]}"
    day = view.tr(zh, now.strftime("%A, %B ") + str(now.day))
    top = view.top + (view.px(200) if view.height > view.width else 0)
    big = Rect(0, top, view.width, top + view.px(240))
    small = Rect(0, big.bottom, view.width, big.bottom + view.px(90))
    return [
        view.label(f"{now:%H:%M}", big, 190, color=ink, align="center", rid=f"{LAUNCHER}:id/clock"),
        view.label(day, small, 46, color=ink, align="center", rid=f"{LAUNCHER}:id/date"),
    ]


def _columns(view: View) -> int:
    return 4 if view.height > view.width else 8


def _grid_top(view: View) -> int:
    rows = -(-(len(view.apps) - 1) // _columns(view))
    return view.bottom - view.px(110 + rows * _ROW_PX)


def _icon(view: View, app: App, number: int) -> Node:
    columns = _columns(view)
    cell_width = (view.width - view.px(80)) // columns
    left = view.px(40) + (number % columns) * cell_width
    top = _grid_top(view) + view.px(40) + (number // columns) * view.px(_ROW_PX)
    size = view.px(164)
    x = left + (cell_width - size) // 2
    badge = Rect(x, top + view.px(20), x + size, top + view.px(20) + size)
    words = Rect(left, badge.bottom + view.px(14), left + cell_width, badge.bottom + view.px(80))
    ink = "#ffffff" if view.state["settings"]["dark_mode"] else theme.HOME_INK
    look = Look(
        fill=app.color,
        radius=view.px(50),
        icon=app.icon,
        icon_size=view.px(96),
        icon_color="#ffffff",
    )
    name = app.label(view.zh)
    label = view.label(name, words, 36, color=ink, align="center", rid=f"{LAUNCHER}:id/label")
    return Node(
        ui.LINEAR,
        Rect(left, top, left + cell_width, top + view.px(290)),
        rid=f"{LAUNCHER}:id/icon",
        desc=name,
        children=[Node(ui.IMAGE, badge, look=look, painted_only=True), label],
        on_tap=partial(start_app, view.state, app.package),
    )


def _recents(view: View) -> Node:
    by_package = {app.package: app for app in view.apps}
    running = [by_package[p] for p in reversed(view.state["system"]["recents"]) if p in by_package]
    viewport = Rect(0, view.top, view.width, view.bottom)
    if not running:
        text = view.tr("近期没有任何内容", "No recent items")
        return _over_wallpaper(view, [empty_page(view, viewport, text, f"{LAUNCHER}:id/empty")])
    build = partial(_cards, view, running)
    rid = f"{LAUNCHER}:id/overview"
    return _over_wallpaper(view, [scroll_list(view, viewport, "launcher.ui.scroll", build, rid)])


def _cards(view: View, running: list[App], top: int) -> tuple[list[Node], int]:
    pitch, start = view.px(300), top + view.px(60)
    cards = [_card(view, app, start + number * pitch) for number, app in enumerate(running)]
    return cards, start + len(cards) * pitch


def _card(view: View, app: App, top: int) -> Node:
    box = Rect(view.px(60), top, view.width - view.px(60), top + view.px(260))
    left, y = box.left + view.px(50), top + view.px(70)
    badge = Rect(left, y, left + view.px(120), y + view.px(120))
    words = Rect(badge.right + view.px(40), top, box.right - view.px(180), box.bottom)
    close = Rect(box.right - view.px(160), top + view.px(70), box.right - view.px(40), badge.bottom)
    look = Look(
        fill=app.color,
        radius=view.px(36),
        icon=app.icon,
        icon_size=view.px(72),
        icon_color="#ffffff",
    )
    end = partial(forget_app, view.state, app.package)
    children = [
        Node(ui.IMAGE, badge, look=look, painted_only=True),
        view.label(app.label(view.zh), words, 48, rid=f"{LAUNCHER}:id/task_name"),
        view.icon_button("close", close, ("关闭", "Close"), end),
    ]
    return Node(
        ui.FRAME,
        box,
        rid=f"{LAUNCHER}:id/task",
        look=Look(fill=view.theme.card, radius=view.px(48)),
        children=children,
        on_tap=partial(start_app, view.state, app.package),
    )


def _back(state: State) -> bool:
    state["launcher"]["ui"]["recents"] = False
    return True


APP = App(
    package=LAUNCHER,
    key="launcher",
    names=("主屏幕", "Home"),
    icon="apps",
    color=theme.INDIGO,
    fresh=lambda _: {},
    screen=_screen,
    back=_back,
    activity=lambda state: ".Recents" if state["launcher"]["ui"]["recents"] else ".Launcher",
    fresh_ui=lambda: {"recents": False, "scroll": 0},
    system=True,
)
