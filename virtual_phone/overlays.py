"""What lays itself over an app: questions, complaints and advertisements, each a window of its own.

``system.overlays`` keeps them as plain JSON, the topmost last; a button changes that list and
whatever else it promises. Seconds are counted down by the state's ``tick``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from virtual_phone import state as st
from virtual_phone import ui
from virtual_phone.apps import browser
from virtual_phone.state import SYSTEM_UI, State
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import Act, App, View, stop_app
from virtual_phone.widgets import paragraph

PERMISSIONS = "com.android.permissioncontroller"
UPDATER = "com.android.updater"
ANDROID = "android"
AD_SECONDS = 3
LOW_BATTERY = 15
_OFFER = ("新品拿铁 第二杯半价", "New latte, second at half price")
AD_URL = "https://ads.example/coffee"

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


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of overlay: what it is, how it starts, how it is drawn, what BACK does."""

    about: str
    draw: Callable[[View, Overlay], Window]
    fresh: Callable[[State], Overlay] = lambda _: {}
    back: Callable[[State, Overlay], object] | None = None


# -- the stack ------------------------------------------------------------------------------------


def show(state: State, apps: tuple[App, ...], name: str, **values: Any) -> None:
    """Lay one over the app on the screen; it is not shown twice.

    Raises:
        KeyError: there is no such overlay.
    """
    kind = _kind(name)
    package = values.get("package") or state["system"]["foreground"]
    hide(state, name)
    overlay = {"name": name, "package": package, **kind.fresh(state), **values}
    if name == "crash":
        _stop(state, apps, package)
    state["system"]["overlays"] = [*state["system"]["overlays"], overlay]


def hide(state: State, name: str) -> None:
    """Take one away; KeyError when there is no such overlay."""
    _kind(name)
    system = state["system"]
    system["overlays"] = [o for o in system["overlays"] if o["name"] != name]


def names(state: State) -> list[str]:
    """Return those that are shown, the topmost last."""
    return [str(overlay["name"]) for overlay in state["system"]["overlays"]]


def windows(view: View) -> list[Window]:
    """Draw those that are shown, the topmost last."""
    return [_kind(o["name"]).draw(view, o) for o in view.state["system"]["overlays"]]


def back(state: State) -> bool:
    """Let the topmost one take BACK; False when there is none that does."""
    shown = state["system"]["overlays"]
    if not shown or not (act := _kind(shown[-1]["name"]).back):
        return False
    act(state, shown[-1])
    return True


def _kind(name: str) -> Kind:
    if name not in OVERLAYS:
        raise KeyError(f"unknown overlay {name}; known: {', '.join(OVERLAYS)}")
    return OVERLAYS[name]


def _stop(state: State, apps: tuple[App, ...], package: str) -> App | None:
    app = next((a for a in apps if a.package == package), None)
    if app:
        stop_app(state, app)
    return app


def _app_name(view: View, package: str) -> str:
    return next((a.label(view.zh) for a in view.apps if a.package == package), package)


# -- dialogs --------------------------------------------------------------------------------------


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


def _permission(view: View, overlay: Overlay) -> Window:
    state, package = view.state, overlay["package"]
    name = str(overlay.get("permission", "LOCATION"))
    zh, en = _ASKS.get(name, (f"使用 {name}", f"use {name}"))
    app = _app_name(view, package)

    def answer(value: str) -> None:
        state["system"]["permissions"].setdefault(package, {})[name] = value
        hide(state, "permission")

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


def _crash(view: View, overlay: Overlay) -> Window:
    state, package = view.state, overlay["package"]
    app = _app_name(view, package)

    def restart() -> None:
        hide(state, "crash")
        if _stop(state, view.apps, package):
            st.start_app(state, package)

    words = view.tr(f"“{app}”屡次停止运行", f"{app} keeps stopping")
    choices = [
        Choice("android:id/aerr_restart", view.tr("重新打开应用", "Open app again"), restart),
        Choice("android:id/aerr_close", view.tr("关闭应用", "Close app"), _close(view, overlay)),
    ]
    panel = _panel(view, (words, ""), choices)
    return _modal(view, ANDROID, panel, f"Application Error: {package}")


def _anr(view: View, overlay: Overlay) -> Window:
    package = overlay["package"]
    app = _app_name(view, package)
    words = view.tr(f"“{app}”没有响应", f"{app} isn’t responding")
    wait = partial(hide, view.state, "anr")
    choices = [
        Choice("android:id/aerr_close", view.tr("关闭应用", "Close app"), _close(view, overlay)),
        Choice("android:id/aerr_wait", view.tr("等待", "Wait"), wait),
    ]
    panel = _panel(view, (words, ""), choices)
    return _modal(view, ANDROID, panel, f"Application Not Responding: {package}")


def _close(view: View, overlay: Overlay) -> Act:
    def act() -> None:
        hide(view.state, overlay["name"])
        _stop(view.state, view.apps, overlay["package"])

    return act


def _low_battery(view: View, overlay: Overlay) -> Window:
    state = view.state

    def save() -> None:
        state["settings"]["battery_saver"] = True
        hide(state, overlay["name"])

    level = state["system"]["battery"]
    title = view.tr("电池电量不足", "Battery is low")
    message = view.tr(f"剩余电量 {level}%，请连接充电器", f"{level}% left, connect the charger")
    done = partial(hide, state, overlay["name"])
    choices = [
        Choice("android:id/button2", view.tr("开启省电模式", "Turn on Battery Saver"), save),
        Choice("android:id/button1", view.tr("知道了", "Got it"), done),
    ]
    panel = _panel(view, (title, message), choices, icon="battery")
    return _modal(view, SYSTEM_UI, panel, "LowBatteryDialog")


