"""Shop: shelves, a cart, and orders that exist only after the payment PIN was right."""

from __future__ import annotations

from functools import partial

from virtual_phone import theme, ui
from virtual_phone.apps.shop_cart import add, cart_page, done_page, go, orders_page
from virtual_phone.apps.shop_goods import BY_ID, PRODUCTS, Product, money
from virtual_phone.apps.shop_pay import ID, confirm_page, pin_page, total_cents
from virtual_phone.state import State
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, View, scroll_list
from virtual_phone.widgets import header, paragraph

PACKAGE = "com.example.shop"


def _fresh(system: State) -> State:
    zh = system["locale"].startswith("zh")
    return {
        "cart": [],
        "orders": [],
        "pay_pin": "246810",
        "wrong_pins": 0,
        "receiver": "陈晓雨 138 0011 2233" if zh else "Alice Green 555 0112",
        "address": "江城市滨江路 18 号 3 单元 602" if zh else "18 Riverside Road, flat 602",
    }


def _fresh_ui() -> State:
    page = {"page": "home", "product": None, "pin": "", "message": ""}
    return {**page, "scroll": 0, "cart_scroll": 0, "confirm_scroll": 0, "orders_scroll": 0}


def _ui(state: State) -> State:
    found: State = state["shop"]["ui"]
    return found


def _screen(view: View) -> Node:
    page, back = _ui(view.state)["page"], partial(_back, view.state)
    product = BY_ID.get(_ui(view.state)["product"] or 0)
    if page == "product" and product:
        return _product(view, product)
    if page == "cart":
        return cart_page(view, back)
    if page == "confirm":
        return confirm_page(view, back)
    if page == "pay":
        return pin_page(view, partial(_paid, view.state), back)
    if page == "done":
        return done_page(view, back)
    return orders_page(view, back) if page == "orders" else _home(view)


# -- shelves --------------------------------------------------------------------------------------


def _bar_buttons(view: View) -> list[Node]:
    top, right = view.top + view.px(25), view.width - view.px(30)
    boxes = [
        Rect(right - view.px(240), top, right - view.px(130), top + view.px(100)),
        Rect(right - view.px(110), top, right, top + view.px(100)),
    ]
    orders = view.icon_button("note", boxes[0], ("我的订单", "Orders"), go(view.state, "orders"))
    count = sum(line["count"] for line in view.state["shop"]["cart"])
    names = (f"购物车，{count} 件", f"Cart, {count} items")
    cart = view.icon_button("cart", boxes[1], names, go(view.state, "cart"))
    orders.rid, cart.rid = f"{ID}orders", f"{ID}cart"
    if count:
        spot = Rect(boxes[1].right - view.px(46), top, boxes[1].right, top + view.px(46))
        look = Look(
            fill=theme.RED, radius=view.px(23), size=view.px(30), color="#ffffff", align="center"
        )
        cart.children.append(Node(ui.TEXT, spot, text=str(count), rid=f"{ID}badge", look=look))
    return [orders, cart]


def _home(view: View) -> Node:
    bar = header(view, view.tr("优选商城", "Shop"), None, _bar_buttons(view))
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_shelves, view)
    return view.root([bar, scroll_list(view, viewport, "shop.ui.scroll", build, f"{ID}products")])


def _shelves(view: View, top: int) -> tuple[list[Node], int]:
    columns = 2 if view.height > view.width else 4
    gap, edge = view.px(30), view.px(40)
    width = (view.width - 2 * edge - (columns - 1) * gap) // columns
    height = view.px(560)
    tiles = []
    for number, product in enumerate(PRODUCTS):
        left = edge + number % columns * (width + gap)
        y = top + view.px(10) + number // columns * (height + gap)
        tiles.append(_tile(view, Rect(left, y, left + width, y + height), product))
    return tiles, tiles[-1].bounds.bottom + view.px(60)


