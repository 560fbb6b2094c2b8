"""A stop ends a run in whatever state it is, and frees its slot and its phone."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from core.devices import lease
from core.devices.lease import Claim
from core.runs import questions, store
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Refusal, Reply
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

LI = Claim("human", "human:li", "li")
LONG_S = 20  # what goes on lasts so long by itself
BUSY = Refusal(429, headers=(("Retry-After", "20"),))
ASK = Call(
    "ask_user_question", {"title": "哪个？", "question": "哪一个网络？", "options": ["甲", "乙"]}
)


@dataclass(frozen=True)
class State:
    """A place to be stopped in: how the model brings the run there, and what shows that it is."""

    reply: Reply | Refusal
    until: str = ""
    status: str = "running"
    fault: str = ""
    answer: str = ""
    reach: Callable[[Desk, str], object] = lambda desk, run_id: None


def take_over(desk: Desk, run_id: str) -> None:
    desk.runner.take_over(store.get(desk.instance.db, run_id).hardware_serial or "", LI, "zh")


STATES = {
    "the model says nothing": State(Reply(hang_s=LONG_S)),
    "the model talks": State(Reply("so far " * 500, trickle_s=0.05), "delta", answer="so far"),
    "a tool waits": State(
        Reply("I wait. ", calls=(Call("de_wait_for", {"text": "never", "timeout_s": 25}),)),
        "step_started",
        answer="I wait.",
    ),
    "a touch hangs": State(
        Reply(calls=(Call("de_press_key", {"key": "home"}),)), "step_started", fault="slow_dump"
    ),
    "the model is asked again later": State(BUSY, "notice"),
    "a person is asked": State(
        Reply("Which? ", calls=(ASK,)), "question", "waiting", answer="Which?"
    ),
    "a person has the phone": State(Reply(hang_s=LONG_S), status="paused", reach=take_over),
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_a_stop_frees_the_phone_from_any_state(
    desk: Desk, phone: PhoneHandle, settings: Settings, state: State
) -> None:
    if state.fault:
        phone.fault(state.fault, value=LONG_S / 3)
    with PolicyModel(lambda request: state.reply) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("等一等")
        if state.until:
            desk.entries(run_id, until=state.until)
        assert model.asked.wait(10)
        state.reach(desk, run_id)
        wait_for(lambda: store.get(desk.instance.db, run_id).status == state.status, state.status)

        begun = time.monotonic()
        desk.runner.stop(run_id)
        last = desk.entries(run_id)[-1]
        took = time.monotonic() - begun

    db = desk.instance.db
    payload = json.loads(last.data)
    assert (last.name, payload["stopped"]) == ("done", True)
    assert payload["answer"].startswith(state.answer or "已停止")
    assert took < LONG_S / 4  # it did not wait for what goes on; `python -m bench stop` measures
    assert store.get(db, run_id).status == "stopped"
    assert store.open_runs(db) == []
    assert {each.holder for each in lease.all_held(db).values()} <= {"human"}
    assert [each.status for each in questions.of_run(db, run_id) if each.open] == []


def test_a_run_that_waits_in_the_inbox_can_be_stopped(desk: Desk) -> None:
    desk.runner.shutdown()  # nobody claims any more
    run_id = desk.start("打开设置")

    desk.runner.stop(run_id)

    last = desk.entries(run_id)[-1]
    assert (last.name, json.loads(last.data)["stopped"]) == ("done", True)
    assert desk.runner.snapshot()["running"] is False


def test_a_stop_that_comes_twice_or_too_late_changes_nothing(
    desk: Desk, settings: Settings
) -> None:
    with PolicyModel(lambda request: Reply(hang_s=LONG_S)) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("等一等")
        assert model.asked.wait(10)
        for _ in range(2):
            desk.runner.stop(run_id)
        entries = desk.entries(run_id)
        desk.runner.stop(run_id)

    assert [entry.name for entry in entries].count("done") == 1
    assert desk.logs.read(run_id, entries[-1].id) == []
