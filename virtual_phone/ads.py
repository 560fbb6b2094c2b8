"""Advertising over an app: a full screen that can be skipped late, and a card that urges an update.

The card is not modal: the app beside it stays usable and both are reported.
"""

from __future__ import annotations

from functools import partial

from virtual_phone import state as st
from virtual_phone import ui
from virtual_phone.apps import browser
from virtual_phone.dialogs import Overlay, remove
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import Act, View

UPDATER = "com.android.updater"
AD_URL = "https://ads.example/coffee"
_OFFER = ("新品拿铁 第二杯半价", "New latte, second at half price")


def update(view: View, overlay: Overlay) -> Window:
    """Draw the card that urges a system update."""
    width = min(view.width, view.height) - view.px(80)
    left, bottom = (view.width - width) // 2, view.bottom - view.px(40)
    box = Rect(left, bottom - view.px(400), left + width, bottom)
    inner = box.inset(view.px(50), view.px(44))
    nodes = [*_update_words(view, inner), *_update_buttons(view, inner, overlay["name"])]
    look = Look(fill=view.theme.card, radius=view.px(56), border=view.theme.track)
    rid = f"{UPDATER}:id/update_card"
    return Window(UPDATER, Node(ui.LINEAR, box, rid=rid, look=look, children=nodes))


def _update_words(view: View, inner: Rect) -> list[Node]:
    title = view.tr("系统更新已就绪", "System update ready")
    message = view.tr(
        "新版本修复了安全问题，更新时手机会重启", "Security fixes. The phone will restart."
    )
    head = inner._replace(bottom=inner.top + view.px(80))
    body = inner._replace(top=head.bottom, bottom=head.bottom + view.px(80))
    return [
        view.label(title, head, 50, bold=True, rid=f"{UPDATER}:id/title"),
        view.label(message, body, 38, color=view.theme.dim, rid=f"{UPDATER}:id/message"),
    ]


def _update_buttons(view: View, inner: Rect, name: str) -> list[Node]:
    def answer(value: str) -> None:
        view.state["system"]["update"] = value
        remove(view.state, name)

    row = inner._replace(top=inner.bottom - view.px(116))
    middle = row.center[0]
    left = row._replace(right=middle - view.px(14))
    right = row._replace(left=middle + view.px(14))
    later, now = view.tr("稍后提醒", "Later"), view.tr("立即更新", "Update now")
    wait, accept = partial(answer, "later"), partial(answer, "accepted")
    return [
        view.button(later, left, f"{UPDATER}:id/later", wait, quiet=True),
        view.button(now, right, f"{UPDATER}:id/update_now", accept),
    ]


def ad(view: View, overlay: Overlay) -> Window:
    """Draw the advertisement with its button to skip it."""
    state, package = view.state, overlay["package"]
    box = Rect(0, 0, view.width, view.height)
    skip = partial(remove, state, overlay["name"])

    def follow() -> None:
        remove(state, overlay["name"])
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
        label(view.tr(*_OFFER), words, 72, bold=True),
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
