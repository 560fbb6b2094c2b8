"""What every provider must keep, whatever brain is behind it.

A harness makes the brain do what a case needs. A case that means nothing for a brain is skipped
by the name of the cap that it does not claim.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from core import conversations
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
from mcp_agent import mcp_client
from mcp_agent.providers.base import AgentQuery, Http, QueryInput, provider
from tests.mcp_agent.brains import BRAINS, Harness, caps_of
from tests.mcp_agent.conftest import Desk, Settings
from tests.small_mcp import SmallMcp
from tests.small_mcp_server import PICTURE
from tests.stack import ROOT, free_port
from virtual_phone.testing import PhoneHandle

END_S = 20
HARD_S = 5  # what an abort may take at most
QUIET_S = 0.3


@pytest.fixture(params=BRAINS)
def brain(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Harness]:
    with BRAINS[request.param](settings) as harness:
        yield harness


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

    def until(self, kind: type) -> "Turn":
        with self.seen:
            there = self.seen.wait_for(lambda: bool(self.all(kind)), END_S)
        assert there, self.events
        return self

    def end(self, within_s: float = END_S) -> "Turn":
        """Wait for the end, which has one form: one result, then `Closed`."""
        self.thread.join(within_s)
        assert not self.thread.is_alive(), self.events
        assert [type(event) for event in self.events[-2:]] == [TurnResult, Closed]
        assert len(self.all(TurnResult)) == 1
        return self

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def result(self) -> TurnResult:
        return self.all(TurnResult)[0]  # type: ignore[no-any-return]

    @property
    def closed(self) -> Closed:
        return self.all(Closed)[0]  # type: ignore[no-any-return]


def prepared(brain: Harness, prompt: str, url: str) -> Turn:
    asked = QueryInput(
        input_id="A", prompt=prompt, settings=brain.settings, mcp={"phone": Http(url)}
    )
    return Turn(provider(brain.name).query(asked))


def turn(brain: Harness, prompt: str, url: str) -> Turn:
    return prepared(brain, prompt, url).start()


def needs(brain: Harness, cap: str) -> None:
    """Leave out a case that means nothing for a brain, by the cap that it does not claim."""
    if not getattr(caps_of(brain), cap):
        pytest.skip(f"{brain.name} does not claim {cap}")


def test_a_turn_begins_takes_its_input_in_and_is_closed(brain: Harness, server: SmallMcp) -> None:
    ended = turn(brain, brain.using("look"), server.url).end()

    assert isinstance(ended.events[0], SessionStarted)
    assert ended.all(Consumed) == [Consumed(("A",))]
    assert [event.status for event in ended.all(ToolFinished)] == ["ok"]
    assert (ended.result.status, ended.closed) == ("ok", Closed("finished"))


def test_a_picture_reaches_a_brain_that_sees(brain: Harness, server: SmallMcp) -> None:
    needs(brain, "images_in")

    ended = turn(brain, brain.using("picture"), server.url).end()

    assert ended.all(ToolFinished)[0].pictures[0].data == PICTURE
    assert ended.result.text == "I see a picture."


def test_what_is_pushed_during_a_tool_is_taken_in_by_the_same_turn(
    brain: Harness, server: SmallMcp
) -> None:
    needs(brain, "injects_mid_turn")
    going = turn(brain, brain.using("act", seconds=1), server.url).until(ToolStarted)

    injected = going.query.push(brain.using("look"), "B")
    taken_in_at_once = len(going.all(Consumed)) > 1
    going.end()

    assert (injected, taken_in_at_once) == ("injected", False)
    assert going.all(Consumed) == [Consumed(("A",)), Consumed(("B",))]
    assert [event.status for event in going.all(ToolFinished)] == ["ok", "ok"]
    assert going.query.push("too late", "C") == "queued"


@pytest.mark.parametrize(("value", "acted"), [("approve", True), ("deny", False), (None, False)])
def test_a_question_parks_the_turn_until_it_is_answered(
    brain: Harness, server: SmallMcp, value: str | None, acted: bool
) -> None:
    key = f"{brain.name} {value}"
    going = turn(brain, brain.using("ask", key=key), server.url).until(ToolFinished)
    so_far = len(going.events)
    going.thread.join(QUIET_S)
    parked = going.thread.is_alive() and len(going.events) == so_far

    going.query.answer("q1", value)
    going.end()

    assert parked
    finished = [event.text for event in going.all(ToolFinished)]
    assert finished == ["Waiting for approval q1", "Acted."][: 2 if acted else 1]
    assert going.result.status == "ok"


@pytest.mark.parametrize("where", ["stream", "tool", "question"])
def test_a_stop_ends_the_turn_wherever_it_is(brain: Harness, server: SmallMcp, where: str) -> None:
    if where == "stream":
        needs(brain, "text_deltas")
        going = turn(brain, brain.talking(), server.url).until(TextDelta)
    elif where == "tool":
        going = turn(brain, brain.using("look", seconds=15), server.url).until(ToolStarted)
    else:
        key = f"{brain.name} stop"
        going = turn(brain, brain.using("ask", key=key), server.url).until(ToolFinished)

    going.query.abort("stopped")
    going.query.abort("again")
    going.end(HARD_S)

    assert (going.result.status, going.closed) == ("aborted", Closed("stopped"))


def test_a_turn_that_was_stopped_before_it_began_does_nothing(
    brain: Harness, server: SmallMcp
) -> None:
    going = prepared(brain, brain.using("act"), server.url)

    going.query.abort("stopped")
    going.start().end(HARD_S)

    assert going.result.status == "aborted"
    assert [event for event in going.all(ToolFinished) if event.status == "ok"] == []


def test_a_model_that_refuses_is_a_result_with_a_code(brain: Harness, server: SmallMcp) -> None:
    needs(brain, "model")

    ended = turn(brain, brain.refused(), server.url).end()

    assert (ended.result.status, ended.result.error_class) == ("error", "model_auth")
    assert ended.closed == Closed("model_auth", False, "auth")


def test_an_answer_that_breaks_off_is_no_answer(brain: Harness, server: SmallMcp) -> None:
    needs(brain, "model")

    ended = turn(brain, brain.broken_off(), server.url).end()

    assert (ended.result.status, ended.result.error_class) == ("error", "model_cut")
    assert ended.closed == Closed("model_cut", True, "transport")


def test_a_dead_mcp_server_is_an_error_and_no_answer(brain: Harness) -> None:
    ended = turn(brain, brain.using("look"), f"http://127.0.0.1:{free_port()}/mcp").end()

    assert (ended.result.status, ended.result.error_class) == ("error", "mcp_unreachable")
    assert ended.closed == Closed("mcp_unreachable", True, "transport")


def test_an_mcp_server_that_dies_during_a_tool_is_an_error_and_no_answer(
    brain: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_client, "COMES_BACK_S", 0.3)
    mortal = SmallMcp().start()
    going = turn(brain, brain.using("look", seconds=15), mortal.url).until(ToolStarted)

    mortal.kill()
    going.end()

    assert (going.result.status, going.result.error_class) == ("error", "mcp_unreachable")


def test_a_server_without_tools_is_an_error_and_no_answer(brain: Harness, toolless: str) -> None:
    ended = turn(brain, brain.using("look"), toolless).end()

    assert (ended.result.status, ended.result.error_class) == ("error", "tools_missing")
    assert ended.closed == Closed("tools_missing", False, "tools")


def test_a_conversation_goes_on_in_another_process(
    brain: Harness, desk: Desk, phone: PhoneHandle
) -> None:
    needs(brain, "resumes")
    desk.settings = brain.settings
    first = desk.start("My name is Ada.")
    desk.entries(first)
    conv_id = store.get(desk.instance.db, first).conv_id
    before = conversations.continuation(desk.instance.db, conv_id)

    _run_elsewhere(desk, brain, conv_id, "What is my name?")

    runs = store.history(desk.instance.db, 10, conv_id=conv_id)
    assert [each.status for each in runs] == ["done", "done"]
    assert brain.said_to_it() == ["My name is Ada.", "What is my name?"]
    assert conversations.continuation(desk.instance.db, conv_id) == before


@pytest.fixture(scope="module")
def toolless() -> Iterator[str]:
    """Serve MCP without a single tool."""
    running = SmallMcp(with_tools=False).start()
    yield running.url
    running.kill()


def _run_elsewhere(desk: Desk, brain: Harness, conv_id: str, prompt: str) -> None:
    """Carry a run of the conversation in a fresh process, as after a restart of the console."""
    named = ("agent_api_base", "agent_model", "agent_api_key", "agent_provider")
    changes = {name: getattr(brain.settings, name) for name in named}
    given = [desk.serial, conv_id, prompt, changes]
    config = desk.instance.config
    env = {
        **os.environ,
        "PHONEDECK_DATA": str(config.phonedeck_data),
        "PHONEDECK_MCP_PORT": str(config.phonedeck_mcp_port),
    }
    command = [sys.executable, "-m", "tests.mcp_agent.test_provider_contract", json.dumps(given)]
    desk.close()  # it would take the other's run for one of its own from before
    subprocess.run(command, cwd=ROOT, env=env, check=True, timeout=40)
    desk.open()


def _other_process(serial: str, conv_id: str, prompt: str, changes: dict[str, Any]) -> None:
    from core import settings as agent_settings
    from core import setup

    instance = setup.ensure()
    chosen = replace(agent_settings.load(instance), **changes)
    there = Desk(instance, serial, chosen).open()
    there.run(prompt, conv_id=conv_id)
    there.close()


if __name__ == "__main__":
    _other_process(*json.loads(sys.argv[1]))
