"""A replay that was left standing, in the process that has it."""

import pytest

from core.devices.android import AndroidPhone
from core.devices.live import Live
from core.memory import actions
from core.memory.actions import NewAction
from core.models import Device as DeviceRow
from core.runs import standing, store
from core.runs.record import RunRequest
from core.setup import Instance
from mcp_server import actions as replays
from mcp_server.access import Access, Caller, Device
from mcp_server.acting import Acting
from mcp_server.actions import NAME, ActionTools
from mcp_server.consent import Call
from mcp_server.device_apps import AppTools
from mcp_server.device_write import WriteTools
from mcp_server.hands import Ways
from mcp_server.rack import Rack
from mcp_server.sight import Sight
from mcp_server.slot import Slot
from tests.full_disk import room_for_none

WAITS = [{"type": "wait", "seconds": 0.01}] * 2


def a_run(instance: Instance) -> Caller:
    with instance.db.write() as session:
        session.add(DeviceRow(serial="s1", hardware_serial="HW1", state="ready"))
    asked = RunRequest("wait", "s1", None, "chat", "phone", "offline", "auto", 9, "en")
    run = store.begin(instance.db, store.start(instance.db, asked, slots=1).run_id)
    assert run is not None
    return Caller(
        key="k",
        who="a run",
        owner=run.run_id,
        lang="en",
        can_write=True,
        fence=run.fence,
        run_id=run.run_id,
    )


def test_a_replay_that_came_to_its_end_is_told_as_done_on_a_full_disk_too(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    rack = Rack(instance.db, [])
    acting = Acting(Access(instance, rack), Sight())
    tools = ActionTools(Ways(acting, AppTools(acting), WriteTools(acting)))
    phone = AndroidPhone(rack.adb.link("s1"))
    caller = a_run(instance)
    device = Device(Slot(phone, Live(phone), "HW1"), caller)
    actions.create(instance.db, NewAction("waits", WAITS))
    call = Call(NAME, {"name": "waits", "inputs": None})
    replay = tools._begun(device, call)

    with monkeypatch.context() as short:
        short.setattr(replays, "LIMIT_S", -1.0)
        first = tools._go_on(replay)
    again = tools._standing_one(device, call)
    with room_for_none(instance.db):
        done = tools._go_on(again or replay)

    assert "Not finished yet" in first[0]
    assert again is replay
    assert 'Ran "waits": 2 steps.' in done[0]
    assert standing.take(instance.db, caller.owner) == call.text
