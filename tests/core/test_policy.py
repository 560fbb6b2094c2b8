"""What needs a person's word: real labels, and real labels that only look like it."""
# ruff: noqa: E501 - tables of labels

import pytest

from core import policy
from core.devices.base import AppInfo, Bounds, Size
from core.policy import Act
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy, Node
from core.screen.screen import Screen

RISKY = {
    "pay": "付款 立即支付 确认支付 去支付 支付 确认付款 立即充值 打赏 买单 开通会员 同意协议并支付 指纹支付"
    " 立即开通 付 扣款 确认收货 |Get (¥6.00)|1-tap buy|Pay|Pay now|Pay ¥12.00|Pay with card|Confirm payment|Subscribe|Buy now|Top up"
    "|Confirm and pay|Agree & pay|Review and pay|Complete purchase|Authorize payment|Send payment"
    "|Accept & subscribe|Top-up|💳 Pay|Рay now|→ Pay|Continue to payment|G Pay",
    "order": "提交订单 下单 立即参团 立即购买 去结算 确认购买 立即抢购 发起拼单 |Place order|Place your order|Order now"
    "|Book now|Complete order|Confirm order|Order",
    "transfer": "转账 提现 发红包 确认转出 买入 |Transfer|Withdraw cash|Send money|Send $50",
    "send": "发送 发送短信 群发 转发 |Send|Send message|Reply|Submit",
    "publish": "发布 发表 发布笔记 |Post|Publish|Go live",
    "delete": "删除 删除联系人 清空 永久删除 全部删除 移除 |Delete|Delete all|Remove account|Erase all data|Clear data",
    "install": "安装 立即安装 继续安装 卸载 |Install|Install anyway|Uninstall",
    "grant": "允许 始终允许 仅在使用该应用时允许 同意并继续 |Allow|While using the app|Only this time",
    "log_in": "登录 立即登录 注册 本机号码一键登录 退出登录 |Log in|Sign in|Sign up|Sign out",
    "call": "拨打 拨打电话 视频通话 |Call|Video call",
    "reset": "恢复出厂设置 格式化 重置手机 |Factory reset|Reset all settings|Wipe data",
}
HARMLESS = (
    "支付宝|微信支付宝|已支付|待付款|付款方式|支付设置|支付密码|支付成功|付款记录|未支付|收付款码|已发送|发送失败"
    "|发送记录|验证码已发送|最近删除|已删除|安装包|已安装|不允许|禁止|取消|返回|登录设备管理|已登录|未登录"
    "|登录记录|转账记录|搜索|设置|Wi-Fi|蓝牙|相机|电话|订单|我的订单|全部订单|购物车|加入购物车|收藏|点赞|关注"
    "|删除后无法恢复|这条消息已被撤回并删除，如需查看请联系群主或管理员|Orders|Order history|Delivery|Payment methods"
    "|Payment history|Sent|Deleted items|Recently deleted|Installed|Callers|Post office|Posts|Sender"
    "|Payphone|Bookmarks|Allowed apps|Don't allow|Deny|Cancel|Settings|Search|Login history|Buyers"
    "|2024|7|12:30|100%|Next|下一步|Order status|Purchased|Apple Pay settings"
    "|Send feedback about the way in which deliveries are handled here"
)


def labels(row: str) -> list[str]:
    zh, _, en = row.partition("|")
    return [*zh.split(), *(label for label in en.split("|") if label)]


@pytest.mark.parametrize(
    ("kind", "label"), [(kind, label) for kind, row in RISKY.items() for label in labels(row)]
)
def test_a_control_that_does_something_final_is_known_by_its_label(kind: str, label: str) -> None:
    risk = policy.of_label(label)

    assert risk is not None
    assert risk.kind == kind


@pytest.mark.parametrize("label", HARMLESS.split("|"))
def test_a_label_that_only_speaks_of_such_a_thing_is_harmless(label: str) -> None:
    assert policy.of_label(label) is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("支 付", "pay"),
        ("立即\u200b支付", "pay"),
        ("ＰＡＹ ＮＯＷ", "pay"),
        ("確認付款", "pay"),
        ("刪除聯絡人", "delete"),
        ("轉帳", "transfer"),
        ("傳送", "send"),
    ],
)
def test_a_label_is_known_however_it_is_written(written: str, expected: str) -> None:
    risk = policy.of_label(written)

    assert risk is not None
    assert risk.kind == expected


def element(label: str, kind: str = "button", **changes: object) -> Element:
    given: dict[str, object] = {
        "number": 1,
        "kind": kind,
        "label": label,
        "texts": (label,) if label else (),
        "flags": (),
        "short_id": "",
        "package": "com.shop",
        "bounds": Bounds(0, 0, 100, 100),
        "depth": 0,
        "clickable": True,
    }
    return Element(**{**given, **changes})  # type: ignore[arg-type]


def screen(*elements: Element) -> Screen:
    return Screen(
        app=AppInfo("com.shop", ".Main"),
        size=Size(1080, 2400),
        rotation=0,
        state="ok",
        keyboard=None,
        elements=elements,
        hierarchy=Hierarchy((), 0, False),
    )


def kind(act: Act, *shown: Element) -> str | None:
    risk = policy.judge(act, screen(*shown))
    return risk.kind if risk else None


def test_a_tap_on_nothing_is_as_risky_as_its_screen() -> None:
    blind = Act(blind=True)

    assert kind(blind, element("付款"), element("商品")) == "pay"
    assert kind(blind, element("商品"), element("详情")) is None


