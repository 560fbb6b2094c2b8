"""What every provider must keep, whatever brain is behind it.

A harness makes the brain do what a case needs; where a brain cannot, its caps say so and the
harness names the cap. Other brains join by a harness of their own.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import pytest

from core.runs import store
from core.runs.events import (
    Closed,
    Consumed,
    ProviderEvent,
    SessionStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnResult,
)
from core.settings import AgentSettings
from mcp_agent.providers.base import AgentQuery, Http, QueryInput, provider
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request, tool_texts
from tests.small_mcp import SmallMcp
from tests.stack import ROOT, free_port, wait_for
from virtual_phone.testing import PhoneHandle

END_S = 20


class Harness(Protocol):
    """One provider under test; ``lacks`` are the caps that it does not have."""

    name: str
    lacks: frozenset[str]

    def settings(self) -> AgentSettings: ...

    def calls(self, tool: str, **arguments: Any) -> str: ...

    def talks(self) -> str: ...

    def fails(self) -> str: ...


@dataclass
class OpenAIHarness:
    """Our loop with a policy model: it does what its prompt says, then answers."""

    model: PolicyModel
    make: Settings
    name: str = "openai"
    lacks: frozenset[str] = frozenset()

    def settings(self) -> AgentSettings:
        return self.make(self.model.url, agent_provider="openai")

    def calls(self, tool: str, **arguments: Any) -> str:
        import json

        return f"CALL {tool} {json.dumps(arguments)}"

    def talks(self) -> str:
        return "TALK"

    def fails(self) -> str:
        return "FAIL"


def scripted(request: Request) -> Reply | Refusal:
    """Follow the first user message, a function of the request alone."""
    import json

    said = [m["content"] for m in request["messages"] if m["role"] == "user"]
    prompt = next((text for text in said if isinstance(text, str)), "")
    if prompt == "FAIL":
        return Refusal(401, "bad key")
    if prompt == "TALK":
        return Reply(content="one two three " * 400, trickle_s=0.02)
    if prompt.startswith("CALL") and not tool_texts(request):
        _, tool, arguments = prompt.split(" ", 2)
        return Reply(calls=(Call(tool, json.loads(arguments)),))
    return Reply(content=f"{len(said)}: {said[-1] if isinstance(said[-1], str) else 'picture'}")


@dataclass
class OfflineHarness:
    """The rules; they speak to a real phone only, and neither talk at length nor see."""

    make: Settings
    name: str = "offline"
    lacks: frozenset[str] = frozenset({"text_deltas", "images_in", "any_tool"})

    def settings(self) -> AgentSettings:
        return self.make(agent_model="", agent_provider="offline")

    def calls(self, tool: str, **arguments: Any) -> str:
        return "等待「永远不会出现」"

    def talks(self) -> str:
        return ""

    def fails(self) -> str:
        return ""


@pytest.fixture(params=["openai", "offline"])
def brain(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Harness]:
    if request.param == "offline":
        yield OfflineHarness(settings)
        return
    with PolicyModel(scripted) as model:
        yield OpenAIHarness(model, settings)


@pytest.fixture(scope="module")
def server() -> Iterator[SmallMcp]:
    running = SmallMcp().start()
    yield running
    running.kill()


@dataclass
class Turn:
    """One query, read in a thread of its own."""

    query: AgentQuery
    events: list[ProviderEvent] = field(default_factory=list)
    seen: threading.Condition = field(default_factory=threading.Condition)

    def start(self) -> "Turn":
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        return self

    def _read(self) -> None:
        for event in self.query.events():
            with self.seen:
                self.events.append(event)
                self.seen.notify_all()

    def until(self, kind: type) -> None:
        with self.seen:
            there = self.seen.wait_for(lambda: bool(self.all(kind)), END_S)
        assert there, self.events

    def end(self) -> "Turn":
        self.thread.join(END_S)
        assert not self.thread.is_alive()
        assert isinstance(self.events[-1], Closed)
        assert len(self.all(TurnResult)) == 1
        return self

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def result(self) -> TurnResult:
        return self.all(TurnResult)[0]  # type: ignore[no-any-return]


def turn(brain: Harness, prompt: str, url: str, **given: Any) -> Turn:
    asked = QueryInput(
        input_id="A", prompt=prompt, settings=brain.settings(), mcp={"phone": Http(url)}
    )
    return Turn(provider(brain.name).query(replace(asked, **given))).start()


def needs(brain: Harness, *caps: str) -> bool:
    """Say whether a case means something for a brain; what it lacks, its caps must admit."""
    missing = [cap for cap in caps if cap in brain.lacks]
    said = provider(brain.name).caps
    assert not any(getattr(said, cap, False) for cap in missing)
    return not missing


def test_a_session_begins_consumes_its_input_and_is_closed(
    brain: Harness, server: SmallMcp
) -> None:
    ended = turn(brain, "hello", server.url).end()

    assert isinstance(ended.events[0], SessionStarted)
    assert ended.all(Consumed)[0].input_ids == ("A",)
    assert ended.result.status == "ok"
    assert (ended.events[-1].reason, ended.events[-1].retryable) == ("finished", False)  # type: ignore[union-attr]


def test_a_picture_reaches_a_brain_that_sees(brain: Harness, server: SmallMcp) -> None:
    if not needs(brain, "images_in"):
        return

    ended = turn(brain, brain.calls("picture"), server.url).end()

    assert ended.all(ToolFinished)[0].pictures[0].mime == "image/jpeg"
    assert ended.result.text == "2: picture"


def test_what_is_pushed_during_a_tool_is_taken_in_by_the_same_turn(
    brain: Harness, server: SmallMcp
) -> None:
    if not needs(brain, "any_tool"):
        return
    going = turn(brain, brain.calls("act", seconds=1), server.url)
    going.until(ToolStarted)

    injected = going.query.push("and this", "B")
    going.end()

    assert injected == "injected"
    assert [event.input_ids for event in going.all(Consumed)] == [("A",), ("B",)]
    assert going.query.push("too late", "C") == "queued"
    assert going.result.text.endswith("and this")


def test_a_question_parks_the_turn_until_it_is_answered(brain: Harness, server: SmallMcp) -> None:
    if not needs(brain, "any_tool"):
        return
    going = turn(brain, brain.calls("ask"), server.url)
    going.until(ToolFinished)
    parked = going.thread.is_alive()

    going.query.answer("q1", "approve")
    going.end()

    assert parked
    assert [event.text for event in going.all(ToolFinished)] == [
        "Waiting for approval q1",
        "Acted.",
    ]
    assert going.result.status == "ok"


@pytest.mark.parametrize("where", ["stream", "tool"])
def test_a_stop_ends_the_turn_wherever_it_is(brain: Harness, server: SmallMcp, where: str) -> None:
    if not needs(brain, "text_deltas" if where == "stream" else "any_tool"):
        return
    prompt = brain.talks() if where == "stream" else brain.calls("look", seconds=15)
    going = turn(brain, prompt, server.url)
    going.until(TextDelta if where == "stream" else ToolStarted)

    going.query.abort("stopped")
    going.query.abort("again")
    going.end()

    assert going.result.status == "aborted"
    assert going.events[-1] == Closed("stopped")


def test_a_model_that_refuses_is_a_result_with_a_code(brain: Harness, server: SmallMcp) -> None:
    if not brain.fails():
        return  # nothing behind it can refuse

    ended = turn(brain, brain.fails(), server.url).end()

    assert (ended.result.status, ended.result.error_class) == ("error", "model_auth")
    assert ended.events[-1] == Closed("model_auth", False, "auth")


def test_a_dead_mcp_server_is_an_error_and_no_answer(brain: Harness) -> None:
    ended = turn(brain, "hello", f"http://127.0.0.1:{free_port()}/mcp").end()

    assert (ended.result.status, ended.result.error_class) == ("error", "mcp_unreachable")
    assert ended.events[-1] == Closed("mcp_unreachable", True, "transport")


def test_a_server_without_tools_is_an_error_and_no_answer(brain: Harness, toolless: str) -> None:
    ended = turn(brain, "hello", toolless).end()

    assert (ended.result.status, ended.result.error_class) == ("error", "tools_missing")


CHILD = """
import sys, json
from core import setup
from core.runs import store
from core.runs.logs import EventLogs
from core.settings import AgentSettings
from mcp_agent.runner import Runner, RunStart

