"""The last steps of a purchase: confirm, slide, and a PIN on a page that may not be pictured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from virtual_phone import ui
from virtual_phone.apps.shop_goods import BY_ID, money
from virtual_phone.state import State
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import Act, View, scroll_list
from virtual_phone.widgets import Row, card, header

ID = "com.example.shop:id/"
PIN_LENGTH = 6
MAX_WRONG = 3
_FAR_ENOUGH = 0.75


def total_cents(state: State) -> int:
    """Return what the cart costs."""
    return sum(BY_ID[line["product"]].cents * line["count"] for line in state["shop"]["cart"])


# -- confirm --------------------------------------------------------------------------------------


def confirm_page(view: View, back: Act) -> Node:
    """Draw address, things and sum, and the knob that must be dragged all the way."""
    bar = header(view, view.tr("确认订单", "Confirm order"), back)
    foot = _foot(view)
    viewport = Rect(0, bar.bounds.bottom, view.width, foot.bounds.top)
    build = partial(_summary, view)
    rows = scroll_list(view, viewport, "shop.ui.confirm_scroll", build, f"{ID}summary")
    return view.root([bar, rows, foot])


def _summary(view: View, top: int) -> tuple[list[Node], int]:
    shop = view.state["shop"]
    where = Row("address", shop["address"], shop["receiver"], "location")
    first, y = card(view, top + view.px(20), [_colored(where, view)], "com.example.shop")
    lines = []
    for line in shop["cart"]:
        product = BY_ID[line["product"]]
        price = f"{money(product.cents)} × {line['count']}"
        lines.append(
            Row(
                "item", view.tr(*product.names), icon=product.icon, color=product.color, value=price
            )
        )
    total = money(total_cents(view.state))
    lines.append(Row("total", view.tr("合计", "Total"), value=total))
    second, y = card(view, y + view.px(34), lines, "com.example.shop")
    return [first, second], y + view.px(40)


def _colored(row: Row, view: View) -> Row:
    return Row(row.key, row.title, row.summary, row.icon, view.theme.accent)


def _foot(view: View) -> Node:
    box = Rect(0, view.bottom - view.px(220), view.width, view.bottom)
    track = box.inset(view.px(60), view.px(40))
    size = track.height
    knob = Rect(track.left, track.top, track.left + size * 3 // 2, track.bottom)
    way = track.width - knob.width

    def drag(dx: float, dy: float) -> None:
        if dx >= way * _FAR_ENOUGH and dx > abs(dy):
            view.state["shop"]["ui"].update(page="pay", pin="", message="")

    words = view.tr("向右滑动付款", "Slide to pay")
    text = track._replace(left=knob.right)
    look = Look(
        fill=view.theme.accent,
        radius=size // 2,
        icon="next",
        icon_size=view.px(80),
        icon_color=view.theme.on_accent,
    )
    children = [
        view.label(words, text, 46, align="center", color=view.theme.dim, rid=f"{ID}slide_text"),
        Node(ui.VIEW, knob, rid=f"{ID}slide_knob", desc=words, look=look, on_drag=drag),
    ]
    groove = Look(fill=view.theme.accent_soft, radius=size // 2)
    slider = Node(ui.FRAME, track, rid=f"{ID}slide_to_pay", look=groove, children=children)
    return Node(ui.FRAME, box, look=Look(fill=view.theme.page), children=[slider], z=1)


# -- the PIN --------------------------------------------------------------------------------------


def pin_page(view: View, paid: Callable[[], object], back: Act) -> Node:
    """Draw the dots and the keys of the payment PIN."""
    page = view.state["shop"]["ui"]
    bar = header(view, view.tr("输入支付密码", "Payment PIN"), back)
    upright = view.height > view.width
    room = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    words = room._replace(bottom=room.top + view.px(560))
    keys = room._replace(top=max(words.bottom, room.bottom - view.px(900)))
    if not upright:
        words, keys = room._replace(right=room.center[0]), room._replace(left=room.center[0])
    third = words.height // 3
    amount = words._replace(bottom=words.top + third)
    dots = amount._replace(top=amount.bottom, bottom=amount.bottom + third)
    message = dots._replace(top=dots.bottom, bottom=words.bottom)
    nodes = [
        bar,
        view.label(
            money(total_cents(view.state)), amount, 92, bold=True, align="center", rid=f"{ID}amount"
        ),
        _dots(view, dots),
        view.label(
            page["message"],
            message,
            40,
            color=view.theme.danger,
            align="center",
            rid=f"{ID}pin_message",
        ),
        *_keys(view, keys, paid),
    ]
    return view.root(nodes)


def _dots(view: View, place: Rect) -> Node:
    typed = len(view.state["shop"]["ui"]["pin"])
    size, gap = view.px(104), view.px(20)
    left = place.center[0] - (PIN_LENGTH * (size + gap) - gap) // 2
    boxes = []
    for number in range(PIN_LENGTH):
        x, y = left + number * (size + gap), place.center[1] - size // 2
        look = Look(
            fill=view.theme.card,
            radius=view.px(24),
            size=view.px(48),
            color=view.theme.text,
            align="center",
        )
        dot = "●" if number < typed else ""
        cell = Rect(x, y, x + size, y + size)
        boxes.append(Node(ui.VIEW, cell, text=dot, look=look, painted_only=True))
    words = view.tr(f"已输入 {typed} 位", f"{typed} of {PIN_LENGTH} digits")
    return Node(ui.FRAME, place, rid=f"{ID}pin_dots", desc=words, children=boxes, password=True)


def _keys(view: View, place: Rect, paid: Callable[[], object]) -> list[Node]:
    nodes = []
    width, height = place.width / 3, place.height / 4
    for number, face in enumerate([*"123456789", "", "0", "<"]):
        left, top = place.left + number % 3 * width, place.top + number // 3 * height
        cell = view.rect(left, top, left + width, top + height)
        box = cell.inset(view.px(10), view.px(10))
        if face == "<":
            act: Act = partial(_erase, view.state)
            key = view.icon_button("delete_key", box, ("删除", "Delete"), act)
            key.rid = f"{ID}pin_delete"
            nodes.append(key)
        elif face:
            act = partial(_type, view.state, face, paid)
            key = view.button(face, box, f"{ID}pin_{face}", act)
            key.look = Look(
                fill=view.theme.card,
                radius=view.px(30),
                size=view.px(60),
                color=view.theme.text,
                align="center",
            )
            nodes.append(key)
    return nodes


def _erase(state: State) -> None:
    page = state["shop"]["ui"]
    page["pin"] = page["pin"][:-1]


def _type(state: State, digit: str, paid: Callable[[], object]) -> None:
    shop, page = state["shop"], state["shop"]["ui"]
    zh = state["system"]["locale"].startswith("zh")
    if shop["wrong_pins"] >= MAX_WRONG:
        page["message"] = "密码已锁定" if zh else "The PIN is locked"
        return
    page["pin"] += digit
    if len(page["pin"]) < PIN_LENGTH:
        page["message"] = ""
        return
    pin, page["pin"] = page["pin"], ""
    if pin == shop["pay_pin"]:
        shop["wrong_pins"] = 0
        paid()
        return
    shop["wrong_pins"] += 1
    left = MAX_WRONG - shop["wrong_pins"]
    page["message"] = f"支付密码错误，还可重试 {left} 次" if zh else f"Wrong PIN, {left} tries left"
