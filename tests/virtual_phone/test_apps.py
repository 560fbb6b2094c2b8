"""What a person does in the apps stands in the state: calls, messages, likes, orders, alarms."""

import pytest

from virtual_phone import hierarchy, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.apps import APPS, xiaoji_posts
from virtual_phone.profile import Profile
from virtual_phone.ui import Node
from virtual_phone.view import App

CONTACTS, MESSAGES = "com.android.contacts", "com.android.messaging"
XIAOJI, SHOP, CLOCK = "com.example.xiaoji", "com.example.shop", "com.android.deskclock"


class Hands:
    """A person at the phone, who goes by ids and by words."""

    def __init__(self, package: str, locale: str = "zh-CN") -> None:
        self.phone = Phone(Profile(locale=locale))
        self.open(package)

    @property
    def state(self) -> st.State:
        return self.phone.state

    def open(self, package: str) -> None:
        app = self.phone.app(package)
        assert app is not None
        self.phone.start(app)

    def tap(self, wanted: str, number: int = 0) -> Node | None:
        return touch.tap(self.phone, *self.all(wanted)[number].bounds.center)

    def type(self, rid: str, text: str) -> None:
        self.tap(rid)
        st.type_text(self.state, text)
        self.phone.changed()

    def all(self, wanted: str) -> list[Node]:
        found = [n for w in self.phone.windows() for n in w.root.walk() if _is(n, wanted)]
        assert found, wanted
        return found

    def sees(self, words: str) -> bool:
        return self.phone.find(lambda n: words in n.shown) is not None

    def scroll(self, times: int = 1) -> None:
        width, height = self.phone.size
        for _ in range(times):
            touch.swipe(self.phone, (width / 2, height * 0.8), (width / 2, height * 0.3))

    def back(self) -> None:
        touch.press(self.phone, touch.KEY_CODES["BACK"])


def _is(node: Node, wanted: str) -> bool:
    return node.rid.endswith(f":id/{wanted}") or wanted in (node.text, node.desc)


# -- all ------------------------------------------------------------------------------------------


def test_the_launcher_opens_every_app() -> None:
    hands = Hands(st.LAUNCHER)
    opened = []

    for app in APPS[1:]:
        hands.open(st.LAUNCHER)
        hands.tap(app.label(zh=True))
        opened.append(hands.phone.foreground.key)

    assert opened == [app.key for app in APPS[1:]]


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
@pytest.mark.parametrize("rotation", [0, 1])
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.key)
def test_every_app_fits_a_small_screen_upright_and_turned(
    app: App, rotation: int, locale: str
) -> None:
    phone = Phone(Profile(locale=locale, width=720, height=1280))
    phone.set("system.rotation", rotation)
    phone.start(app)

    boxes = [n.bounds for window in phone.windows() for n in window.root.walk()]

    width, height = phone.size
    assert all(0 <= b.left < b.right <= width for b in boxes)
    assert all(0 <= b.top < b.bottom <= height for b in boxes)


# -- contacts and messages ------------------------------------------------------------------------


def test_a_new_contact_is_saved_only_with_a_name() -> None:
    hands = Hands(CONTACTS)
    hands.tap("new")
    refused = hands.tap("save")
    hands.type("edit_name", "周杰")
    hands.type("edit_phone", "13100001111")

    hands.back()  # the keyboard
    hands.tap("save")

    assert refused is None
    assert hands.state["contacts"]["people"][-1]["name"] == "周杰"
    assert hands.state["contacts"]["people"][-1]["phone"] == "13100001111"
    assert hands.sees("周杰")


def test_a_contact_is_found_starred_called_and_deleted() -> None:
    hands = Hands(CONTACTS)
    hands.type("search", "王")
    hands.back()
    hands.tap("person")
    hands.tap("star")
    starred = [p["name"] for p in hands.state["contacts"]["people"] if p["starred"]]

    hands.tap("call")
    hands.tap("挂断")
    hands.tap("delete")
    hands.tap("button1")

    assert starred == ["王芳"]
    assert [c["name"] for c in hands.state["contacts"]["calls"]] == ["王芳"]
    assert "王芳" not in [p["name"] for p in hands.state["contacts"]["people"]]


