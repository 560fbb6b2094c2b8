"""Dialogs over an app: a permission question, a crash, an app that hangs, a low battery.

Each takes every touch until it is answered, and its buttons do what they promise to the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from virtual_phone import state as st
from virtual_phone import ui
from virtual_phone.state import SYSTEM_UI, State
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import Act, App, View, stop_app
from virtual_phone.widgets import paragraph

PERMISSIONS = "com.android.permissioncontroller"
ANDROID = "android"
LOW_BATTERY = 15

Overlay = dict[str, Any]

_ASKS = {
    "CAMERA": ("拍摄照片和录制视频", "take pictures and record video"),
    "LOCATION": ("获取此设备的位置信息", "access this device’s location"),
    "CONTACTS": ("访问您的通讯录", "access your contacts"),
    "NOTIFICATIONS": ("向您发送通知", "send you notifications"),
    "MICROPHONE": ("录制音频", "record audio"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of a dialog: its id, its words and what it does."""

    rid: str
    text: str
    act: Act


def remove(state: State, name: str) -> None:
    """Take an overlay away."""
    system = state["system"]
    system["overlays"] = [o for o in system["overlays"] if o["name"] != name]


def stop(state: State, apps: tuple[App, ...], package: str) -> App | None:
    """End an app and return it; None when there is no such app."""
    app = next((a for a in apps if a.package == package), None)
    if app:
        stop_app(state, app)
    return app


def _app_name(view: View, package: str) -> str:
    return next((a.label(view.zh) for a in view.apps if a.package == package), package)


