"""How long a stop takes until slot and phone are free, against waiting for the turn's own end.

Real parts: the runners, the MCP server and a virtual phone; the model is a policy server. The
places that are slow to leave by themselves are measured: a stream that trickles, a tool that
waits, a step of a task that waits.
"""

import statistics
import time
from collections.abc import Iterator

from bench._house import one_phone
from bench.figure import Figure
from bench.loop import settings_of
from core.devices import lease
from core.runs import store
from core.runs.logs import EventLogs
from core.tasks import line
from mcp_agent.runner import Runner, RunStart
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.tasking import Shop
from tests.policy_model import Call, PolicyModel, Reply, Request

ROUNDS = 5
TURN_S = 4
GOAL = 1 / TURN_S  # a stop frees the phone within a second
ENTERED = {"stream": "delta", "tool": "step_started"}


def figures() -> Iterator[Figure]:
    """Measure a stop in the middle of a stream and in the middle of a tool."""
    with one_phone() as house:
        yield from _measured(house)


def _measured(house: McpHouse) -> Iterator[Figure]:
    for where in ENTERED:
        with PolicyModel(lambda request, at=where: _reply(request, at)) as model:  # type: ignore[misc]
            own_end = _seconds(house, model.url, where, stop=False)
            stopped = [_seconds(house, model.url, where, stop=True) for _ in range(ROUNDS)]
        yield _figure(where, stopped, own_end)
    own_end = _task_seconds(house, stop=False)
    yield _figure("task", [_task_seconds(house, stop=True) for _ in range(ROUNDS)], own_end)


def _figure(where: str, stopped_s: list[float], own_end_s: float) -> Figure:
    value = statistics.median(stopped_s) * 1000
    return Figure(f"stop.{where}", round(value, 1), "ms", round(own_end_s * 1000, 1), GOAL)


def _task_seconds(house: McpHouse, stop: bool) -> float:
    """Run a task and give the time from the middle of a step until the phone is free."""
    shop = Shop(house)
    try:
        [run_id] = shop.start(shop.save({"type": "wait", "seconds": TURN_S})).run_ids
        shop.at(run_id, "steps.0")
        begun = time.perf_counter()
        if stop:
            shop.runner.stop(line.stop(shop.db, run_id))
        while lease.all_held(shop.db):
            time.sleep(0.002)
        return time.perf_counter() - begun
    finally:
        shop.runner.shutdown()


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
