"""A model explores a job on the phone, and what it hands in is checked and done without it."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from core import settings as stored
from core.memory import actions
from core.memory.actions import NewAction
from core.runs.log import Entry
from mcp_agent.designer import ROUNDS
from tests.designing import FAILED, PROMPT, designs
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

MESSAGES = "com.android.messaging"
OPEN = {"type": "open_app", "app": "设置"}
BLUETOOTH = {"type": "wait_for", "selector": {"text": "蓝牙"}, "timeout_s": 2}
NOWHERE = {"type": "click", "selector": {"text": "不存在的按钮"}, "timeout_s": 0.2}
SEND = {"type": "click", "selector": {"description": "发送"}, "timeout_s": 2}


def design(desk: Desk, settings: Settings, policy: Callable[[Request], Reply], **asked: Any):
    with PolicyModel(policy) as model:
        desk.settings = settings(model.url)
        entries = desk.run(asked.pop("prompt", "设计一个任务"), mode="designer", **asked)
        return entries, model


def hands_in(*drafts: dict[str, Any]) -> Callable[[Request], Reply]:
    """Be a model that hands in one draft after the other, and in the end gives up."""

    def policy(request: Request) -> Reply:
        given = len(tool_texts(request))
        if given == len(drafts):
            return Reply(content="没办法了。")
        return Reply(calls=(Call("submit_task", drafts[given]),))

    return policy


def draft(*steps: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    return {"name": "任务", "steps": list(steps), "inputs": inputs}


def tools(entries: Iterable[Entry], name: str = "step") -> list[dict[str, Any]]:
    return [json.loads(entry.data) for entry in entries if entry.name == name]


def end(entries: list[Entry]) -> dict[str, Any]:
    return tools(entries, entries[-1].name)[-1]


def test_what_was_explored_is_mended_by_its_check_and_ends_as_a_proved_draft(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    entries, model = design(desk, settings, designs, prompt=PROMPT)

    done, kept = end(entries), stored.load(desk.instance).agent_task_draft or {}
    assert [step["type"] for step in done["draft"]["steps"]] == [
        "close_app",
        "open_app",
        "input_text",
        "click",
        "click",
        "assert",
    ]
    assert done["draft"]["inputs"] == {"word": "咖啡"}
    assert (done["warnings"], done["verified"], done["mode"]) == ([], True, "designer")
    assert "draft_error" not in done
    submitted = [step for step in tools(entries) if step["tool"] == "submit_task"]
    assert [step["ok"] for step in submitted] == [False, True]
    assert FAILED in submitted[0]["text"] and "steps.1" in submitted[0]["text"]
    assert kept["draft"] == done["draft"] and kept["prompt"] == PROMPT
    assert kept["replay"]["ok"]
    assert [(step["n"], step["status"]) for step in kept["replay"]["steps"]] == [
        (n, "ok") for n in range(1, 7)
    ]
    assert phone.get("xiaoji.ui.page") == "post"
    assert model.requests[0]["max_tokens"] == 8192


def test_a_check_is_shown_step_by_step_with_pictures_and_calls_no_model(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    entries, model = design(desk, settings, hands_in(draft(OPEN, BLUETOOTH)))

    shown = [step for step in tools(entries) if step["tool"].startswith("replay.")]
    assert [step["tool"] for step in shown] == ["replay.open_app", "replay.wait_for"]
    assert [step["args"]["path"] for step in shown] == ["steps.0", "steps.1"]
    assert all(step["ok"] and step["image"] for step in shown)
    assert len(model.requests) == 1
    assert end(entries)["verified"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"steps": '[{"type": "open_app", "app": "设'}, "steps is a text, and no JSON"),
        ({"steps": [{"type": "tap_it"}]}, "steps.0.type: no step type 'tap_it'"),
        ({"steps": [OPEN] * 501}, "steps holds more than 500 steps"),
        ({"steps": [{"type": "run_action", "name": "没有"}]}, "steps.0.name"),
        ({"steps": [{**OPEN, "app": "{{app}}"}]}, "app must be given in inputs"),
        ({"steps": [OPEN, {"type": "click", "selector": {}}]}, "steps.1.selector"),
        ({"steps": []}, "steps is empty"),
        ({"steps": [OPEN], "name": " "}, "name is no text"),
        ({"steps": [OPEN], "inputs": [1]}, "inputs is an object"),
    ],
)
def test_what_is_wrong_with_a_draft_goes_back_with_its_place(
    desk: Desk, settings: Settings, phone: PhoneHandle, wrong: dict[str, Any], said: str
) -> None:
    entries, _ = design(desk, settings, hands_in({"name": "任务", **wrong}))

    [submitted] = [step for step in tools(entries) if step["tool"] == "submit_task"]
    done = end(entries)
    assert not submitted["ok"] and said in submitted["text"]
    assert said in done["draft_error"]
    assert "draft" not in done and done["answer"] == "没办法了。"
    assert phone.log() == []


def test_after_three_failed_checks_the_draft_is_kept_and_says_which_step_fails(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    entries, model = design(desk, settings, hands_in(*[draft(OPEN, NOWHERE)] * 5))

    done, kept = end(entries), stored.load(desk.instance).agent_task_draft or {}
    assert len(model.requests) == ROUNDS
    assert "steps.1" in done["warnings"][-1] and "steps.1" in done["answer"]
    assert done["verified"] is False
    assert not kept["replay"]["ok"]
    failed = kept["replay"]["steps"][1]
    assert (failed["n"], failed["type"], failed["status"]) == (2, "click", "failed")
    assert failed["error"]["code"] == "element_gone"


def test_a_step_that_a_person_must_let_through_ends_the_check_without_a_touch(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    phone.start(MESSAGES)
    phone.set("messages.ui", {**phone.get("messages.ui"), "page": "thread", "thread": 1})
    field = {"className": "android.widget.EditText"}
    words = {"type": "input_text", "text": "我到了", "selector": field}
    steps = [{"type": "open_app", "app": MESSAGES}, words, SEND]

    entries, model = design(desk, settings, hands_in(draft(*steps)), autonomy="confirm_risky")

    done = end(entries)
    assert "steps.2" in done["warnings"][-1]
    assert (done["verified"], len(model.requests)) == (None, 1)
    assert "发送" not in [touch.get("label") for touch in phone.log()]


def test_a_run_that_hands_nothing_in_says_so(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    entries, _ = design(desk, settings, lambda request: Reply(content="我想不出来。"))

    assert end(entries)["draft_error"] == "模型没有提交步骤。"


def test_points_are_allowed_and_warned_about(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    point = {"type": "click_xy", "x": 0.5, "y": 0.02}
    entries, _ = design(desk, settings, hands_in(draft(OPEN, point, BLUETOOTH)))

    assert any("steps.1" in warning for warning in end(entries)["warnings"])


def test_a_run_that_may_only_look_keeps_its_draft_unchecked(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    entries, _ = design(desk, settings, hands_in(draft(OPEN, BLUETOOTH)), autonomy="observe")

    kept = stored.load(desk.instance).agent_task_draft or {}
    assert kept["replay"] is None and kept["draft"]["name"] == "任务"
    assert end(entries)["warnings"]
    assert phone.log() == []


def test_a_stop_ends_a_check_within_a_second(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    long = {"type": "wait", "seconds": 60}
    with PolicyModel(hands_in(draft(OPEN, long))) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("设计一个任务", mode="designer")
        wait_for(lambda: "replay.wait" in begun(desk, run_id), "the long step")
        desk.runner.stop(run_id)
        entries = desk.entries(run_id)

    assert end(entries)["stopped"]
    assert {step["tool"] for step in tools(entries)} <= {"submit_task", "replay.open_app"}


def begun(desk: Desk, run_id: str) -> list[str]:
    entries = desk.logs.read(run_id, 0)
    return [step["tool"] for step in tools(entries, "step_started")]


def test_actions_may_stand_in_a_draft(desk: Desk, settings: Settings, phone: PhoneHandle) -> None:
    db = desk.instance.db
    if actions.find(db, "去蓝牙") is None:
        actions.create(db, NewAction("去蓝牙", [OPEN, BLUETOOTH]))
    step = {"type": "run_action", "name": "去蓝牙"}

    entries, _ = design(desk, settings, hands_in(draft(step)))

    assert end(entries)["verified"]
