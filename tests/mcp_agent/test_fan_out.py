"""One task on many phones with a row of data each: one phone drops, one is busy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.devices import lease, store
from core.devices.lease import Claim
from core.tasks import groups, runs
from core.tasks.groups import Start
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.tasking import OPEN, Shop, click
from tests.stack import wait_for
from virtual_phone.adb_server import AdbServer, free_port
from virtual_phone.testing import VirtualRack

FIELD = {"className": "android.widget.EditText"}
STEPS = [
    {"type": "close_app", "app": "设置"},
    OPEN,
    click("搜索设置"),
    {"type": "input_text", "text": "{{word}}", "selector": FIELD, "clear": True},
    {"type": "wait", "seconds": 1},
    {"type": "hide_keyboard"},
    {"type": "extract", "selector": FIELD, "into": "read"},
]


@pytest.fixture(params=[3, pytest.param(10, marks=pytest.mark.soak)])
def rack(request: pytest.FixtureRequest) -> Iterator[VirtualRack]:
    with VirtualRack(phones=request.param) as made:
        yield made


@pytest.fixture
def shop(rack: VirtualRack, tmp_path: Path) -> Iterator[Shop]:
    server = AdbServer(free_port())
    addresses = [phone.address for phone in rack.phones]
    house = McpHouse(tmp_path / "data", addresses, adb_port=server.port).start()
    made = Shop(house)
    try:
        yield made
    finally:
        made.runner.shutdown()
        house.stop()
        server.close()


@pytest.mark.timeout(180)
def test_the_matrix_tells_of_each_phone_and_a_retry_mends_what_failed(
    shop: Shop, rack: VirtualRack
) -> None:
    dropping, busy, *_ = rack.phones
    words = [f"word {at}" for at in range(len(rack.phones))]
    targets = {"serials": [phone.address for phone in rack.phones]}
    task = shop.save(*STEPS, rows=[{"word": word} for word in words], targets=targets)
    with shop.db.write() as session:
        lease.take(session, busy.serialno, Claim("human", "human:1", "Wang"), 600)

    started = shop.start(task)
    shop.at(started.run_ids[0], "steps.4")
    dropping.fault("offline_link")
    first = [shop.ended(run_id) for at, run_id in enumerate(started.run_ids) if at != 1]
    waiting = shop.status(started.run_ids[1])
    with shop.db.write() as session:
        lease.release(session, "human:1")
    shop.ended(started.run_ids[1])

    cells = matrix(shop, task.task_id, started.group_id)
    assert waiting == "queued"
    assert [run["status"] for run in first] == ["failed", *["success"] * (len(words) - 2)]
    assert [(cell["serial"], cell["row"]) for cell in cells] == [
        (phone.address, at) for at, phone in enumerate(rack.phones)
    ]
    assert [cell["status"] for cell in cells] == ["failed", *["success"] * (len(words) - 1)]
    assert cells[0]["error"]["code"] in ("device_lost", "device_offline", "device_slow")
    assert [shop.get(each)["values"].get("read") for each in started.run_ids[1:]] == words[1:]
    assert lease.all_held(shop.db) == {}

    dropping.fault("offline_link", on=False)
    wait_for(lambda: len(store.ready(shop.db)) == len(words), "the phone that dropped")
    again = groups.retry(shop.db, task.task_id, started.group_id, Start(who="li"))
    shop.runner.wake()
    shop.ended(again.run_ids[0])

    cells = matrix(shop, task.task_id, started.group_id)
    assert len(again.run_ids) == 1
    assert [(cell["status"], cell["tries"]) for cell in cells] == [
        ("success", 2),
        *[("success", 1)] * (len(words) - 1),
    ]
    assert shop.get(again.run_ids[0])["values"]["read"] == words[0]

    rows = shop.start(shop.save(*STEPS, rows=[{"word": "a"}] * 2, targets={"any": True}))
    took = [shop.ended(run_id) for run_id in rows.run_ids]
    assert {run["status"] for run in took} == {"success"}
    assert len({run["serial"] for run in took}) == 2


def matrix(shop: Shop, task_id: str, group_id: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = runs.matrix(shop.db, task_id, group_id, "en")["cells"]
    return cells
