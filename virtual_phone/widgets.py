"""Widgets that more than one app uses: the title bar, the search pill, list rows and dialogs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from virtual_phone import fonts, theme, ui
from virtual_phone.state import set_path
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import Act, Names, View

ROW_PX = 172
MARGIN_PX = 40


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list; ``on`` makes a switch, ``chosen`` a radio button, ``level`` a slider."""

    key: str
    title: str
    summary: str = ""
    icon: str = ""
    color: str = ""
    value: str = ""
    on: bool | None = None
    chosen: bool | None = None
    level: float | None = None
    tap: Act | None = None
    slide: object = None
    danger: bool = False


def header(view: View, title: str, back: Act | None, actions: list[Node] | None = None) -> Node:
    """Make the opaque bar on top; lists pass beneath it."""
    bottom = view.top + view.px(150)
    box = Rect(0, 0, view.width, bottom)
    left = view.px(MARGIN_PX + 12)
    children = []
    if back:
        button = view.rect(view.px(16), view.top + view.px(15), view.px(136), bottom - view.px(15))
        children.append(view.icon_button("back", button, ("返回", "Back"), back))
        left = view.px(148)
    place = view.rect(left, view.top, view.width - view.px(300 if actions else 40), bottom)
    size = 54 if back else 64
    children.append(view.label(title, place, size, bold=True, rid="android:id/title_bar"))
    children += actions or []
    return Node(ui.LINEAR, box, look=Look(fill=view.theme.page), children=children, z=1)


def search_field(view: View, top: int, path: str, names: Names) -> Node:
    """Make the search pill with its glass."""
    left, right = view.px(MARGIN_PX), view.width - view.px(MARGIN_PX)
    pill = Rect(left, top, right, top + view.px(116))
    glass = Rect(left + view.px(30), top, left + view.px(98), pill.bottom)
    look = Look(size=view.px(43), pad=view.px(4))
    field = Rect(glass.right + view.px(20), top, right - view.px(130), pill.bottom)
    children = [
        Node(
            ui.IMAGE,
            glass,
            look=Look(icon="search", icon_size=view.px(58), icon_color=view.theme.dim),
            painted_only=True,
        ),
        view.edit(path, field, names, look),
    ]
    if children[1].text:
        clear = Rect(right - view.px(120), top, right - view.px(10), pill.bottom)
        children.append(
            view.icon_button(
                "close", clear, ("清除", "Clear"), partial(set_path, view.state, path, "")
            )
        )
    look = Look(fill=view.theme.field, radius=view.px(58))
    return Node(ui.LINEAR, pill, look=look, children=children, z=1)


def card(view: View, top: int, rows: list[Row], prefix: str) -> tuple[Node, int]:
    """Stack rows on one white card.

    Returns:
        The card and the y below it.
    """
    left, right = view.px(MARGIN_PX), view.width - view.px(MARGIN_PX)
    nodes, y = [], top
    for number, spec in enumerate(rows):
        height = view.px(ROW_PX + (56 if spec.level is not None else 0))
        box = Rect(left, y, right, y + height)
        node = row(view, box, spec, prefix)
        if number:
            node.children.append(_divider(view, box, indent=150 if spec.icon else 44))
        nodes.append(node)
        y += height
    look = Look(fill=view.theme.card, radius=view.px(44))
    return Node(ui.LINEAR, Rect(left, top, right, y), look=look, children=nodes), y


def _divider(view: View, box: Rect, indent: int) -> Node:
    line = Rect(box.left + view.px(indent), box.top, box.right - view.px(40), box.top + 2)
    return Node(ui.VIEW, line, look=Look(fill=view.theme.line), painted_only=True)


