"""Without a model, a saved action is run by its name or an alias."""

import json

import pytest

from core.memory import actions
from core.memory.actions import NewAction
from tests.mcp_agent.conftest import Desk
from virtual_phone.testing import PhoneHandle

OPEN = {"type": "open_app", "app": "设置"}
CLICK = {"type": "click", "selector": {"text": "蓝牙"}}
TITLE = {"resourceId": "com.example.notes:id/edit_title"}


def save(desk: Desk, name: str, *steps: object, aliases: tuple[str, ...] = ()) -> None:
    kept = actions.find(desk.instance.db, name)
    if kept is not None:
        actions.remove(desk.instance.db, kept.action_id)
    actions.create(desk.instance.db, NewAction(name, list(steps), aliases))


def test_a_request_that_is_an_actions_name_or_alias_replays_it(
    desk: Desk, phone: PhoneHandle
) -> None:
    save(desk, "晨间检查", OPEN, CLICK, aliases=("morning check",))

    entries = desk.run("Morning  check.")

    steps = [json.loads(entry.data) for entry in entries if entry.name == "step"]
    assert [(step["tool"], step["ok"]) for step in steps] == [("de_run_action", True)]
    assert entries[-1].name == "done"
    assert json.loads(entries[-1].data)["answer"] == 'Did the saved action "晨间检查".'
    assert phone.log()[-1]["label"] == "蓝牙"


def test_an_action_that_fails_says_where(desk: Desk, phone: PhoneHandle) -> None:
    save(desk, "晚间检查", OPEN, {**CLICK, "selector": {"text": "没有"}, "timeout_s": 0.1})

    entries = desk.run("晚间检查")

    assert "steps.1" in json.loads(entries[-1].data)["answer"]
    assert phone.log() == []


def test_any_other_request_is_understood_as_before(desk: Desk, phone: PhoneHandle) -> None:
    save(desk, "晨间检查", OPEN, CLICK)

    entries = desk.run("晨间检查一下")

    assert [entry.name for entry in entries if entry.name == "step"] == []


def answered(desk: Desk, prompt: str) -> tuple[list[str], str]:
    """Return the tools that a run used, and its answer."""
    entries = desk.run(prompt)
    steps = [json.loads(entry.data)["tool"] for entry in entries if entry.name == "step"]
    return steps, str(json.loads(entries[-1].data)["answer"])


@pytest.mark.parametrize(
    "prompt",
    [
        "打开设置，然后蓝牙那一页，回到桌面",
        "请打开设置，接着执行「蓝牙那一页」再回到桌面吧",
        "open Settings, then bt page and go home",
        "Please open Settings. Then run the action bt page, and go home.",
    ],
)
def test_an_action_is_run_where_a_clause_is_its_name(
    desk: Desk, phone: PhoneHandle, prompt: str
) -> None:
    save(desk, "蓝牙那一页", CLICK, aliases=("bt page",))

    steps, answer = answered(desk, prompt)

    assert steps[-2:] == ["de_run_action", "de_press_key"]
    assert len(answer.splitlines()) == 3
    assert "蓝牙" in [each.get("label") for each in phone.log()]
    assert phone.state()["system"]["foreground"] != "com.android.settings"


@pytest.mark.parametrize(
    "prompt",
    [
        "打开设置，不要蓝牙那一页",
        "打开设置，然后别蓝牙那一页",
        "打开设置，蓝牙那一页，先不要做",
        "open Settings, do not bt page",
        "open Settings, then bt page, never mind",
        "打开设置，然后蓝牙那一页，哼哼哈嘿",
    ],
)
def test_nothing_is_done_where_a_clause_takes_it_back_or_is_not_understood(
    desk: Desk, phone: PhoneHandle, prompt: str
) -> None:
    save(desk, "蓝牙那一页", CLICK, aliases=("bt page",))

    steps, answer = answered(desk, prompt)

    assert steps == []
    assert phone.log() == []
    assert "手机上什么都没有动" in answer or "Nothing was done on the phone" in answer


def test_the_only_value_of_an_action_is_what_is_said_after_its_name(
    desk: Desk, phone: PhoneHandle
) -> None:
    steps = [
        {"type": "open_app", "app": "com.example.notes"},
        {"type": "click", "selector": {"description": "新建"}},
        {"type": "input_text", "selector": TITLE, "text": "{{title}}"},
    ]
    save(desk, "记一条", *steps)

    steps_done, said = answered(desk, "打开设置，记一条：买牛奶和面包，然后截图")

    assert steps_done[-2:] == ["de_run_action", "de_screenshot"], said
    draft = phone.state()["notes"]["ui"]["draft"]
    assert "买牛奶和面包" in (draft["title"], draft["body"])


def test_a_value_that_is_missing_is_named_before_anything_is_done(
    desk: Desk, phone: PhoneHandle
) -> None:
    save(desk, "记一条", OPEN, {"type": "input_text", "text": "{{正文}}"})

    steps, answer = answered(desk, "打开设置，记一条")

    assert steps == []
    assert "「记一条」还缺一个值：正文" in answer


def test_a_stale_action_is_run_by_its_name_and_said_to_be_stale(
    desk: Desk, phone: PhoneHandle
) -> None:
    save(desk, "晨间检查", OPEN, CLICK)
    kept = actions.resolve(desk.instance.db, "晨间检查")
    actions.replayed(desk.instance.db, kept, "the row was gone")

    steps, answer = answered(desk, "晨间检查")

    assert steps == ["de_run_action"]
    assert "已执行动作「晨间检查」。" in answer
    assert "可能过时（the row was gone）" in answer
    assert phone.log()[-1]["label"] == "蓝牙"
