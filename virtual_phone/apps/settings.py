"""Settings: a main list that scrolls and can be searched, and the pages behind it."""

from __future__ import annotations

from functools import partial

from virtual_phone import theme
from virtual_phone.apps.settings_index import BY_KEY, PAGES, Page
from virtual_phone.apps.settings_pages import Group, app_details, open_page
from virtual_phone.state import State, leave_field
from virtual_phone.ui import Node, Rect
from virtual_phone.view import App, Names, View, clear_app, scroll_list
from virtual_phone.widgets import Row, behind_dialog, caption, card, dialog, header, search_field

PACKAGE = "com.android.settings"

_TOGGLES = (
    (("智能提醒", "Smart reminders"), True),
    (("手势截屏", "Gesture screenshot"), False),
    (("单手模式", "One-handed mode"), False),
    (("口袋模式", "Pocket mode"), True),
)
_OFF = (
    "airplane",
    "bluetooth",
    "dark_mode",
    "mute",
    "do_not_disturb",
    "battery_saver",
    "magnification",
    "color_inversion",
    "captions",
)
_ON = (
    "wifi",
    "mobile_data",
    "auto_brightness",
    "auto_rotate",
    "vibrate",
    "lock_notifications",
    "badges",
    "location",
    "auto_time",
)


def _fresh(system: State) -> State:
    zh = system["locale"].startswith("zh")
    return {
        **dict.fromkeys(_OFF, False),
        **dict.fromkeys(_ON, True),
        "brightness": 128,
        "font_size": "standard",
        "volume_media": 60,
        "volume_ring": 80,
        "volume_alarm": 70,
        "networks": [{"ssid": n} for n in ("Office-5G", "Office-Guest", "Cafe 1F")],
        "wifi_network": "Office-5G",
        "toggles": [{"label": names[0 if zh else 1], "on": on} for names, on in _TOGGLES],
        "storage_gb": 128,
        "storage_used_gb": 41,
        "about": {"model": "", "version": "", "serial": ""},
    }


def _fresh_ui() -> State:
    return {"stack": ["main"], "query": "", "scrolls": {"main": 0}, "ask": ""}


def _screen(view: View) -> Node:
    key = view.state["settings"]["ui"]["stack"][-1]
    if key == "main":
        return _main(view)
    if key.startswith("app:"):
        app = next(a for a in view.apps if a.key == key[4:])
        return _page(view, key, app.label(view.zh), app_details(view, app))
    page = BY_KEY[key]
    return _page(view, key, view.tr(*page.names), page.groups(view))


def _page(view: View, key: str, title: str, groups: list[Group]) -> Node:
    bar = header(view, title, partial(_back, view.state))
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_groups, view, groups)
    rows = scroll_list(view, viewport, f"settings.ui.scrolls.{key}", build, f"{PACKAGE}:id/list")
    children = [bar, rows]
    if view.state["settings"]["ui"]["ask"]:
        behind_dialog(children)
        children += _question(view)
    return view.root(children)


def _question(view: View) -> list[Node]:
    page = view.state["settings"]["ui"]
    app = next(a for a in view.apps if a.key == page["ask"])

    def clear() -> None:
        page["ask"] = ""
        clear_app(view.state, app)

    name = app.label(view.zh)
    return dialog(
        view,
        view.tr("清除所有数据？", "Clear all data?"),
        view.tr(f"“{name}”的数据将被永久删除", f"All data of {name} will be deleted for ever"),
        [
            ("button2", view.tr("取消", "Cancel"), partial(page.update, ask="")),
            ("button1", view.tr("清除", "Clear"), clear),
        ],
    )


def _groups(view: View, groups: list[Group], top: int) -> tuple[list[Node], int]:
    nodes, y = [], top + view.px(20)
    for group in groups:
        if group.heading:
            node, y = caption(view, y, group.heading)
            nodes.append(node)
        if group.rows:
            node, y = card(view, y, group.rows, PACKAGE)
            nodes.append(node)
        y += view.px(34)
    return nodes, y


def _main(view: View) -> Node:
    bar = header(view, view.tr("设置", "Settings"), None)
    names = Names(f"{PACKAGE}:id/search", view.tr("搜索设置", "Search settings"))
    pill = search_field(view, bar.bounds.bottom + view.px(6), "settings.ui.query", names)
    bar.bounds = Rect(0, 0, view.width, pill.bounds.bottom + view.px(24))
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    query = view.state["settings"]["ui"]["query"].strip().lower()
    groups = _results(view, query) if query else _entries(view)
    build = partial(_groups, view, groups)
    rows = scroll_list(view, viewport, "settings.ui.scrolls.main", build, f"{PACKAGE}:id/list")
    return view.root([bar, pill, rows])


def _entries(view: View) -> list[Group]:
    return [Group([_entry(view, page, page.about) for page in PAGES[a:b]]) for a, b in _BLOCKS]


_BLOCKS = ((0, 2), (2, 5), (5, 9), (9, 12), (12, 14))


def _entry(view: View, page: Page, about: tuple[str, str]) -> Row:
    return Row(
        page.key,
        view.tr(*page.names),
        view.tr(*about),
        icon=page.icon,
        color=page.color,
        tap=partial(_open, view.state, page.key),
    )


def _results(view: View, query: str) -> list[Group]:
    rows = []
    for page in PAGES:
        name = view.tr(*page.names)
        if query in name.lower():
            rows.append(_entry(view, page, page.about))
        titles = [r.title for group in page.groups(view) for r in group.rows]
        rows += [_hit(view, page, t) for t in titles if query in t.lower() and t != name]
    if rows:
        return [Group(rows)]
    return [Group([], view.tr("没有找到相关设置", "No settings found"))]


def _hit(view: View, page: Page, title: str) -> Row:
    return Row(
        "result",
        title,
        view.tr(*page.names),
        icon=page.icon,
        color=page.color,
        tap=partial(_open, view.state, page.key),
    )


def _open(state: State, key: str) -> None:
    leave_field(state)
    open_page(state, key)


def _back(state: State) -> bool:
    page = state["settings"]["ui"]
    if page["ask"]:
        page["ask"] = ""
    elif len(page["stack"]) > 1:
        page["stack"] = page["stack"][:-1]
    elif page["query"]:
        page["query"] = ""
    else:
        return False
    return True


def _activity(state: State) -> str:
    key = state["settings"]["ui"]["stack"][-1]
    return ".Settings" if key == "main" else ".SubSettings"


APP = App(
    package=PACKAGE,
    key="settings",
    names=("设置", "Settings"),
    icon="gear",
    color=theme.SLATE,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=_activity,
    fresh_ui=_fresh_ui,
)