def test_a_control_without_a_label_is_as_risky_as_its_screen() -> None:
    assert kind(Act(element("", "image")), element("提交订单")) == "order"


def test_a_harmless_label_stays_harmless_on_a_risky_screen() -> None:
    assert kind(Act(element("取消")), element("付款")) is None


@pytest.mark.parametrize(
    ("yes", "sentence", "expected"),
    [
        ("确定", "确定要删除这 3 张照片吗？删除后无法恢复。", "delete"),
        ("确 认", "将向张三转账 500.00 元", "transfer"),
        ("好", "是否卸载此应用？", "install"),
        ("OK", "Do you want to uninstall this app?", "install"),
        ("Yes", "All your messages will be deleted. Delete them?", "delete"),
        ("Confirm", "You are about to send 3 messages", "send"),
        ("确定", "选择日期", None),
        ("OK", "Your order was delivered, and payments were received", None),
        ("取消", "确定要删除吗？", None),
    ],
)
def test_a_yes_does_what_the_dialog_says(yes: str, sentence: str, expected: str | None) -> None:
    shown = element(sentence, "text"), element(yes)

    assert kind(Act(shown[1]), *shown) == expected


def test_a_picture_without_words_is_known_by_its_id() -> None:
    assert kind(Act(element("", "image", short_id="btn_send"))) == "send"
    assert kind(Act(element("", "image", short_id="checkoutButton"))) == "pay"
    assert kind(Act(element("", "image", short_id="sender_photo"))) is None
    assert kind(Act(element("更多", "image", short_id="btn_send"))) is None


def test_typing_the_pin_of_a_payment_pays_without_enter() -> None:
    pin = element("", "field", texts=("请输入支付密码",), flags=("focused",))

    assert kind(Act(types=True), pin) == "pay"
    assert kind(Act(types=True), element("备注", "field", texts=("备注",))) is None


def test_what_was_typed_does_not_make_a_field_one_that_searches() -> None:
    typed = {"text": "please search and find me"}
    texts = ("please search and find me", "输入消息")
    field = element(texts[0], "field", texts=texts, flags=("focused",), node=Node(typed))

    assert kind(Act(blind=True), field, element("发送")) == "send"


def test_a_risky_control_in_the_middle_of_a_row_is_what_a_tap_on_the_row_reaches() -> None:
    row = element("订单 20260101", bounds=Bounds(0, 0, 1000, 200))
    pay = element("立即付款", number=2, bounds=Bounds(450, 60, 550, 140))

    assert policy.reached(row, screen(row, pay)) == pay
    assert policy.reached(row, screen(row)) == row


def test_enter_in_a_search_field_sends_nothing() -> None:
    field = element("搜索商品", "field", flags=("focused",))
    message = element("输入消息", "field", flags=("focused",))

    assert kind(Act(blind=True), field, element("发送")) is None
    assert kind(Act(blind=True), message, element("发送")) == "send"


def test_sliding_to_pay_is_paying_and_scrolling_is_not() -> None:
    slider = element("向右滑动付款")

    assert kind(Act(slider, swipe_from=(50, 50)), slider) == "pay"
    assert kind(Act(swipe_from=(50, 60)), slider) == "pay"
    assert kind(Act(swipe_from=(50, 900)), slider) is None
    assert kind(Act(element("一条长微博", "text"), swipe_from=(9, 9)), element("发送")) is None
    assert kind(Act(swipe_from=(50, 900)), element("发送")) is None


def test_the_digits_of_a_payments_pin_pay() -> None:
    assert kind(Act(element("7")), element("输入支付密码", "text"), element("7")) == "pay"
    assert kind(Act(element("7")), element("计算器", "text"), element("7")) is None


def test_a_field_that_is_touched_only_gets_the_focus() -> None:
    message = element("输入消息", "field")

    assert kind(Act(message), message, element("发送")) is None


def test_what_somebody_typed_is_no_label() -> None:
    assert kind(Act(element("删除", "field")), element("删除", "field")) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/pay", None),
        ("tel:10086", "call"),
        ("SMSTO:10086?body=x", "send"),
        ("market://details?id=x", "install"),
        ("alipays://platformapi/startapp", "pay"),
        ("intent://x#Intent;end", "open"),
        ("xhsdiscover://search", None),
    ],
)
def test_an_address_is_judged_by_its_scheme(url: str, expected: str | None) -> None:
    assert kind(Act(url=url)) == expected


@pytest.mark.parametrize("price", ["$4.99", "¥6.00", "12.50 €", "仅需¥1", "US$ 3"])
def test_a_price_on_a_control_is_what_it_costs_and_in_a_text_it_is_only_told(price: str) -> None:
    assert kind(Act(element(price))) == "pay"
    assert kind(Act(element(price, "text", clickable=False))) is None


@pytest.mark.parametrize(
    ("yes", "sentence", "expected"),
    [
        ("确定", "将从您的账户扣款 12 元", "pay"),
        ("确定", "应付金额 ¥12", "pay"),
        ("下一步", "将从您的账户扣款 12 元", "pay"),
        ("Got it", "You will be charged $5 a month", "pay"),
        ("Next", "Delete this photo?", None),
        ("知道了", "欢迎使用", None),
    ],
)
def test_what_goes_on_says_yes_where_it_is_about_money(
    yes: str, sentence: str, expected: str | None
) -> None:
    button, text = element(yes), element(sentence, "text", clickable=False)

    assert kind(Act(button), text, button) == expected