given = json.loads(sys.argv[1])
instance = setup.ensure()
logs = EventLogs(instance.db, store.next_boot(instance.db))
runner = Runner(instance, logs, "child", lambda: AgentSettings(**given["settings"]))
logs.start(); runner.begin()
run = runner.start(RunStart("second", given["serial"], conv_id=given["conv_id"])).run_id
while store.get(instance.db, run).ended is None:
    logs.bell.wait(logs.bell.count(), 0.2)
runner.shutdown(); logs.close()
"""


def test_a_conversation_goes_on_in_another_process(
    brain: Harness, desk: Desk, phone: PhoneHandle
) -> None:
    import dataclasses
    import json
    import os

    desk.settings = brain.settings()
    first = desk.start("打开设置" if brain.name == "offline" else "first")
    desk.entries(first)
    record = store.get(desk.instance.db, first)
    data = [each.name for each in dataclasses.fields(AgentSettings) if each.name != "profiles"]
    given = {
        "settings": {name: getattr(brain.settings(), name) for name in data},
        "serial": desk.serial,
        "conv_id": record.conv_id,
    }
    config = desk.instance.config
    env = {
        **os.environ,
        "PHONEDECK_DATA": str(config.phonedeck_data),
        "PHONEDECK_MCP_PORT": str(config.phonedeck_mcp_port),
    }

    subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(given)], cwd=ROOT, env=env, check=True, timeout=40
    )

    runs = store.history(desk.instance.db, 10, conv_id=record.conv_id)
    assert [each.status for each in runs] == ["done", "done"]
    if isinstance(brain, OpenAIHarness):
        said = [m["content"] for m in brain.model.requests[-1]["messages"] if m["role"] == "user"]
        assert said == ["first", "second"]


@pytest.fixture(scope="module")
def toolless() -> Iterator[str]:
    """Serve MCP without a single tool."""
    port = free_port()
    code = (
        "from mcp.server import MCPServer; MCPServer('none').run(transport='streamable-http', "
        f"port={port}, stateless_http=True)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    wait_for(_listens(port), "the server without tools")
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait(timeout=10)


def _listens(port: int) -> Callable[[], bool]:
    import socket

    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    return listens
