"""Who a request names, what is said to them, and what is left as it is."""

import pytest

from core.memory import gates, people
from core.memory.people import Private


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ("给张三发微信说我晚点到", "给〈某人〉发微信说〈内容〉"),
        ("给张三丰发消息：明天开会，别迟到", "给〈某人〉发消息：〈内容〉"),
        ("打开微信，给张三发消息，然后返回", "打开微信，给〈某人〉发消息，然后返回"),
        ("打电话给李四", "打电话给〈某人〉"),
        ("告诉王五明天不用来了", "告诉〈某人〉〈内容〉"),
        ("通知李经理会议改到三点", "通知〈某人〉〈内容〉"),
        ("@赵六 今晚开会，发在群里", "@〈某人〉 今晚开会，发在群里"),
        ("新建联系人王小明", "新建联系人〈某人〉"),
        ("联系人欧阳锋", "联系人〈某人〉"),
        ("和小王的聊天记录删掉", "和〈某人〉的聊天记录删掉"),
        ("把文件转发给张三和李四", "把文件转发给〈某人〉和〈某人〉"),
        ("把位置分享给Alice，然后锁屏", "把位置分享给〈某人〉，然后锁屏"),
        ("回复“好的，马上”", "回复“〈内容〉”"),
        ("给客服发消息说我要退款", "给客服发消息说〈内容〉"),
        ("Message Tom saying I'm late", "Message ‹someone› saying ‹text›"),
        ("text Anna Bell that dinner is ready", "text ‹someone› that ‹text›"),
        ('Send "hello" to Bob via WhatsApp', 'Send "‹text›" to ‹someone› via WhatsApp'),
        ("Find Kevin's phone number and call him", "Find ‹someone›'s phone number and call him"),
        ("Create a contact named 'Smart Agent'", "Create a contact named '‹someone›'"),
        ("Open the chat with Ana Silva", "Open the chat with ‹someone›"),
        (
            "add Alice, Bob and Jack to the group",
            "add ‹someone›, ‹someone› and ‹someone› to the group",
        ),
        (
            "Reply with message: See you at 6 in Simple SMS",
            "Reply with message: ‹text› in Simple SMS",
        ),
    ],
)
def test_a_name_and_what_is_said_to_it_are_left_out(request_: str, kept: str) -> None:
    found = people.private(request_)

    assert found.hide(request_, gates.language(request_)) == kept
    assert not found.is_told_in(kept)
    assert not people.private(kept).people


@pytest.mark.parametrize(
    "request_",
    [
        "搜索耳机",
        "搜索张三的歌",
        "给妈妈打电话",
        "把照片发给我朋友",
        "在备忘录里写“买牛奶”",
        "打开设置，把蓝牙和热点打开",
        "给手机充值100元",
        "问一下何时开会",
        "给高德地图好评",
        "叫马上到的车",
        "约周末的电影票",
        "搜索用户名为“李子柒”的用户",
        "Search for headphones",
        "Search for the account @Nintendo",
        "Go to Display and set Text size to 'Larger'",
        "Share the photo to Instagram",
        "Open the message from Google",
        "call my boss",
        "Create a new post saying 'Hello World!'",
        "Create a note in Markor with the following text: hello world",
        "Navigate to Settings",
        "Ask Siri the weather",
    ],
)
def test_what_a_request_is_otherwise_about_stays(request_: str) -> None:
    assert people.private(request_) == people.NOTHING


def test_what_was_typed_or_tapped_where_a_name_stands_is_one() -> None:
    request = "给大漠孤烟发消息说：周末爬山去不去"

    alone = people.private(request)
    known = people.private(request, ["周末爬山去不去"], ["大漠孤烟", "发送"])

    assert alone.people == ()
    assert known == Private(("大漠孤烟",), ("周末爬山去不去",))


def test_what_was_typed_from_nowhere_in_the_request_is_private_and_a_search_term_is_not() -> None:
    found = people.private("给我女朋友发消息，再搜索耳机", ["诸葛青", "耳机", "我在路上了"])

    assert found == Private(("诸葛青",), ("我在路上了",))
    assert found.is_told_in("输入诸葛青，点第一个")
    assert found.is_told_in("输入 我在 路上了")
    assert not found.is_told_in("搜索耳机，点第一个")


def test_a_name_in_latin_letters_is_no_part_of_a_word() -> None:
    found = people.private("call Ann")

    assert found.hide("call Ann, then announce it", "en") == "call ‹someone›, then announce it"


@pytest.mark.parametrize("flood", ["给张三发", "说“", "tell Tom ", "send a ", "'a", "、李四"])
def test_a_flood_is_read_as_far_as_it_is_looked_at(flood: str) -> None:
    request = "给张三发消息" + flood * 50_000

    assert "张三" in people.private(request).people