def _drain(state: State) -> Overlay:
    system = state["system"]
    system["battery"] = min(system["battery"], LOW_BATTERY)
    return {}


# -- the nag, which leaves the app usable ---------------------------------------------------------


def _update(view: View, overlay: Overlay) -> Window:
    state = view.state

    def answer(value: str) -> None:
        state["system"]["update"] = value
        hide(state, overlay["name"])

    width = min(view.width, view.height) - view.px(80)
    left, bottom = (view.width - width) // 2, view.bottom - view.px(40)
    box = Rect(left, bottom - view.px(400), left + width, bottom)
    inner = box.inset(view.px(50), view.px(44))
    title = view.tr("系统更新已就绪", "System update ready")
    message = view.tr(
        "新版本修复了安全问题，更新时手机会重启", "Security fixes. The phone will restart."
    )
    head = inner._replace(bottom=inner.top + view.px(80))
    body = inner._replace(top=head.bottom, bottom=head.bottom + view.px(80))
    row = inner._replace(top=inner.bottom - view.px(116))
    middle = row.center[0]
    later = row._replace(right=middle - view.px(14))
    now = row._replace(left=middle + view.px(14))
    nodes = [
        view.label(title, head, 50, bold=True, rid=f"{UPDATER}:id/title"),
        view.label(message, body, 38, color=view.theme.dim, rid=f"{UPDATER}:id/message"),
        view.button(
            view.tr("稍后提醒", "Later"),
            later,
            f"{UPDATER}:id/later",
            partial(answer, "later"),
            quiet=True,
        ),
        view.button(
            view.tr("立即更新", "Update now"),
            now,
            f"{UPDATER}:id/update_now",
            partial(answer, "accepted"),
        ),
    ]
    look = Look(fill=view.theme.card, radius=view.px(56), border=view.theme.track)
    rid = f"{UPDATER}:id/update_card"
    return Window(UPDATER, Node(ui.LINEAR, box, rid=rid, look=look, children=nodes))


# -- the advertisement ----------------------------------------------------------------------------


def _ad(view: View, overlay: Overlay) -> Window:
    state, package = view.state, overlay["package"]
    box = Rect(0, 0, view.width, view.height)
    skip = partial(hide, state, overlay["name"])

    def follow() -> None:
        hide(state, overlay["name"])
        browser.open_url(state, AD_URL)
        st.start_app(state, browser.PACKAGE)

    look = Look(widget="wallpaper", colors=("#3a1c5c", "#7a2e6e", "#f08a5d", "#ffd08a"))
    middle = view.height * 2 // 5
    cup = Rect(0, middle - view.px(260), view.width, middle)
    words = Rect(0, middle + view.px(40), view.width, middle + view.px(160))
    below = Rect(0, words.bottom, view.width, words.bottom + view.px(90))
    pill = view.rect(
        view.width * 0.2, view.bottom - view.px(420), view.width * 0.8, view.bottom - view.px(280)
    )
    picture = Look(icon="cup", icon_size=view.px(240), icon_color="#ffffff")
    label = partial(view.label, color="#ffffff", align="center")
    call = view.button(
        view.tr("点击跳转详情页", "See the offer"), pill, f"{package}:id/ad_open", follow
    )
    mark = Rect(view.px(50), view.top + view.px(30), view.px(170), view.top + view.px(90))
    nodes = [
        Node(ui.IMAGE, cup, look=picture, painted_only=True),
        label(
            view.tr("新品拿铁 第二杯半价", "New latte, second at half price"), words, 72, bold=True
        ),
        label(view.tr("活动仅限今日", "Today only"), below, 42),
        call,
        label(view.tr("广告", "Ad"), mark, 34),
        _skip_button(view, overlay, skip),
    ]
    root = Node(ui.FRAME, box, rid=f"{package}:id/splash_ad", look=look, children=nodes)
    root.on_tap = follow
    return Window(package, root, modal=True)


def _skip_button(view: View, overlay: Overlay, skip: Act) -> Node:
    seconds = int(overlay.get("seconds", 0))
    right, top = view.width - view.px(50), view.top + view.px(20)
    box = Rect(right - view.px(210), top, right, top + view.px(84))
    text = view.tr("跳过", "Skip") + (f" {seconds}" if seconds else "")
    button = view.button(text, box, f"{overlay['package']}:id/skip", skip)
    button.look = Look(
        fill="#5b3a4e", radius=view.px(42), size=view.px(38), color="#ffffff", align="center"
    )
    button.enabled = not seconds
    return button


def _skip(state: State, overlay: Overlay) -> None:
    if not overlay.get("seconds", 0):
        hide(state, overlay["name"])


def _stay(state: State, overlay: Overlay) -> None:
    del state, overlay


def _dismiss(state: State, overlay: Overlay) -> None:
    hide(state, overlay["name"])


OVERLAYS = {
    "permission": Kind(
        "the app asks for a permission",
        _permission,
        fresh=lambda _: {"permission": "LOCATION"},
        back=_stay,
    ),
    "crash": Kind("the app on the screen has crashed repeatedly", _crash, back=_stay),
    "anr": Kind("the app on the screen does not respond", _anr, back=_stay),
    "ad": Kind(
        f"a full-screen advertisement; it can be skipped after {AD_SECONDS} s",
        _ad,
        fresh=lambda _: {"seconds": AD_SECONDS},
        back=_skip,
    ),
    "update": Kind("a card over the app urges a system update", _update),
    "low_battery": Kind("the battery is low", _low_battery, fresh=_drain, back=_dismiss),
}
