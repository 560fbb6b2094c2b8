"""How long a stop takes until slot and phone are free, against waiting for the turn's own end.

Real parts: the runner, the MCP server and a virtual phone; the model is a policy server. The two
places that are slow to leave by themselves are measured: a stream that trickles, a tool that waits.
"""

import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figure import Figure
from bench.loop import settings_of
from core.devices import lease
from core.runs import store
from core.runs.logs import EventLogs
from mcp_agent.runner import Runner, RunStart
from tests.fixtures_mcp import McpHouse
from tests.policy_model import Call, PolicyModel, Reply, Request
from virtual_phone.adb_server import AdbServer, free_port
from virtual_phone.testing import VirtualRack

ROUNDS = 5
TURN_S = 4
GOAL = 1 / TURN_S  # a stop frees the phone within a second
ENTERED = {"stream": "delta", "tool": "step_started"}


def figures() -> Iterator[Figure]:
    """Measure a stop in the middle of a stream and in the middle of a tool."""
    os.environ["ANDROID_ADB_SERVER_PORT"] = str(port := free_port())
    server = AdbServer(port)
    with TemporaryDirectory() as folder, VirtualRack(phones=1) as rack:
        server.connect(rack.phones[0].address)
        house = McpHouse(Path(folder) / "data", [rack.phones[0].address]).start()
        try:
            yield from _measured(house)
        finally:
            house.stop()
            server.close()


def _measured(house: McpHouse) -> Iterator[Figure]:
    for where in ENTERED:
        with PolicyModel(lambda request, at=where: _reply(request, at)) as model:  # type: ignore[misc]
            own_end = _seconds(house, model.url, where, stop=False)
            stopped = [_seconds(house, model.url, where, stop=True) for _ in range(ROUNDS)]
        value = statistics.median(stopped) * 1000
        yield Figure(f"stop.{where}", round(value, 1), "ms", round(own_end * 1000, 1), GOAL)


def _reply(request: Request, where: str) -> Reply:
    """Talk for as long as a turn takes, or wait in a tool for as long."""
    if where == "stream":
        return Reply(content="word " * 60, trickle_s=TURN_S / 43)
    if any(message["role"] == "tool" for message in request["messages"]):
        return Reply(content="done")
    return Reply(calls=(Call("de_wait_for", {"text": "never", "timeout_s": TURN_S}),))


def _seconds(house: McpHouse, url: str, where: str, stop: bool) -> float:
    """Run once and give the time from its middle until slot and phone are free."""
    db = house.instance.db
    logs = EventLogs(db, store.next_boot(db))
    runner = Runner(house.instance, logs, load_settings=lambda: settings_of(url))
    logs.start()
    runner.begin()
    try:
        run_id = runner.start(RunStart("wait", house.serial)).run_id
        _until(logs, run_id, ENTERED[where])
        begun = time.perf_counter()
        if stop:
            runner.stop(run_id)
        while lease.all_held(db) or store.open_runs(db):
            time.sleep(0.002)
        return time.perf_counter() - begun
    finally:
        runner.shutdown()
        logs.close()


def _until(logs: EventLogs, run_id: str, name: str) -> None:
    while not any(entry.name == name for entry in logs.read(run_id, 0)):
        logs.bell.wait(logs.bell.count(), 0.05)