def test_a_message_that_is_sent_stands_in_its_thread() -> None:
    hands = Hands(MESSAGES)
    hands.tap("陈晓雨")

    hands.type("compose_message_text", "好的 see you")
    hands.tap("send")

    thread = next(t for t in hands.state["messages"]["threads"] if t["name"] == "陈晓雨")
    assert thread["messages"][-1]["text"] == "好的 see you"
    assert thread["messages"][-1]["mine"] is True
    assert hands.state["messages"]["ui"]["draft"] == ""


def test_a_new_message_goes_to_a_contact_by_name_and_by_their_page() -> None:
    hands = Hands(MESSAGES)
    hands.tap("start_new")
    hands.type("recipient", "张伟")
    hands.type("compose_message_text", "明天见")
    hands.tap("send")

    hands.open(CONTACTS)
    hands.tap("张伟")
    hands.tap("message")

    thread = hands.state["messages"]["threads"][-1]
    assert (thread["name"], thread["number"]) == ("张伟", "135 4040 9090")
    assert hands.phone.foreground.package == MESSAGES
    assert hands.state["messages"]["ui"]["thread"] == thread["id"]


def test_opening_a_thread_makes_it_read_from_the_list_and_from_the_shade() -> None:
    hands = Hands(MESSAGES)
    unread = hands.state["messages"]["threads"][0]["unread"]

    hands.phone.set("system.shade", "notifications")
    hands.tap("菜鸟驿站")

    assert unread is True
    assert hands.state["messages"]["threads"][0]["unread"] is False
    assert hands.sees("取件码 6-2-8018")


# -- content --------------------------------------------------------------------------------------


def test_the_list_loads_more_while_it_is_scrolled_and_ends() -> None:
    hands = Hands(XIAOJI)
    hands.type("search", "咖啡")
    hands.tap("go")
    first = hands.state["xiaoji"]["ui"]["loaded"]

    hands.scroll(12)

    assert first < hands.state["xiaoji"]["ui"]["loaded"] == len(xiaoji_posts.search("咖啡")) == 12
    assert hands.sees("没有更多了")


def test_a_search_without_a_hit_says_so() -> None:
    hands = Hands(XIAOJI)

    hands.type("search", "潜水艇")
    touch.press(hands.phone, touch.KEY_CODES["ENTER"])

    assert hands.sees("没有找到相关内容")


def test_liking_needs_no_login_and_collecting_does() -> None:
    hands = Hands(XIAOJI)
    hands.tap("post")
    hands.tap("like")
    hands.tap("collect")

    assert len(hands.state["xiaoji"]["liked"]) == 1
    assert hands.state["xiaoji"]["collected"] == []
    assert hands.state["xiaoji"]["ui"]["page"] == "login"
    assert hands.phone.activity == ".LoginActivity"


def test_the_login_code_arrives_as_a_message_and_opens_the_wall() -> None:
    hands = Hands(XIAOJI)
    hands.tap("post")
    hands.tap("collect")
    hands.type("login_phone", "13800112233")
    hands.back()
    hands.tap("login_send")
    code = hands.state["messages"]["threads"][-1]["messages"][-1]["text"].split()[1][:6]
    hands.type("login_code", code)
    hands.back()

    hands.tap("login_submit")
    refused = hands.sees("请先同意用户协议")
    hands.tap("login_terms")
    hands.tap("login_submit")
    hands.tap("collect")

    assert refused
    assert hands.state["system"]["notifications"][0]["title"] == "小集"
    assert hands.state["xiaoji"]["user"] == "13800112233"
    assert len(hands.state["xiaoji"]["collected"]) == 1


def test_what_is_nearby_is_shown_once_the_location_is_allowed() -> None:
    hands = Hands(XIAOJI)
    hands.tap("nearby")
    asked = hands.phone.active_package
    hands.tap("permission_deny_button")
    refused = len(hands.all("post"))

    hands.tap("nearby")
    hands.tap("permission_allow_foreground_only_button")

    assert asked == "com.android.permissioncontroller"
    assert refused > 0
    assert hands.state["system"]["permissions"] == {XIAOJI: {"LOCATION": "granted"}}
    authors = [n.text for n in hands.all("author")]
    assert authors and all("江城" in text for text in authors)


def test_a_permission_for_once_is_over_when_the_app_ends() -> None:
    hands = Hands(XIAOJI)
    hands.tap("nearby")
    hands.tap("permission_allow_one_time_button")
    allowed = st.may(hands.state, XIAOJI, "LOCATION")

    hands.phone.stop(hands.phone.foreground)

    assert allowed
    assert not st.may(hands.state, XIAOJI, "LOCATION")


