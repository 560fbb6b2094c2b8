"""What the second run of a job costs against its first: model calls, tokens, seconds.

The first is an agent's, with a policy model that reads the tree; the second is the task that was
made of what it did. Real parts: runner, MCP server, virtual phone, the task runner.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench._house import one_phone
from bench.figure import Figure
from bench.loop import settings_of
from core.runs import store as agent_runs
from core.runs.logs import EventLogs
from core.screen import tokens
from core.tasks import groups, runs, store
from core.tasks.groups import Start
from core.tasks.schema import TaskSpec
from mcp_agent.runner import Runner, RunStart
from mcp_agent.task_runner import TaskRunner
from tests import designing
from tests.fixtures_mcp import McpHouse
from tests.policy_model import PolicyModel, Reply, Request

LIMIT_S = 60
BEGIN: dict[str, Any] = {"type": "close_app", "app": designing.APP}


@dataclass
class Explorer:
    """The policy, which answers where it would hand steps in; ``draft`` is what these were."""

    draft: dict[str, Any] = field(default_factory=dict)

    def policy(self, request: Request) -> Reply:
        """Go on until the job is done, then say so."""
        reply = designing.designs(request)
        handed_in = [call for call in reply.calls if call.name == "submit_task"]
        if not handed_in:
            return reply
        self.draft = dict(handed_in[0].arguments)
        return Reply(content="The post is open.")


def figures() -> Iterator[Figure]:
    """Do a job with a model and again without one."""
    with one_phone() as house:
        yield from _measured(house)


def _measured(house: McpHouse) -> Iterator[Figure]:
    explorer = Explorer()
    with PolicyModel(explorer.policy) as model:
        begun = time.perf_counter()
        _explored(house, model.url)
        first_s = time.perf_counter() - begun
        calls = len(model.bodies)
        begun = time.perf_counter()
        _replayed(house, explorer.draft)
        second_s = time.perf_counter() - begun
        asked = [_tokens(body) for body in model.bodies]
    yield Figure("steps.second_run_calls", len(asked) - calls, "calls", calls, 0.0)
    yield Figure("steps.second_run_tokens", sum(asked[calls:]), "tokens", sum(asked[:calls]), 0.0)
    yield Figure("steps.second_run_s", round(second_s, 2), "s", round(first_s, 2))


def _tokens(body: bytes) -> int:
    """Count what a request costs, as a model without a cache would."""
    return tokens.estimate(body.decode())


def _explored(house: McpHouse, url: str) -> None:
    """Let the agent do it."""
    db = house.instance.db
    logs = EventLogs(db, agent_runs.next_boot(db))
    runner = Runner(house.instance, logs, load_settings=lambda: settings_of(url))
    logs.start()
    runner.begin()
    try:
        run_id = runner.start(RunStart(designing.PROMPT, house.serial, autonomy="auto")).run_id
        while not any(entry.terminal for entry in logs.read(run_id, 0)):
            logs.bell.wait(logs.bell.count(), 0.05)
    finally:
        runner.shutdown()
        logs.close()


def _replayed(house: McpHouse, draft: dict[str, Any]) -> None:
    """Do it as a task.

    Raises:
        RuntimeError: It did not come to its end.
    """
    db = house.instance.db
    spec = TaskSpec(
        name=draft["name"], steps=[BEGIN, *draft["steps"]], inputs=draft["inputs"] or {}
    )
    carried = TaskRunner(house.instance, house.phones)
    carried.begin()
    try:
        task = store.create(db, spec, "bench")
        [run_id] = groups.start(db, task.task_id, Start()).run_ids
        carried.wake()
        until = time.monotonic() + LIMIT_S
        while (run := runs.get(db, run_id, "en"))["ended"] is None and time.monotonic() < until:
            time.sleep(0.01)
        if run["status"] != "success":
            raise RuntimeError(f"the task did not come to its end: {run}")
    finally:
        carried.shutdown()
