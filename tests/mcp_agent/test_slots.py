"""Several runs at once, each on its own phone, as many as there are slots."""

import threading
from collections.abc import Iterator

import pytest

from core.devices import lease, store
from core.errors import SlotBusy
from mcp_agent.runner import RunStart
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import PolicyModel, Reply, Request
from tests.stack import wait_for
from virtual_phone.adb_server import AdbServer
from virtual_phone.testing import PhoneHandle, VirtualRack


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
