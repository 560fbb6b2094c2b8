"""The shop's cart, the page after paying, and the orders."""

from __future__ import annotations

from functools import partial

from virtual_phone import theme, ui
from virtual_phone.apps.shop_goods import BY_ID, Product, money
from virtual_phone.apps.shop_pay import ID, total_cents
from virtual_phone.state import State
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import Act, View, scroll_list
from virtual_phone.widgets import Row, caption, card, empty_page, header

_LINE_PX = 200


def go(state: State, page: str) -> Act:
    """Return the act that turns to another page."""
    return partial(state["shop"]["ui"].update, page=page)


def add(state: State, product_id: int, by: int) -> None:
    """Put pieces into the cart, or take them out; what has none left is gone."""
    shop = state["shop"]
    counts = {line["product"]: line["count"] for line in shop["cart"]}
    counts[product_id] = counts.get(product_id, 0) + by
    shop["cart"] = [{"product": p, "count": n} for p, n in counts.items() if n > 0]


def cart_page(view: View, back: Act) -> Node:
    """Draw what is in the cart and what it costs."""
    state = view.state
    bar = header(view, view.tr("购物车", "Cart"), back)
    foot = Rect(0, view.bottom - view.px(180), view.width, view.bottom)
    viewport = Rect(0, bar.bounds.bottom, view.width, foot.top)
    lines = state["shop"]["cart"]
    if not lines:
        words = view.tr("购物车是空的", "The cart is empty")
        return view.root([bar, empty_page(view, viewport, words, f"{ID}empty")])
    build = partial(_lines, view)
    rows = scroll_list(view, viewport, "shop.ui.cart_scroll", build, f"{ID}cart_list")
    button = Rect(view.width - view.px(400), foot.top + view.px(30), view.width - view.px(40), 0)
    button = button._replace(bottom=foot.bottom - view.px(30))
    total = foot._replace(left=view.px(56), right=button.left - view.px(20))
    text = view.tr("合计 ", "Total ") + money(total_cents(state))
    children = [
        view.label(text, total, 50, bold=True, rid=f"{ID}total"),
        view.button(view.tr("去结算", "Check out"), button, f"{ID}checkout", go(state, "confirm")),
    ]
    sheet = Node(ui.LINEAR, foot, look=Look(fill=view.theme.card), children=children, z=1)
    return view.root([bar, rows, sheet])


def _lines(view: View, top: int) -> tuple[list[Node], int]:
    nodes, height = [], view.px(_LINE_PX)
    for number, line in enumerate(view.state["shop"]["cart"]):
        y = top + view.px(10) + number * (height + view.px(24))
        box = Rect(view.px(40), y, view.width - view.px(40), y + height)
        nodes.append(_line(view, box, BY_ID[line["product"]], line["count"]))
    return nodes, nodes[-1].bounds.bottom + view.px(40)


def _line(view: View, box: Rect, product: Product, count: int) -> Node:
    inner = box.inset(view.px(30), view.px(26))
    cover = inner._replace(right=inner.left + inner.height)
    less = Rect(inner.right - view.px(300), inner.top, inner.right - view.px(200), inner.bottom)
    number = less._replace(left=less.right, right=less.right + view.px(100))
    more = number._replace(left=number.right, right=inner.right)
    words = Rect(cover.right + view.px(30), inner.top, less.left - view.px(10), inner.center[1])
    price = words._replace(top=words.bottom, bottom=inner.bottom)
    picture = Look(
        fill=product.color,
        radius=view.px(26),
        icon=product.icon,
        icon_size=view.px(80),
        icon_color="#ffffff",
    )
    take = view.icon_button(
        "minus", less, ("减少", "Less"), partial(add, view.state, product.id, -1)
    )
    give = view.icon_button("plus", more, ("增加", "More"), partial(add, view.state, product.id, 1))
    take.rid, give.rid = f"{ID}less", f"{ID}more"
    for button in (take, give):
        button.look = Look(icon=button.look.icon, icon_size=view.px(48), icon_color=view.theme.dim)
    return Node(
        ui.LINEAR,
        box,
        rid=f"{ID}cart_item",
        look=Look(fill=view.theme.card, radius=view.px(40)),
        children=[
            Node(ui.IMAGE, cover, look=picture, painted_only=True),
            view.label(view.tr(*product.names), words, 40, rid=f"{ID}item_name"),
            view.label(money(product.cents), price, 40, color=theme.RED, rid=f"{ID}item_price"),
            take,
            view.label(str(count), number, 42, align="center", rid=f"{ID}count"),
            give,
        ],
    )


def done_page(view: View, back: Act) -> Node:
    """Draw the page after paying."""
    bar = header(view, view.tr("支付成功", "Paid"), back)
    order = view.state["shop"]["orders"][-1]
    middle, y = view.width // 2, bar.bounds.bottom + view.px(60)
    size = view.px(200)
    disc = Rect(middle - size // 2, y, middle + size // 2, y + size)
    look = Look(
        fill=theme.GREEN,
        radius=size // 2,
        icon="check",
        icon_size=view.px(120),
        icon_color="#ffffff",
    )
    amount = Rect(0, disc.bottom + view.px(20), view.width, disc.bottom + view.px(150))
    number = Rect(0, amount.bottom, view.width, amount.bottom + view.px(70))
    button = view.rect(view.width * 0.2, number.bottom + view.px(50), view.width * 0.8, 0)
    button = button._replace(bottom=button.top + view.px(124))
    label = partial(view.label, align="center")
    text = view.tr(f"订单号 {order['id']}", f"Order {order['id']}")
    return view.root(
        [
            bar,
            Node(ui.IMAGE, disc, look=look, painted_only=True),
            label(money(order["cents"]), amount, 80, bold=True, rid=f"{ID}paid_amount"),
            label(text, number, 42, color=view.theme.dim, rid=f"{ID}order_id"),
            view.button(
                view.tr("查看订单", "See orders"),
                button,
                f"{ID}see_orders",
                go(view.state, "orders"),
            ),
        ]
    )


def orders_page(view: View, back: Act) -> Node:
    """Draw the orders, the newest first."""
    bar = header(view, view.tr("我的订单", "Orders"), back)
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    if not view.state["shop"]["orders"]:
        words = view.tr("还没有订单", "No orders yet")
        return view.root([bar, empty_page(view, viewport, words, f"{ID}empty")])
    build = partial(_order_cards, view)
    rows = scroll_list(view, viewport, "shop.ui.orders_scroll", build, f"{ID}order_list")
    return view.root([bar, rows])


def _order_cards(view: View, top: int) -> tuple[list[Node], int]:
    nodes, y = [], top
    for order in reversed(view.state["shop"]["orders"]):
        head, y = caption(view, y, view.tr(f"订单号 {order['id']}", f"Order {order['id']}"))
        rows = [
            Row("item", view.tr(*BY_ID[i["product"]].names), value=f"× {i['count']}")
            for i in order["items"]
        ]
        rows.append(Row("paid", view.tr("实付", "Paid"), value=money(order["cents"])))
        box, y = card(view, y, rows, "com.example.shop")
        nodes += [head, box]
        y += view.px(30)
    return nodes, y