def _tile(view: View, box: Rect, product: Product) -> Node:
    inner = box.inset(view.px(34), view.px(30))
    cover = inner._replace(bottom=inner.top + view.px(300))
    name = inner._replace(top=cover.bottom + view.px(20), bottom=cover.bottom + view.px(90))
    price = inner._replace(top=inner.bottom - view.px(90))
    picture = Look(
        fill=product.color,
        radius=view.px(30),
        icon=product.icon,
        icon_size=view.px(140),
        icon_color="#ffffff",
    )
    return Node(
        ui.FRAME,
        box,
        rid=f"{ID}product",
        look=Look(fill=view.theme.card, radius=view.px(40)),
        on_tap=partial(_open, view.state, product.id),
        children=[
            Node(ui.IMAGE, cover, look=picture, rid=f"{ID}product_image"),
            view.label(view.tr(*product.names), name, 40, rid=f"{ID}product_name"),
            view.label(
                money(product.cents), price, 46, bold=True, color=theme.RED, rid=f"{ID}price"
            ),
        ],
    )


def _product(view: View, product: Product) -> Node:
    bar = header(
        view, view.tr("商品详情", "Product"), partial(_back, view.state), _bar_buttons(view)
    )
    left, right = view.px(56), view.width - view.px(56)
    foot = Rect(left, view.bottom - view.px(160), right, view.bottom - view.px(36))

    def build(top: int) -> tuple[list[Node], int]:
        cover = Rect(left, top, right, top + view.px(800))
        picture = Look(
            fill=product.color,
            radius=view.px(48),
            icon=product.icon,
            icon_size=view.px(320),
            icon_color="#ffffff",
        )
        price = Rect(left, cover.bottom + view.px(30), right, cover.bottom + view.px(130))
        name = Rect(left, price.bottom, right, 0)
        words = paragraph(view, view.tr(*product.names), name, 58, bold=True, rid=f"{ID}title")
        below = Rect(left, words.bounds.bottom + view.px(16), right, 0)
        about = paragraph(
            view, view.tr(*product.about), below, 42, color=view.theme.dim, rid=f"{ID}about"
        )
        cost = view.label(
            money(product.cents), price, 66, bold=True, color=theme.RED, rid=f"{ID}price"
        )
        nodes = [Node(ui.IMAGE, cover, look=picture, rid=f"{ID}product_image"), cost, words, about]
        return nodes, about.bounds.bottom + view.px(40)

    viewport = Rect(0, bar.bounds.bottom, view.width, foot.top - view.px(20))
    body = scroll_list(view, viewport, "shop.ui.product_scroll", build, f"{ID}product_body")
    buy = partial(add, view.state, product.id, 1)
    words = view.tr("加入购物车", "Add to cart")
    return view.root([bar, body, view.button(words, foot, f"{ID}add_to_cart", buy)])


# -- what happens ---------------------------------------------------------------------------------


def _open(state: State, product_id: int) -> None:
    _ui(state).update(page="product", product=product_id, product_scroll=0)


def _paid(state: State) -> None:
    shop = state["shop"]
    order = {
        "id": 20260312001 + len(shop["orders"]),
        "items": shop["cart"],
        "cents": total_cents(state),
        "time": state["system"]["time"],
        "address": shop["address"],
    }
    shop.update(orders=[*shop["orders"], order], cart=[])
    _ui(state)["page"] = "done"


_UP = {"product": "home", "cart": "home", "confirm": "cart", "pay": "confirm", "done": "home"}


def _back(state: State) -> bool:
    page = _ui(state)
    if page["page"] == "home":
        return False
    page.update(page=_UP.get(page["page"], "home"), pin="", message="")
    return True


_ACTIVITIES = {"cart": ".CartActivity", "confirm": ".ConfirmActivity", "pay": ".PayActivity"}

APP = App(
    package=PACKAGE,
    key="shop",
    names=("优选商城", "Shop"),
    icon="bag",
    color=theme.ORANGE,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda state: _ACTIVITIES.get(_ui(state)["page"], ".MainActivity"),
    fresh_ui=_fresh_ui,
    secure=lambda state: _ui(state)["page"] == "pay",
)