def row(view: View, box: Rect, spec: Row, prefix: str) -> Node:
    """Make one row the way preference lists are built: the row taps, its label is a child."""
    children = []
    left = box.left + view.px(44)
    if spec.icon:
        badge = view.px(84)
        place = Rect(left, box.center[1] - badge // 2, left + badge, box.center[1] + badge // 2)
        children.append(_badge(view, place, spec))
        left = place.right + view.px(36)
    end, tail = _tail(view, box, spec)
    children += _words(view, Rect(left, box.top, end, box.bottom), spec)
    children += tail
    rid = f"{prefix}:id/{spec.key}" if spec.key else ""
    return Node(ui.LINEAR, box, rid=rid, children=children, on_tap=spec.tap)


def _badge(view: View, place: Rect, spec: Row) -> Node:
    look = Look(
        fill=spec.color,
        radius=place.width // 2 - 2,
        icon=spec.icon,
        icon_size=view.px(48),
        icon_color="#ffffff",
    )
    return Node(ui.IMAGE, place, rid="android:id/icon", look=look)


def _words(view: View, box: Rect, spec: Row) -> list[Node]:
    color = view.theme.danger if spec.danger else view.theme.text
    middle = box.center[1]
    if spec.level is not None:
        place = Rect(box.left, box.top + view.px(20), box.right, box.top + view.px(90))
        return [view.label(spec.title, place, 44, rid="android:id/title", color=color)]
    if not spec.summary:
        place = Rect(box.left, middle - view.px(40), box.right, middle + view.px(40))
        return [view.label(spec.title, place, 45, rid="android:id/title", color=color)]
    title = Rect(box.left, middle - view.px(64), box.right, middle + view.px(4))
    below = Rect(box.left, middle + view.px(4), box.right, middle + view.px(58))
    return [
        view.label(spec.title, title, 45, rid="android:id/title", color=color),
        view.label(spec.summary, below, 34, rid="android:id/summary", color=view.theme.dim),
    ]


def _tail(view: View, box: Rect, spec: Row) -> tuple[int, list[Node]]:
    right, middle = box.right - view.px(44), box.center[1]
    if spec.level is not None:
        return right, [_slider(view, box, spec)]
    if spec.on is not None:
        place = Rect(right - view.px(126), middle - view.px(36), right, middle + view.px(36))
        return place.left - view.px(24), [_switch(view, place, spec.on)]
    if spec.chosen is not None:
        place = Rect(right - view.px(64), middle - view.px(32), right, middle + view.px(32))
        return place.left - view.px(24), [_radio(view, place, spec.chosen)]
    nodes = []
    if spec.tap and not spec.danger:
        arrow = Rect(right - view.px(44), middle - view.px(22), right, middle + view.px(22))
        look = Look(icon="next", icon_size=view.px(44), icon_color=view.theme.faint)
        nodes.append(Node(ui.IMAGE, arrow, look=look, painted_only=True))
        right = arrow.left - view.px(12)
    if spec.value:
        wide = min(fonts.width(spec.value, view.px(38)) + 4, box.width // 2)
        place = Rect(right - wide, middle - view.px(36), right, middle + view.px(36))
        options = {"rid": "android:id/value", "color": view.theme.dim, "align": "right"}
        nodes.append(view.label(spec.value, place, 38, **options))
        right = place.left - view.px(20)
    return right, nodes


def _switch(view: View, place: Rect, on: bool) -> Node:
    look = Look(
        widget="switch",
        fill=view.theme.accent if on else view.theme.track,
        color="#ffffff" if on else view.theme.card,
        value=float(on),
    )
    return Node(ui.SWITCH, place, rid="android:id/switch_widget", look=look, checked=on)


def _radio(view: View, place: Rect, on: bool) -> Node:
    color = view.theme.accent if on else view.theme.faint
    look = Look(widget="radio", color=color, fill=view.theme.card, value=float(on))
    return Node(ui.RADIO, place, rid="android:id/checkbox", look=look, checked=on)


def _slider(view: View, box: Rect, spec: Row) -> Node:
    place = Rect(
        box.left + view.px(44), box.bottom - view.px(124), box.right - view.px(44), box.bottom
    ).inset(0, view.px(12))
    look = Look(
        widget="slider",
        color=view.theme.accent,
        border=view.theme.track,
        fill=view.theme.card,
        value=spec.level or 0.0,
    )
    node = Node(ui.SEEK_BAR, place, rid="android:id/seekbar", desc=spec.title, look=look)
    node.text = f"{round((spec.level or 0) * 100)}%"
    node.on_point = spec.slide if callable(spec.slide) else None
    return node


def caption(view: View, top: int, text: str) -> tuple[Node, int]:
    """Make the small heading above a card; returns it and the y below."""
    left = view.px(MARGIN_PX + 44)
    box = Rect(left, top, view.width - left, top + view.px(70))
    return view.label(text, box, 34, color=view.theme.dim, rid="android:id/title"), box.bottom


def paragraph(view: View, text: str, place: Rect, size: float, **options: object) -> Node:
    """Make wrapped text from the top of ``place``; its bounds end where the words do."""
    node = view.label(text, place, size, **options)
    lines = len(fonts.wrap(text, node.look.size, place.width))
    node.bounds = place._replace(bottom=place.top + lines * fonts.line_height(node.look.size))
    node.look = replace(node.look, multiline=True)
    return node


def avatar(view: View, place: Rect, name: str) -> Node:
    """Make the coloured disc with the first letter of a name."""
    look = Look(
        fill=theme.PALETTE[sum(map(ord, name)) % len(theme.PALETTE)],
        radius=place.width // 2,
        size=place.width * 2 // 5,
        color="#ffffff",
        align="center",
        bold=True,
    )
    return Node(ui.VIEW, place, text=name[:1].upper(), look=look, painted_only=True)


def floating_button(view: View, icon: str, names: Names, act: Act) -> Node:
    """Make the round button in the corner; the hint of ``names`` is its description."""
    size = view.px(168)
    right, bottom = view.width - view.px(64), view.bottom - view.px(70)
    look = Look(
        fill=view.theme.accent,
        radius=view.px(56),
        icon=icon,
        icon_size=view.px(76),
        icon_color=view.theme.on_accent,
    )
    box = Rect(right - size, bottom - size, right, bottom)
    return Node(ui.IMAGE_BUTTON, box, rid=names.rid, desc=names.hint, look=look, on_tap=act, z=2)


def empty_page(view: View, viewport: Rect, text: str, rid: str) -> Node:
    """Make the grey words in the middle of a list that has nothing in it."""
    middle = viewport.center[1]
    place = Rect(0, middle - view.px(40), view.width, middle + view.px(40)).clip(viewport)
    return view.label(text, place, 44, color=view.theme.faint, align="center", rid=rid)


def behind_dialog(nodes: list[Node]) -> None:
    """Take nodes out of the dumps: Android does not report a window under a modal one."""
    for node in nodes:
        node.painted_only = True


def dialog(view: View, title: str, message: str, buttons: list[tuple[str, str, Act]]) -> list[Node]:
    """Make a dialog over the darkened app; the last button is the one to press."""
    everything = Rect(0, 0, view.width, view.height)
    shade = Node(ui.VIEW, everything, look=Look(widget="dim"), z=8, painted_only=True)
    width, height = view.width - view.px(140), view.px(440)
    left, top = view.px(70), (view.top + view.bottom - height) // 2
    panel = Rect(left, top, left + width, top + height)
    inner = panel.inset(view.px(56), view.px(50))
    head = Rect(inner.left, inner.top, inner.right, inner.top + view.px(80))
    body = Rect(inner.left, head.bottom + view.px(16), inner.right, head.bottom + view.px(90))
    nodes = [
        view.label(title, head, 52, bold=True, rid="android:id/alertTitle"),
        view.label(message, body, 40, color=view.theme.dim, rid="android:id/message"),
    ]
    gaps = view.px(30) * (len(buttons) - 1)
    room = (inner.width - gaps) // len(buttons)
    for number, (rid, text, act) in enumerate(buttons):
        x = inner.left + number * (room + view.px(30))
        place = Rect(x, inner.bottom - view.px(112), x + room, inner.bottom)
        quiet = number < len(buttons) - 1
        nodes.append(view.button(text, place, f"android:id/{rid}", act, quiet=quiet))
    look = Look(fill=view.theme.card, radius=view.px(56))
    return [
        shade,
        Node(ui.LINEAR, panel, rid="android:id/parentPanel", look=look, children=nodes, z=9),
    ]
