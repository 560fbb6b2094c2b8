"""Which sentences ask for different things though they are nearly the same."""

import pytest

from core.differing import Difference, difference

TOLD = [
    ("打开设置第1页面", "打开设置第11页面", "1", "11"),
    ("set an alarm for 7", "set an alarm for 17", "7", "17"),
    ("打开蓝牙", "关闭蓝牙", "打开", "关闭"),
    ("turn on Bluetooth", "turn off Bluetooth", "turn on", "turn off"),
    ("打开蓝牙，关闭热点", "关闭蓝牙，打开热点", "打开 关闭", "关闭 打开"),
    ("设早上7点的闹钟", "设晚上7点的闹钟", "早上", "晚上"),
    ("wake me at 7 a.m.", "wake me at 7pm", "am", "pm"),
    ("设七点半的闹钟", "设七点的闹钟", "7:30", "7"),
    ("设周一的闹钟", "设周日的闹钟", "1", "7"),
    ("打开第二个视频", "打开第十二个视频", "2", "12"),
    ("play the first song", "play the third song", "1", "3"),
    ("set a 30 second timer", "set a 30 minute timer", "seconds", "minute"),
    ("把温度设为 -5 度", "把温度设为 5 度", "-5", "5"),
    ("send it", "don't send it", "", "not"),
    ("关注张三", "取消关注张三", "关注", "取消关注"),
    ("在日历里加一个事件", "在日历里加一个明天的事件", "", "明天"),
]
SAME = [
    ("打开第1个视频", "打开第一个视频"),
    ("发一条消息", "发个消息"),
    ("设7点半的闹钟", "设 07:30 的闹钟"),
    ("设七点的闹钟", "设7:00的闹钟"),
    ("order 1,000 pieces", "order 1000 pieces"),
    ("订三十五份", "订35份"),
    ("打开设置，关闭蓝牙", "在设置里关闭蓝牙"),
    ("search shoes on Amazon", "search shoes in Amazon"),
    ("打开蓝牙开关", "打开蓝牙"),
    ("show me the cat", "show me that cat"),
    ("搜索百度万家", "搜一下百度万家"),
    ("识别图片里的文字", "提取图片里的文字"),
    ("I am at home, turn on Wi-Fi", "turn on Wi-Fi"),
]


@pytest.mark.parametrize(("one", "other", "said", "instead"), TOLD)
def test_a_number_or_an_opposite_makes_another_job(
    one: str, other: str, said: str, instead: str
) -> None:
    assert difference(one, other) == Difference(said, instead)
    assert difference(other, one) == Difference(instead, said)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_words_for_the_same_make_none(one: str, other: str) -> None:
    assert difference(one, other) is None


@pytest.mark.parametrize(
    ("name", "request_", "is_other"),
    [
        ("打开蓝牙页", "打开蓝牙页，把音量调到 50", False),
        ("蓝牙页", "关闭蓝牙页", False),
        ("打开蓝牙页", "看看蓝牙页", False),
        ("打开蓝牙页", "关闭蓝牙页", True),
        ("设 7 点的闹钟", "设 17 点的闹钟", True),
        ("设 7 点的闹钟", "设一个闹钟", True),
    ],
)
def test_a_request_may_say_more_than_a_name_within_it(
    name: str, request_: str, is_other: bool
) -> None:
    assert (difference(name, request_, part=True) is not None) == is_other