def test_an_app_can_be_made_to_open_with_an_advertisement() -> None:
    hands = Hands(st.LAUNCHER)
    hands.phone.set("system.opening_ads", {XIAOJI: 2})

    hands.tap("小集")
    over = hands.phone.focus_title, [o["name"] for o in hands.state["system"]["overlays"]]
    hands.open(SHOP)

    assert over[1] == ["ad"]
    assert hands.state["system"]["overlays"] == []


# -- shop -----------------------------------------------------------------------------------------


def to_payment(hands: Hands) -> None:
    hands.tap("product", 1)
    hands.tap("add_to_cart")
    hands.tap("cart")
    hands.tap("more")
    hands.tap("checkout")
    slide(hands, 0.9)


def slide(hands: Hands, share: float) -> None:
    x, y = hands.all("slide_knob")[0].bounds.center
    touch.swipe(hands.phone, (x, y), (x + hands.phone.size[0] * share, y))


def enter_pin(hands: Hands, pin: str) -> None:
    for digit in pin:
        hands.tap(f"pin_{digit}")


def test_an_order_exists_only_after_the_right_pin() -> None:
    hands = Hands(SHOP)
    to_payment(hands)
    enter_pin(hands, "111111")
    before = list(hands.state["shop"]["orders"])

    enter_pin(hands, hands.state["shop"]["pay_pin"])

    assert before == []
    assert hands.state["shop"]["orders"][0]["items"] == [{"product": 2, "count": 2}]
    assert hands.state["shop"]["orders"][0]["cents"] == 15800
    assert hands.state["shop"]["cart"] == []
    assert hands.sees("支付成功")


def test_a_slide_that_stops_half_way_pays_nothing() -> None:
    hands = Hands(SHOP)
    hands.tap("product")
    hands.tap("add_to_cart")
    hands.tap("cart")
    hands.tap("checkout")

    slide(hands, 0.4)

    assert hands.state["shop"]["ui"]["page"] == "confirm"


def test_the_payment_page_cannot_be_pictured_while_its_tree_is_whole() -> None:
    hands = Hands(SHOP)
    to_payment(hands)

    colors = hands.phone.camera.picture().getcolors()
    dump = hierarchy.full_dump(hands.phone.windows(), 0, 50)

    assert colors == [(1080 * 2400, (0, 0, 0))]
    assert "输入支付密码" in dump
    hands.back()
    assert hands.phone.camera.picture().getcolors() != colors


def test_three_wrong_pins_lock_the_payment() -> None:
    hands = Hands(SHOP)
    to_payment(hands)

    for pin in ("111111", "222222", "333333", "246810"):
        enter_pin(hands, pin)

    assert hands.state["shop"]["orders"] == []
    assert hands.sees("密码已锁定")


def test_taking_the_last_piece_away_empties_the_cart() -> None:
    hands = Hands(SHOP)
    hands.tap("product")
    hands.tap("add_to_cart")
    hands.tap("cart")

    hands.tap("less")

    assert hands.state["shop"]["cart"] == []
    assert hands.sees("购物车是空的")


# -- clock ----------------------------------------------------------------------------------------


def test_an_alarm_is_switched_without_opening_it() -> None:
    hands = Hands(CLOCK)
    switch = [n for n in hands.phone.windows()[0].root.walk() if n.checked is not None][1]

    touch.tap(hands.phone, *switch.bounds.center)

    assert [a["on"] for a in hands.state["clock"]["alarms"]] == [True, True, False]
    assert hands.state["clock"]["ui"]["page"] == "list"


def test_an_alarm_is_added_changed_and_deleted() -> None:
    hands = Hands(CLOCK)
    hands.tap("添加闹钟")
    hands.tap("减少小时")
    hands.tap("增加分钟")
    hands.tap("保存")
    added = hands.state["clock"]["alarms"][-1]["time"]

    hands.tap("06:05")
    hands.tap("删除")

    assert added == "06:05"
    assert [a["time"] for a in hands.state["clock"]["alarms"]] == ["07:00", "08:30", "22:15"]


def test_no_node_of_the_clock_has_an_id() -> None:
    hands = Hands(CLOCK)

    ids = {n.rid for n in hands.phone.windows()[0].root.walk()} - {"", "android:id/content"}

    assert ids == set()
    assert "androidx.compose" in hierarchy.full_dump(hands.phone.windows(), 0, 50)
