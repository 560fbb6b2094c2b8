"""Xiaoji's front page laid out anew: tiles in two columns, and the search at the bottom.

``xiaoji.redesigned`` shows it; the app and its version stay what they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from virtual_phone import ui
from virtual_phone.apps.xiaoji_posts import Post
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import Act, Names, View, scroll_list
from virtual_phone.widgets import MARGIN_PX, paragraph

_TILE_PX, _GAP_PX, _DOCK_PX = 420, 24, 150


@dataclass(frozen=True, slots=True)
class Front:
    """What the page shows, and what its parts do; ``prefix`` is that of the app's ids."""

    prefix: str
    posts: tuple[Post, ...]
    look_for: Act
    open: partial[None]
    more: Act


def front_page(view: View, front: Front) -> Node:
    """Draw the page."""
    dock = _dock(view, front)
    title = Rect(view.px(MARGIN_PX), view.top, view.width, view.top + view.px(110))
    brand = view.label(view.tr("小集", "Xiaoji"), title, 50, rid=f"{front.prefix}brand")
    viewport = Rect(0, title.bottom, view.width, dock.bounds.top)
    build = partial(_tiles, view, front)
    wall = scroll_list(view, viewport, "xiaoji.ui.scroll", build, f"{front.prefix}wall", front.more)
    return view.root([brand, wall, dock])


def _dock(view: View, front: Front) -> Node:
    box = Rect(0, view.bottom - view.px(_DOCK_PX), view.width, view.bottom)
    inner = Rect(view.px(40), box.top + view.px(20), view.width - view.px(280), box.bottom)
    inner = inner._replace(bottom=box.bottom - view.px(20))
    button = inner._replace(left=inner.right + view.px(20), right=view.width - view.px(40))
    hint = Names(f"{front.prefix}ask", view.tr("想看什么", "What are you looking for"))
    look = Look(size=view.px(43), pad=view.px(20), fill=view.theme.card)
    words = view.tr("搜索", "Search")
    children = [
        view.edit("xiaoji.ui.query", inner, hint, look),
        view.button(words, button, f"{front.prefix}ask_go", front.look_for),
    ]
    fill = Look(fill=view.theme.page)
    return Node(ui.LINEAR, box, rid=f"{front.prefix}dock", look=fill, children=children, z=1)


def _tiles(view: View, front: Front, top: int) -> tuple[list[Node], int]:
    gap, height = view.px(_GAP_PX), view.px(_TILE_PX)
    width = (view.width - 3 * gap) // 2
    nodes = []
    for at, post in enumerate(front.posts):
        left = gap + at % 2 * (width + gap)
        y = top + at // 2 * (height + gap)
        nodes.append(_tile(view, front, post, Rect(left, y, left + width, y + height)))
    return nodes, top + (len(front.posts) + 1) // 2 * (height + gap)


def _tile(view: View, front: Front, post: Post, box: Rect) -> Node:
    cover = box._replace(bottom=box.top + view.px(200))
    words = Rect(box.left + view.px(20), cover.bottom + view.px(16), box.right - view.px(20), 0)
    picture = Look(fill=post.color, icon=post.cover, icon_size=view.px(110), icon_color="#ffffff")
    return Node(
        ui.FRAME,
        box,
        rid=f"{front.prefix}tile",
        look=Look(fill=view.theme.card, radius=view.px(30)),
        on_tap=partial(front.open, post.id),
        children=[
            Node(ui.IMAGE, cover, rid=f"{front.prefix}tile_cover", look=picture),
            paragraph(view, post.title, words, 40, bold=True, rid=f"{front.prefix}tile_name"),
        ],
    )
