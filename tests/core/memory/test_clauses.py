"""What of a request names a saved action, clause by clause, and which are run first."""

import pytest

from core.memory import actions, clauses
from core.memory.actions import NewAction
from core.memory.clauses import First
from core.setup import Instance

OPEN = {"type": "open_app", "app": "设置"}
WRITE = {"type": "input_text", "text": "{{words}}"}
CHAT = [
    {"type": "click", "selector": {"text": "{{contact}}"}},
    {"type": "input_text", "text": "{{text}}"},
]
TWO = {"type": "input_text", "text": "{{who}} {{what}}"}


def save(instance: Instance, name: str, *aliases: str, steps: object = (OPEN,)) -> None:
    made = actions.create(instance.db, NewAction(name, [*steps], aliases))  # type: ignore[misc]
    actions.replayed(instance.db, made, None)


@pytest.fixture
def known(instance: Instance) -> Instance:
    """Give a library in which names hold what parts clauses."""
    save(instance, "打开蓝牙页", "open bt")
    save(instance, "晨间检查", "morning check")
    save(instance, "打开微信，然后签到", "open chat and sign in")
    save(instance, "签到")
    save(instance, "记一条", "note", steps=(WRITE,))
    save(instance, "发给", steps=(TWO,))
    save(instance, "发微信", "给〈某人〉发微信说〈内容〉", steps=CHAT)
    save(instance, "找〈某人〉的聊天", steps=(OPEN,))
    return instance


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ("晨间检查", [("晨间检查", {})]),
        ("打开设置，然后晨间检查，回到桌面", ["打开设置", ("晨间检查", {}), "回到桌面"]),
        ("打开微信，然后签到", [("打开微信，然后签到", {})]),
        ("打开微信，然后签到，晨间检查", [("打开微信，然后签到", {}), ("晨间检查", {})]),
        ("签到，打开微信", [("签到", {}), "打开微信"]),
        ("open chat and sign in", [("打开微信，然后签到", {})]),
        ("open Settings and morning check", ["open Settings", ("晨间检查", {})]),
        ("please morning check and go home", [("晨间检查", {}), "go home"]),
        ("打开设置，把 Wi-Fi 关掉，晨间检查", ["打开设置，把 Wi-Fi 关掉", ("晨间检查", {})]),
        ("晨间检查和打开蓝牙页", [("晨间检查", {}), ("打开蓝牙页", {})]),
        ("执行「晨间检查」", [("晨间检查", {})]),
        ("「晨间检查」", ["「晨间检查」"]),
        ("输入「你好，晨间检查，再见」", ["输入「你好，晨间检查，再见」"]),
        ("输入牛奶和晨间检查", ["输入牛奶和晨间检查"]),
        ("晨间检查和晚间检查有什么区别", ["晨间检查和晚间检查有什么区别"]),
        ("morning check and evening check differ", ["morning check and evening check differ"]),
        ("不要晨间检查", ["不要晨间检查"]),
        ("晨间检查了吗？", ["晨间检查了吗？"]),
        ("晨间检查 一下", ["晨间检查 一下"]),
        ("记一条 买牛奶", [("记一条", {"words": "买牛奶"})]),
        ("记一条：「买牛奶，面包」", [("记一条", {"words": "买牛奶，面包"})]),
        (
            "note buy milk and bread, then go home",
            [("记一条", {"words": "buy milk and bread"}), "go home"],
        ),
        (
            "给李四发微信说我晚点到，你们先吃",
            [("发微信", {"contact": "李四", "text": "我晚点到，你们先吃"})],
        ),
        (
            "打开微信，给李四发微信说好的，然后回到桌面",
            ["打开微信", ("发微信", {"contact": "李四", "text": "好的"}), "回到桌面"],
        ),
        ("给李四发微信", ["给李四发微信"]),
        ("不要给李四发微信说好的", ["不要给李四发微信说好的"]),
        ("找李四的聊天", ["找李四的聊天"]),
        ("给李四发微信说好的，给王五发微信说不", ["给李四发微信说好的，给王五发微信说不"]),
        ("，。", ["，。"]),
    ],
)
def test_a_request_is_read_into_actions_and_the_words_between_them(
    known: Instance, request_: str, read: list[object]
) -> None:
    found = clauses.read(known.db, request_)

    told = [(c.action.name, dict(c.inputs)) if c.action else c.text for c in found]
    assert told == read


@pytest.mark.parametrize(
    ("request_", "missing"),
    [("记一条", ("words",)), ("发给 小王 你好", ("who", "what")), ("晨间检查", ())],
)
def test_values_that_were_not_said_are_named(
    known: Instance, request_: str, missing: tuple[str, ...]
) -> None:
    [clause] = clauses.read(known.db, request_)

    assert clause.missing == missing


def test_a_long_request_is_read_in_a_bounded_number_of_looks(known: Instance) -> None:
    request = "，".join(["打开设置"] * 20_000 + ["晨间检查"])

    found = clauses.read(known.db, request)

    assert [clause.text for clause in found] == [request]


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("打开蓝牙页", [First("打开蓝牙页", "")]),
        ("请帮我先打开蓝牙页，再看看有哪些设备", [First("打开蓝牙页", "看看有哪些设备")]),
        ("Please open BT; then read 1.5 pages", [First("打开蓝牙页", "read 1.5 pages")]),
        (
            "打开蓝牙页，晨间检查，然后告诉我结果",
            [First("打开蓝牙页", "晨间检查，然后告诉我结果"), First("晨间检查", "告诉我结果")],
        ),
        ("不要打开蓝牙页", []),
        ("怎么打开蓝牙页？", []),
        ("打开蓝牙页，算了，不用了", []),
        ("open bt tomorrow", []),
        ("open bt, but do not touch it", []),
        ("拍照，打开蓝牙页", []),
        ("没试过的", []),
        ("记一条", []),
        ("记一条 买牛奶", []),
        ("给李四发微信说好的", []),
        ("过时的", []),
        ("，。", []),
    ],
)
def test_only_proved_actions_that_the_request_begins_with_are_run_first(
    known: Instance, request_: str, first: list[First]
) -> None:
    actions.create(known.db, NewAction("没试过的", [OPEN]))
    save(known, "过时的")
    actions.replayed(known.db, actions.resolve(known.db, "过时的"), "it is gone")

    assert clauses.first_actions(known.db, request_) == tuple(first)


@pytest.mark.parametrize("flood", ["please ", "请", "    ", "then ", "「", "给 "])
def test_a_flood_names_nothing_and_is_soon_read(known: Instance, flood: str) -> None:
    request = f"x{flood * 60_000}x"

    assert clauses.first_actions(known.db, request) == ()
