"""The login page of the content app: a phone number, a code that is sent there, and the terms."""

from __future__ import annotations

from functools import partial

from virtual_phone import ui
from virtual_phone.state import toggle
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import Act, Names, View
from virtual_phone.widgets import header

_PATH = "xiaoji.ui.login"


def login_page(view: View, rid: str, acts: tuple[Act, Act], back: Act) -> Node:
    """Draw it; ``acts`` ask for the code and log in."""
    ask, enter = acts
    bar = header(view, view.tr("登录", "Log in"), back)
    left, right = view.px(80), view.width - view.px(80)
    y = bar.bounds.bottom + view.px(20)
    words = Rect(left, y, right, y + view.px(100))
    phone = Rect(left, words.bottom + view.px(30), right, words.bottom + view.px(170))
    code = Rect(left, phone.bottom + view.px(30), right - view.px(330), phone.bottom + view.px(170))
    send = code._replace(left=code.right + view.px(24), right=right)
    terms = Rect(left, code.bottom + view.px(20), right, code.bottom + view.px(120))
    button = Rect(left, terms.bottom + view.px(20), right, terms.bottom + view.px(150))
    message = Rect(left, button.bottom + view.px(10), right, button.bottom + view.px(90))
    look = Look(size=view.px(44), pad=view.px(44), fill=view.theme.card, radius=view.px(36))
    phone_names = Names(f"{rid}phone", view.tr("手机号", "Phone number"))
    code_names = Names(f"{rid}code", view.tr("验证码", "Code"))
    text = view.tr("登录后可以收藏喜欢的内容", "Log in to collect what you like")
    children = [
        bar,
        view.label(text, words, 44, color=view.theme.dim, rid=f"{rid}reason"),
        view.edit(f"{_PATH}.phone", phone, phone_names, look),
        view.edit(f"{_PATH}.code", code, code_names, look),
        view.button(view.tr("获取验证码", "Send code"), send, f"{rid}send", ask, quiet=True),
        _terms(view, terms, rid),
        view.button(view.tr("登录", "Log in"), button, f"{rid}submit", enter),
    ]
    said = str(view.state["xiaoji"]["ui"]["login"]["message"])
    if said:
        options = {"color": view.theme.danger, "align": "center", "rid": f"{rid}message"}
        children.append(view.label(said, message, 40, **options))
    return view.root(children)


def _terms(view: View, box: Rect, rid: str) -> Node:
    on = bool(view.state["xiaoji"]["ui"]["login"]["agree"])
    size, middle = view.px(52), box.center[1]
    mark = Rect(box.left + 4, middle - size // 2, box.left + 4 + size, middle + size // 2)
    words = box._replace(left=mark.right + view.px(24))
    ink = view.theme.accent if on else view.theme.faint
    look = Look(widget="radio", color=ink, fill=view.theme.page, value=float(on))
    text = view.tr("我已阅读并同意用户协议", "I have read the terms and agree")
    return Node(
        ui.LINEAR,
        box,
        rid=f"{rid}terms",
        on_tap=partial(toggle, view.state, f"{_PATH}.agree"),
        children=[
            Node(ui.CHECK, mark, rid=f"{rid}agree", look=look, checked=on),
            view.label(text, words, 38, color=view.theme.dim, rid=f"{rid}terms_text"),
        ],
    )
