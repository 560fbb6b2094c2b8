"""Sixty-one answers as real gateways give them, through the official client."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from core.errors import ModelFault
from core.runs.events import ReasoningDelta, TextDelta, Usage
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.model import ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers.openai_client import Patience
from mcp_agent.providers.openai_errors import RETRIED, retry_after_s
from mcp_agent.providers.openai_model import ChatModel
from tests.byte_server import ByteServer, Played
from tests.stack import ROOT

FIXTURES = ROOT.parent / "shared" / "data" / "sse" / "fixtures.jsonl"
FINE = b'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'

CODES = {
    "bad_history": "model_rejected",
    "bad_request": "model_rejected",
    "content_filter": "model_filtered",
    "context_length": "model_too_large",
    "not_a_stream": "model_unreadable",
    "overloaded": "model_busy",
    "rate_limit": "model_rate",
    "upstream": "model_down",
}
FAILED_ENDS = {
    "content_filter": "model_filtered",
    "error": "model_down",
    "length": "model_length",
    "truncated": "model_cut",
}

#: Where we do otherwise than the fixture's author expects, on purpose.
DISAGREEMENTS = {
    ("deepseek_400_insufficient_tool", "repair"): (
        "our list never lacks a tool's answer, so there is nothing to repair; should a server "
        "say so all the same, making answers up would hide it"
    ),
    ("glm_400_extra_fields", "drop_param"): (
        "we send no field `headers`; there is nothing to leave out, so the refusal is told"
    ),
    ("nim_422_problem_json", "drop_param"): (
        "we send no field `n`; there is nothing to leave out, so the refusal is told"
    ),
    ("qwen_tool_markup_in_content", "finish"): (
        "the markup is a whole call of a tool that was offered, so it is carried out"
    ),
    ("vllm_reasoning_swallows_tool", "finish"): (
        "what stands in the reasoning is no answer: it is an empty one, and asked again"
    ),
    ("glm_only_thinking_then_stop", "finish"): (
        "an answer without a word is a failure that is asked again, not an end"
    ),
}


@dataclass
class Heard:
    """What came out of an answer."""

    events: list[ModelEvent] = field(default_factory=list)
    fault: ModelFault | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def code(self) -> str | None:
        return self.fault.code if self.fault else None

    def text(self, kind: type[TextDelta] | type[ReasoningDelta]) -> str:
        return "".join(event.text for event in self.events if isinstance(event, kind))

    def calls(self) -> list[ToolCall]:
        return [event for event in self.events if isinstance(event, ToolCall)]

    def holds(self, name: str, wish: Any, expect: dict[str, Any]) -> bool:  # noqa: C901 - a table
        match name:
            case "content":
                return self.text(TextDelta) == wish
            case "reasoning":
                return self.text(ReasoningDelta) == wish
            case "tool_calls":
                assert not any(call.problem for call in self.calls())
                return [[call.name, call.arguments] for call in self.calls()] == wish
            case "ids":
                return [call.id for call in self.calls()] == wish
            case "id_minted":
                return all(call.id.startswith("call_") for call in self.calls())
            case "usage_total":
                return [e.all_tokens for e in self.events if isinstance(e, Usage)] == [wish]
            case "finish":
                return self._ended(wish)
            case "error_class" if expect.get("drop_param") == "stream_options":
                return self.code is None  # it did without, so there is no error left
            case "error_class":
                return self.code == CODES[wish]
            case "retryable":
                return (self.code in RETRIED) == wish
            case "retry_after":
                return self._wait() == wish
            case "drop_param":
                first, last = self.requests[0], self.requests[-1]
                return wish in first and wish not in last and self.code is None
            case "empty_answer":
                return (self.code == "model_empty") == wish
            case "leaked_markup":  # it is never shown to a person as an answer
                return "<tool_call>" not in self.text(TextDelta)
            case "feed":
                return True
            case _:
                return False

    def _ended(self, wish: str) -> bool:
        if wish in FAILED_ENDS:
            return self.code == FAILED_ENDS[wish]
        return self.fault is None and bool(self.calls()) == (wish == "tool_calls")

    def _wait(self) -> float | str | None:
        assert self.fault is not None
        assert isinstance(self.fault.__cause__, Exception)
        wait_s = retry_after_s(self.fault.__cause__)
        # the date of the fixture may be past
        return "http-date" if wait_s is not None and wait_s != 20 else wait_s


@cache
def fixtures() -> dict[str, dict[str, Any]]:
    if not FIXTURES.exists():
        return {}
    lines = FIXTURES.read_text(encoding="utf-8").splitlines()
    return {each["id"]: each for each in map(json.loads, lines)}


@pytest.fixture(scope="module")
def server() -> Iterator[ByteServer]:
    def play(path: str, request: dict[str, Any]) -> Played:
        fixture = fixtures()[request["model"]]
        refused = fixture["expect"].get("drop_param")
        if refused == "stream_options" and refused not in request:
            return Played(FINE)
        piece = 1 if "feed" in fixture["expect"] else None
        wire = fixture["wire"].encode()
        return Played(wire, fixture["status"], fixture["headers"], piece=piece)

    with ByteServer(play) as made:
        yield made


def tools() -> list[ToolSpec]:
    names = {
        name for each in fixtures().values() for name, _ in each["expect"].get("tool_calls", ())
    }
    return [ToolSpec(name, "A tool.", {"type": "object"}) for name in sorted(names)]


def hear(server: ByteServer, settings: AgentSettings) -> Heard:
    heard, before = Heard(), len(server.requests)
    model = ChatModel(settings, Abort(), "en", patience=Patience(silence_s=10, retries_s=()))
    try:
        for event in model.stream([{"role": "user", "content": "go"}], tools()):
            heard.events.append(event)
    except ModelFault as fault:
        heard.fault = fault
    heard.requests = [body for _, body in server.requests[before:]]
    return heard


def test_there_are_sixty_one_of_them() -> None:
    if not fixtures():
        pytest.skip("../shared/data is not there")

    assert len(fixtures()) == 61


@pytest.mark.parametrize("name", fixtures())
def test_an_odd_answer_is_read_as_it_was_meant(
    server: ByteServer, settings: Callable[..., AgentSettings], name: str
) -> None:
    expect = fixtures()[name]["expect"]

    heard = hear(server, settings(server.url, agent_model=name))

    for what, wish in expect.items():
        agrees = (name, what) not in DISAGREEMENTS
        assert heard.holds(what, wish, expect) == agrees, (what, wish, heard)


def test_a_call_written_as_text_is_carried_out_where_the_markup_is_whole(
    server: ByteServer, settings: Callable[..., AgentSettings]
) -> None:
    name = "qwen_tool_markup_in_content"
    if name not in fixtures():
        pytest.skip("../shared/data is not there")

    (call,) = hear(server, settings(server.url, agent_model=name)).calls()

    assert (call.name, call.arguments) == ("tap", {"x": 3})
