"""Several runs at once, each on its own phone, as many as there are slots."""

import json
import threading
from collections.abc import Iterator

import pytest

from core.devices import lease, store
from core.errors import SlotBusy
from core.runs import store as runs
from mcp_agent.runner import RunStart
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Reply, Request, last_user, tool_texts
from tests.stack import wait_for
from virtual_phone.adb_server import AdbServer
from virtual_phone.testing import PhoneHandle, VirtualRack

QUESTION = {"title": "哪个？", "question": "哪一个网络？", "options": ["甲", "乙"]}
ASK = Call("ask_user_question", QUESTION)


@pytest.fixture
def second(desk: Desk, mcp_house: McpHouse, adb_server: AdbServer) -> Iterator[PhoneHandle]:
    """Connect a second phone for one test."""
    with VirtualRack(phones=1) as extra:
        phone = extra.phones[0]
        adb_server.connect(phone.address)
        wait_for(
            lambda: phone.address in {each.serial for each in store.ready(desk.instance.db)},
            "the second phone",
        )
        yield phone
        adb_server.disconnect(phone.address)
        mcp_house.phones.forget(phone.address)


def test_as_many_runs_go_on_at_once_as_there_are_slots_each_on_its_phone(
    desk: Desk, settings: Settings, phone: PhoneHandle, second: PhoneHandle
) -> None:
    go_on = threading.Event()

    def patient(request: Request) -> Reply:
        go_on.wait(20)
        return Reply(content="好了。")

    with PolicyModel(patient) as model:
        desk.settings = settings(model.url, agent_slots=1)
        first = desk.start("第一台")
        with pytest.raises(SlotBusy, match="第一台"):
            desk.runner.start(RunStart("第二台", second.address))
        desk.settings = settings(model.url, agent_slots=2)
        other = desk.runner.start(RunStart("第二台", second.address)).run_id
        wait_for(lambda: len(model.requests) == 2, "both models")
        shown = [run["serial"] for run in desk.runner.snapshot()["runs"]]
        held = {each.owner for each in lease.all_held(desk.instance.db).values()}
        go_on.set()
        ends = [desk.entries(run_id)[-1].name for run_id in (first, other)]

    assert shown == [desk.serial, second.address]
    assert held == {first, other}
    assert ends == ["done", "done"]
    assert lease.all_held(desk.instance.db) == {}


def test_an_answered_run_goes_on_before_a_new_one_as_soon_as_a_slot_is_free(
    desk: Desk, settings: Settings, phone: PhoneHandle, second: PhoneHandle
) -> None:
    go_on, refused = threading.Event(), threading.Event()

    def policy(request: Request) -> Reply:
        if last_user(request) == "第二台":
            go_on.wait(20)
            return Reply(content="第二台好了。")
        if not tool_texts(request):
            return Reply(calls=(ASK,))
        refused.wait(20)
        return Reply(content="好了。")

    with PolicyModel(policy) as model:
        desk.settings = settings(model.url, agent_slots=1)
        asking = desk.start("第一台")
        question = json.loads(desk.entries(asking, until="question")[-1].data)
        wait_for(lambda: _status(desk, asking) == "waiting", "the slot")
        other = desk.runner.start(RunStart("第二台", second.address)).run_id
        wait_for(lambda: len(model.requests) == 2, "the other run's model")
        desk.runner.answer(asking, question["question_id"], "甲", "li")
        answered = _status(desk, asking)
        go_on.set()
        desk.entries(other)
        with pytest.raises(SlotBusy, match="第一台"):
            desk.runner.start(RunStart("第三", second.address))
        refused.set()
        last = desk.entries(asking)[-1]

    assert answered == "waiting"  # its slot is not free yet
    assert json.loads(last.data)["answer"] == "好了。"


def _status(desk: Desk, run_id: str) -> str:
    return runs.get(desk.instance.db, run_id).status
