"""The shade: quick switches and notifications, pulled down over whatever is on the screen.

``system.shade`` is empty, ``notifications`` or ``quick``. A notification is JSON: whose it is, its
words, and under ``open`` the values of the state that tapping it writes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from virtual_phone import theme, ui
from virtual_phone.state import SYSTEM_UI, State, set_path, start_app, toggle
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import View
from virtual_phone.widgets import paragraph

NOTIFICATIONS, QUICK = "notifications", "quick"
PULL_PX = 120
_SHOWN = 5

_TILES = (
    ("wifi", "wifi", ("Wi-Fi", "Wi-Fi")),
    ("bluetooth", "bluetooth", ("蓝牙", "Bluetooth")),
    ("airplane", "airplane", ("飞行模式", "Airplane")),
    ("mute", "sound", ("静音", "Mute")),
    ("dark_mode", "sun", ("深色模式", "Dark theme")),
    ("mobile_data", "data", ("移动数据", "Mobile data")),
    ("battery_saver", "battery", ("省电模式", "Battery Saver")),
    ("location", "location", ("位置信息", "Location")),
)


def pull(state: State, dy: float, least: float) -> None:
    """Answer a drag on the status bar or the shade: down opens it, further down the switches."""
    system = state["system"]
    if dy > least:
        system["shade"] = QUICK if system["shade"] else NOTIFICATIONS
    elif dy < -least:
        close(state)


def close(state: State) -> None:
    """Push it up again."""
    state["system"]["shade"] = ""


def open_notification(view: View, note: dict[str, Any]) -> None:
    """Do what tapping a notification does: its app comes up where it points; it is gone."""
    state = view.state
    close(state)
    dismiss(state, note["id"])
    if any(app.package == note["package"] for app in view.apps):
        start_app(state, note["package"])
        for path, value in note.get("open", {}).items():
            set_path(state, path, value)


def dismiss(state: State, note_id: int) -> None:
    """Take a notification away."""
    system = state["system"]
    system["notifications"] = [n for n in system["notifications"] if n["id"] != note_id]


def shade_window(view: View) -> Window:
    """Draw it over the darkened screen."""
    state = view.state
    box = Rect(0, 0, view.width, view.height)
    dim = Node(ui.VIEW, box, look=Look(widget="dim"), painted_only=True)
    quick = state["system"]["shade"] == QUICK
    nodes, y = _tiles(view, view.top + view.px(30), rows=2 if quick else 1)
    clock = Rect(view.px(60), 0, view.width - view.px(60), view.top)
    time = str(state["system"]["time"])[11:16]
    nodes.insert(0, view.label(time, clock, 38, bold=True, rid=f"{SYSTEM_UI}:id/clock"))
    panel = Rect(0, 0, view.width, y)
    look = Look(fill=view.theme.page, radius=view.px(56))
    rid = f"{SYSTEM_UI}:id/quick_settings_panel"
    children = [dim, Node(ui.LINEAR, panel, rid=rid, look=look, children=nodes)]
    if not quick:
        children += _notifications(view, y + view.px(30))

    def drag(dx: float, dy: float) -> None:
        del dx
        pull(state, dy, view.px(PULL_PX))

    rid = f"{SYSTEM_UI}:id/notification_panel"
    root = Node(ui.FRAME, box, rid=rid, children=children, on_drag=drag)
    root.on_tap = partial(close, state)
    return Window(SYSTEM_UI, root, modal=True, title="NotificationShade")


def _tiles(view: View, top: int, *, rows: int) -> tuple[list[Node], int]:
    nodes: list[Node] = []
    columns = 4 if view.height > view.width else 8
    gap, edge = view.px(24), view.px(40)
    width = (view.width - 2 * edge - (columns - 1) * gap) // columns
    height = view.px(190)
    for number, tile in enumerate(_TILES[: max(4 * rows, columns)]):
        left = edge + number % columns * (width + gap)
        y = top + number // columns * (height + gap)
        nodes.append(_tile(view, Rect(left, y, left + width, y + height), tile))
    return nodes, nodes[-1].bounds.bottom + view.px(40)


def _tile(view: View, box: Rect, tile: tuple[str, str, tuple[str, str]]) -> Node:
    key, icon, names = tile
    on = bool(view.state["settings"][key])
    ink = view.theme.on_accent if on else view.theme.text
    fill = view.theme.accent if on else view.theme.field
    half = box.top + view.px(120)
    glyph = Look(icon=icon, icon_size=view.px(64), icon_color=ink)
    words = Rect(box.left + 4, half - view.px(10), box.right - 4, box.bottom - view.px(16))
    return Node(
        ui.SWITCH,
        box,
        desc=view.tr(*names),
        rid=f"{SYSTEM_UI}:id/tile_{key}",
        look=Look(fill=fill, radius=view.px(44)),
        checked=on,
        on_tap=partial(toggle, view.state, f"settings.{key}"),
        children=[
            Node(ui.IMAGE, box._replace(bottom=half), look=glyph, painted_only=True),
            view.label(
                view.tr(*names),
                words,
                30,
                color=ink,
                align="center",
                rid=f"{SYSTEM_UI}:id/tile_label",
            ),
        ],
    )


def _notifications(view: View, top: int) -> list[Node]:
    notes = view.state["system"]["notifications"]
    if not notes:
        place = Rect(0, top, view.width, top + view.px(160))
        rid = f"{SYSTEM_UI}:id/no_notifications"
        words = view.tr("没有通知", "No notifications")
        return [view.label(words, place, 42, color="#ffffff", align="center", rid=rid)]
    nodes = []
    for note in notes[:_SHOWN]:
        card = _card(view, note, top)
        if card.bounds.bottom > view.height - view.px(260):
            break
        nodes.append(card)
        top = card.bounds.bottom + view.px(20)
    width = view.px(320)
    box = Rect(view.width - width - view.px(40), top, view.width - view.px(40), top + view.px(104))
    clear = partial(set_path, view.state, "system.notifications", [])
    rid = f"{SYSTEM_UI}:id/dismiss_text"
    nodes.append(view.button(view.tr("全部清除", "Clear all"), box, rid, clear, quiet=True))
    return nodes


def _card(view: View, note: dict[str, Any], top: int) -> Node:
    app = next((a for a in view.apps if a.package == note["package"]), None)
    left, right = view.px(40), view.width - view.px(40)
    badge = Rect(left + view.px(36), top + view.px(40), left + view.px(120), top + view.px(124))
    inner = Rect(badge.right + view.px(32), top + view.px(26), right - view.px(40), top)
    head = inner._replace(bottom=inner.top + view.px(48))
    title = inner._replace(top=head.bottom, bottom=head.bottom + view.px(62))
    look = Look(
        fill=app.color if app else theme.SLATE,
        radius=view.px(40),
        icon=app.icon if app else "bell",
        icon_size=view.px(48),
        icon_color="#ffffff",
    )
    name = app.label(view.zh) if app else note["package"]
    body = paragraph(
        view,
        note["text"],
        inner._replace(top=title.bottom),
        37,
        color=view.theme.dim,
        rid="android:id/text",
    )
    box = Rect(left, top, right, body.bounds.bottom + view.px(32))
    return Node(
        ui.FRAME,
        box,
        rid=f"{SYSTEM_UI}:id/expandableNotificationRow",
        look=Look(fill=view.theme.card, radius=view.px(48)),
        on_tap=partial(open_notification, view, note),
        children=[
            Node(ui.IMAGE, badge, look=look, rid="android:id/icon"),
            view.label(name, head, 30, color=view.theme.faint, rid="android:id/app_name_text"),
            view.label(note["title"], title, 42, bold=True, rid="android:id/title"),
            body,
        ],
    )
