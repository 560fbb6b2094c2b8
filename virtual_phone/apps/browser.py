"""Browser: an address field, one site that is kept on the phone, and the page for all others.

This phone reaches no network, so every other address ends on the page that says so.
"""

from __future__ import annotations

from functools import partial

from virtual_phone import theme, ui
from virtual_phone.apps.browser_pages import HOST, web_page
from virtual_phone.state import State, leave_field, set_path
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, Names, View

PACKAGE = "com.example.browser"
_ID = f"{PACKAGE}:id/"


def open_url(state: State, url: str) -> None:
    """Go to an address; an address without a scheme gets https."""
    if url and "://" not in url:
        url = f"https://{url}"
    page = state["browser"]
    page["url"] = page["ui"]["field"] = url
    if url:
        page["history"] = [*page["history"], url]
    leave_field(state)


def _screen(view: View) -> Node:
    bar = _bar(view)
    place = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    return view.root([bar, *_content(view, place)])


def _content(view: View, place: Rect) -> list[Node]:
    url = str(view.state["browser"]["url"])
    if not url:
        return _start(view, place)
    host, _, path = url.partition("://")[2].partition("/")
    if host != HOST:
        return _page(view, place)
    go = partial(open_url, view.state)
    return [web_page(view, place, path, go, f"{_ID}webview")]


def _bar(view: View) -> Node:
    top = view.top + view.px(20)
    pill = Rect(view.px(40), top, view.width - view.px(210), top + view.px(112))
    go = Rect(pill.right + view.px(20), top, view.width - view.px(40), pill.bottom)
    names = Names(f"{_ID}url_bar", view.tr("搜索或输入网址", "Search or type a web address"))
    look = Look(size=view.px(40), pad=view.px(44), fill=view.theme.field, radius=view.px(56))
    field = view.edit("browser.ui.field", pill, names, look)
    act = partial(_go, view.state)
    button = view.button(view.tr("前往", "Go"), go, f"{_ID}go", act, quiet=True)
    box = Rect(0, 0, view.width, pill.bottom + view.px(24))
    return Node(ui.LINEAR, box, look=Look(fill=view.theme.page), children=[field, button], z=1)


def _go(state: State) -> None:
    open_url(state, state["browser"]["ui"]["field"].strip())


def _start(view: View, place: Rect) -> list[Node]:
    middle = place.top + place.height // 3
    globe = Rect(place.left, middle - view.px(130), place.right, middle + view.px(70))
    look = Look(icon="globe", icon_size=view.px(180), icon_color=view.theme.track)
    words = Rect(place.left, globe.bottom, place.right, globe.bottom + view.px(90))
    text = view.tr("从上方输入网址开始", "Type an address above to begin")
    side = (place.width - view.px(420)) // 2
    chip = Rect(side, words.bottom + view.px(30), place.width - side, words.bottom + view.px(140))
    name, act = view.tr("江城早报", "River Morning"), partial(open_url, view.state, HOST)
    return [
        Node(ui.IMAGE, globe, look=look, painted_only=True),
        view.label(text, words, 40, color=view.theme.faint, align="center", rid=f"{_ID}empty"),
        view.button(name, chip, f"{_ID}shortcut", act, quiet=True),
    ]


def _page(view: View, place: Rect) -> list[Node]:
    left, top = place.left + view.px(64), place.top + view.px(160)
    host = str(view.state["browser"]["url"]).split("://")[-1].split("/")[0]
    lines = (
        (view.tr("无法访问此网站", "This site can’t be reached"), 58, view.theme.text, "title"),
        (
            view.tr(f"找不到 {host} 的服务器 IP 地址", f"{host}’s server IP could not be found"),
            38,
            view.theme.dim,
            "message",
        ),
        ("ERR_NAME_NOT_RESOLVED", 32, view.theme.faint, "code"),
    )
    nodes = []
    for text, size, color, rid in lines:
        box = Rect(left, top, place.right - view.px(64), top + view.px(96))
        nodes.append(view.label(text, box, size, color=color, rid=_ID + rid, bold=rid == "title"))
        top = box.bottom
    reload = Rect(left, top + view.px(60), left + view.px(300), top + view.px(170))
    act = partial(open_url, view.state, view.state["browser"]["url"])
    nodes.append(view.button(view.tr("重新加载", "Reload"), reload, f"{_ID}reload", act))
    return nodes


def _back(state: State) -> bool:
    history = state["browser"]["history"]
    if len(history) < 2:
        return False
    set_path(state, "browser.history", history[:-2])
    open_url(state, history[-2])
    return True


APP = App(
    package=PACKAGE,
    key="browser",
    names=("浏览器", "Browser"),
    icon="globe",
    color=theme.SKY,
    fresh=lambda _: {"url": "", "history": []},
    screen=_screen,
    back=_back,
    activity=lambda _: ".MainActivity",
    fresh_ui=lambda: {"field": ""},
    on_enter=_go,
)
