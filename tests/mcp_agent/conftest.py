"""What the agent's tests share: settings for a policy model, and a runner over real parts."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.runs import store
from core.runs.log import Entry
from core.runs.logs import EventLogs
from core.settings import AgentSettings
from core.setup import Instance
from core.tasks import line
from mcp_agent.runner import Runner, RunStart
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.tasking import Shop
from virtual_phone.testing import PhoneHandle

Settings = Callable[..., AgentSettings]
END_S = 30


@dataclass
class Desk:
    """A runner with its logs, as the console has them; ``settings`` are those of the next run."""

    instance: Instance
    serial: str
    settings: AgentSettings
    logs: EventLogs = field(init=False)
    runner: Runner = field(init=False)

    def open(self) -> "Desk":
        db = self.instance.db
        self.logs = EventLogs(db, store.next_boot(db))
        self.runner = Runner(self.instance, self.logs, load_settings=lambda: self.settings)
        self.logs.start()
        self.runner.begin()
        return self

    def close(self) -> None:
        self.runner.shutdown()
        self.logs.close()

    def start(self, prompt: str, **asked: Any) -> str:
        return self.runner.start(RunStart(prompt, self.serial, **asked)).run_id

    def entries(self, run_id: str, until: str = "") -> list[Entry]:
        """Follow a run to its end, or to the first event of a name."""
        entries: list[Entry] = []
        until_s = time.monotonic() + END_S
        while time.monotonic() < until_s:
            heard = self.logs.bell.count()
            for entry in self.logs.read(run_id, entries[-1].id if entries else 0):
                entries.append(entry)
                if entry.terminal or entry.name == until:
                    return entries
            self.logs.bell.wait(heard, 1)
        raise AssertionError(f"no end after {[entry.name for entry in entries]}")

    def run(self, prompt: str, **asked: Any) -> list[Entry]:
        return self.entries(self.start(prompt, **asked))


def data(entry: Entry) -> dict[str, Any]:
    """Read what an event tells."""
    return dict(json.loads(entry.data))


def names(entries: list[Entry]) -> list[str]:
    return [entry.name for entry in entries]


@pytest.fixture
def settings() -> Settings:
    """Make settings that point at a policy model; with no address, at nothing."""

    def make(url: str = "http://127.0.0.1:9", **changes: object) -> AgentSettings:
        given: dict[str, object] = {
            "agent_api_base": url,
            "agent_model": "policy",
            "agent_api_key": "sk-test-0123456789",
            "agent_autonomy": "auto",
        }
        return AgentSettings(**{**given, **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture
def desk(mcp_house: McpHouse, settings: Settings) -> Iterator[Desk]:
    """Give a runner over the real MCP server and the virtual phone; it runs without a model."""
    made = Desk(mcp_house.instance, mcp_house.serial, settings(agent_model="")).open()
    yield made
    made.close()


@pytest.fixture
def shop(mcp_house: McpHouse, phone: PhoneHandle) -> Iterator[Shop]:
    """Give task runs over the real MCP server and the virtual phone."""
    made = Shop(mcp_house)
    yield made
    line.stop_all(made.db, task_id="")
    made.runner.shutdown()
