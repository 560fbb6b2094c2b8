"""Without a model, a saved action is run by its name or an alias."""

import json

from core.memory import actions
from core.memory.actions import NewAction
from tests.mcp_agent.conftest import Desk
from virtual_phone.testing import PhoneHandle

OPEN = {"type": "open_app", "app": "设置"}
CLICK = {"type": "click", "selector": {"text": "蓝牙"}}


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