def _panel(view: View, words: tuple[str, str], choices: list[Choice], icon: str = "") -> Node:
    """Make a dialog as high as its words need, its buttons below each other."""
    width = min(view.width, view.height) - view.px(120)
    left = (view.width - width) // 2
    inner = Rect(left + view.px(64), 0, left + width - view.px(64), view.height)
    nodes, y = _head(view, words, inner, icon)
    for choice in choices:
        box = Rect(inner.left, y, inner.right, y + view.px(124))
        nodes.append(view.button(choice.text, box, choice.rid, choice.act, quiet=True))
        y = box.bottom + view.px(16)
    height = y + view.px(40)
    shift = max(view.top, (view.height - height) // 2)
    box = Rect(left, 0, left + width, height)
    look = Look(fill=view.theme.card, radius=view.px(64))
    panel = Node(ui.LINEAR, box, rid="android:id/parentPanel", look=look, children=nodes)
    _move_down(panel, shift)
    return panel


def _head(view: View, words: tuple[str, str], inner: Rect, icon: str) -> tuple[list[Node], int]:
    title, message = words
    y, nodes = view.px(64), []
    if icon:
        badge = inner._replace(top=y, bottom=y + view.px(90))
        look = Look(icon=icon, icon_size=view.px(84), icon_color=view.theme.accent)
        nodes.append(Node(ui.IMAGE, badge, look=look, painted_only=True))
        y = badge.bottom + view.px(34)
    align = "center" if icon else "left"
    rid = "android:id/alertTitle"
    head = paragraph(view, title, inner._replace(top=y), 52, bold=True, align=align, rid=rid)
    nodes.append(head)
    y = head.bounds.bottom
    if message:
        place = inner._replace(top=y + view.px(20))
        options = {"color": view.theme.dim, "align": align, "rid": "android:id/message"}
        nodes.append(paragraph(view, message, place, 40, **options))
        y = nodes[-1].bounds.bottom
    return nodes, y + view.px(50)


def _move_down(node: Node, by: int) -> None:
    box = node.bounds
    node.bounds = box._replace(top=box.top + by, bottom=box.bottom + by)
    for child in node.children:
        _move_down(child, by)


def _modal(view: View, package: str, panel: Node, title: str) -> Window:
    everything = Rect(0, 0, view.width, view.height)
    shade = Node(ui.VIEW, everything, look=Look(widget="dim"), painted_only=True)
    root = Node(ui.FRAME, everything, children=[shade, panel])
    return Window(package, root, modal=True, title=title)


def permission(view: View, overlay: Overlay) -> Window:
    """Draw the question whether an app may do something."""
    state, package = view.state, overlay["package"]
    name = str(overlay.get("permission", "LOCATION"))
    zh, en = _ASKS.get(name, (f"使用 {name}", f"use {name}"))
    app = _app_name(view, package)

    def answer(value: str) -> None:
        state["system"]["permissions"].setdefault(package, {})[name] = value
        remove(state, "permission")

    words = view.tr(f"要允许“{app}”{zh}吗？", f"Allow {app} to {en}?")
    buttons = (
        ("allow_foreground_only", "仅在使用该应用时允许", "While using the app", "granted"),
        ("allow_one_time", "仅限这一次", "Only this time", "once"),
        ("deny", "不允许", "Don’t allow", "denied"),
    )
    choices = [
        Choice(f"{PERMISSIONS}:id/permission_{rid}_button", view.tr(zh, en), partial(answer, value))
        for rid, zh, en, value in buttons
    ]
    panel = _panel(view, (words, ""), choices, icon="lock")
    panel.rid = f"{PERMISSIONS}:id/grant_dialog"
    panel.children[1].rid = f"{PERMISSIONS}:id/permission_message"
    title = f"{PERMISSIONS}/{PERMISSIONS}.permission.ui.GrantPermissionsActivity"
    return _modal(view, PERMISSIONS, panel, title)


def crash(view: View, overlay: Overlay) -> Window:
    """Draw the complaint that an app stopped."""
    state, package = view.state, overlay["package"]
    app = _app_name(view, package)

    def restart() -> None:
        remove(state, "crash")
        if stop(state, view.apps, package):
            st.start_app(state, package)

    words = view.tr(f"“{app}”屡次停止运行", f"{app} keeps stopping")
    choices = [
        Choice("android:id/aerr_restart", view.tr("重新打开应用", "Open app again"), restart),
        Choice("android:id/aerr_close", view.tr("关闭应用", "Close app"), _close(view, overlay)),
    ]
    panel = _panel(view, (words, ""), choices)
    return _modal(view, ANDROID, panel, f"Application Error: {package}")


def anr(view: View, overlay: Overlay) -> Window:
    """Draw the complaint that an app hangs."""
    package = overlay["package"]
    app = _app_name(view, package)
    words = view.tr(f"“{app}”没有响应", f"{app} isn’t responding")
    wait = partial(remove, view.state, "anr")
    choices = [
        Choice("android:id/aerr_close", view.tr("关闭应用", "Close app"), _close(view, overlay)),
        Choice("android:id/aerr_wait", view.tr("等待", "Wait"), wait),
    ]
    panel = _panel(view, (words, ""), choices)
    return _modal(view, ANDROID, panel, f"Application Not Responding: {package}")


def _close(view: View, overlay: Overlay) -> Act:
    def act() -> None:
        remove(view.state, overlay["name"])
        stop(view.state, view.apps, overlay["package"])

    return act


def low_battery(view: View, overlay: Overlay) -> Window:
    """Draw the warning that the battery is low."""
    state = view.state

    def save() -> None:
        state["settings"]["battery_saver"] = True
        remove(state, overlay["name"])

    level = state["system"]["battery"]
    title = view.tr("电池电量不足", "Battery is low")
    message = view.tr(f"剩余电量 {level}%，请连接充电器", f"{level}% left, connect the charger")
    done = partial(remove, state, overlay["name"])
    choices = [
        Choice("android:id/button2", view.tr("开启省电模式", "Turn on Battery Saver"), save),
        Choice("android:id/button1", view.tr("知道了", "Got it"), done),
    ]
    panel = _panel(view, (title, message), choices, icon="battery")
    return _modal(view, SYSTEM_UI, panel, "LowBatteryDialog")


def drain(state: State) -> Overlay:
    """Empty the battery, so that the warning is true."""
    system = state["system"]
    system["battery"] = min(system["battery"], LOW_BATTERY)
    return {}
