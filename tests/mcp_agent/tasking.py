"""What tests of task runs share: a runner over a real MCP server, and ways to wait for it."""

from typing import Any

from core.tasks import groups, runs, store
from core.tasks.groups import Start, Started
from core.tasks.schema import TaskSpec
from core.tasks.store import Task
from mcp_agent.task_runner import TaskRunner
from tests.fixtures_mcp import McpHouse
from tests.stack import wait_for

OPEN = {"type": "open_app", "app": "设置"}
LONG = {"type": "wait", "seconds": 60}


def click(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "click", "selector": {"text": text}, **more}


class Shop:
    """Task runs over one MCP server, as the console carries them."""

    def __init__(self, house: McpHouse, places: int = 24) -> None:
        self.house = house
        self.db = house.instance.db
        self.runner = TaskRunner(house.instance, house.phones, places)
        self.runner.begin()

    def save(self, *steps: dict[str, Any], **more: Any) -> Task:
        targets = {"serials": [self.house.serial]}
        body = {"name": "任务", "steps": list(steps), "targets": targets, **more}
        return store.create(self.db, TaskSpec.model_validate(body), "li")

    def start(self, task: Task, **asked: Any) -> Started:
        started = groups.start(self.db, task.task_id, Start(who="li", lang="en", **asked))
        self.runner.wake()
        return started

    def run(self, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Save a task, start it on the one phone, and give the run once it has ended."""
        [run_id] = self.start(self.save(*steps, **more)).run_ids
        return self.ended(run_id)

    def get(self, run_id: str) -> dict[str, Any]:
        return runs.get(self.db, run_id, "en")

    def status(self, run_id: str) -> str:
        return str(self.get(run_id)["status"])

    def at(self, run_id: str, path: str) -> None:
        wait_for(lambda: self.get(run_id)["at"] == path, f"{path} of {run_id}")

    def ended(self, run_id: str) -> dict[str, Any]:
        wait_for(lambda: self.get(run_id)["ended"] is not None, f"the end of {run_id}", 45)
        return self.get(run_id)
