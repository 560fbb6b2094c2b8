"""A site that is kept on the phone and drawn like a web page: a picture with places to touch.

Accessibility sees one ``WebView`` node and nothing in it, as with pages that publish no tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from virtual_phone import ui
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import View
from virtual_phone.widgets import paragraph

HOST = "news.example"
_WHITE = "#ffffff"
Go = Callable[[str], object]

_STORIES = (
    (
        ("城市夜跑路线发布，全程 6 公里", "A new night run opens, six kilometres long"),
        ("路线沿江而行，设有四处补水点，每晚八点亮灯。", "It follows the river, lit from eight."),
        "#3b7cf5",
    ),
    (
        ("老字号早餐店恢复营业", "An old breakfast shop is back"),
        ("豆浆还是原来的味道，队伍排到了街角。", "The soy milk is as it was, the queue is long."),
        "#f47b3c",
    ),
    (
        ("图书馆新增自习座位 120 个", "The library adds 120 seats"),
        ("座位可在线预约，每人每天最多四小时。", "They can be booked online, four hours a day."),
        "#2fa866",
    ),
)


def web_page(view: View, place: Rect, path: str, go: Go, rid: str) -> Node:
    """Draw the site's front page, or the story that ``path`` numbers."""
    number = int(path) if path.isdecimal() and int(path) < len(_STORIES) else None
    inside = _front(view, place, go) if number is None else _story(view, place, number, go)
    for node in inside:
        _hide(node)
    sheet = Look(fill=view.theme.card)
    node = Node(ui.WEB, place, rid=rid, look=sheet, children=inside)
    ui.clip_tree(node, place)
    return node


def _hide(node: Node) -> None:
    node.painted_only = True
    for child in node.children:
        _hide(child)


def _front(view: View, place: Rect, go: Go) -> list[Node]:
    left, right = place.left + view.px(56), place.right - view.px(56)
    bar = Rect(place.left, place.top, place.right, place.top + view.px(150))
    name = view.tr("江城早报", "River Morning")
    nodes = [
        Node(ui.VIEW, bar, look=Look(fill="#b3261e")),
        view.label(name, bar.inset(view.px(56), 0), 64, bold=True, color=_WHITE),
    ]
    y = bar.bottom + view.px(40)
    for number, (title, _, color) in enumerate(_STORIES):
        box = Rect(left, y, right, y + view.px(260))
        picture = Rect(right - view.px(300), y, right, box.bottom)
        words = Rect(left, y + view.px(20), picture.left - view.px(40), box.bottom)
        look = Look(
            fill=color, radius=view.px(24), icon="globe", icon_size=view.px(110), icon_color=_WHITE
        )
        act = partial(go, f"https://{HOST}/{number}")
        children = [
            paragraph(view, view.tr(*title), words, 50, bold=True),
            Node(ui.IMAGE, picture, look=look),
        ]
        nodes.append(Node(ui.VIEW, box, children=children, on_tap=act))
        y = box.bottom + view.px(50)
    return nodes


def _story(view: View, place: Rect, number: int, go: Go) -> list[Node]:
    title, text, color = _STORIES[number]
    left, right = place.left + view.px(56), place.right - view.px(56)
    back = Rect(left, place.top + view.px(30), left + view.px(420), place.top + view.px(120))
    upper = Rect(left, back.bottom + view.px(20), right, place.bottom)
    head = paragraph(view, view.tr(*title), upper, 66, bold=True)
    top = head.bounds.bottom + view.px(40)
    picture = Rect(left, top, right, top + view.px(460))
    below = Rect(left, picture.bottom + view.px(40), right, place.bottom)
    home = view.label(view.tr("‹ 返回首页", "‹ Front page"), back, 42, color=view.theme.accent)
    home.on_tap = partial(go, f"https://{HOST}/")
    look = Look(
        fill=color, radius=view.px(24), icon="globe", icon_size=view.px(160), icon_color=_WHITE
    )
    return [
        home,
        head,
        Node(ui.IMAGE, picture, look=look),
        paragraph(view, view.tr(*text), below, 46),
    ]
