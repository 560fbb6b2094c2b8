"""What servers really send, byte for byte, read through the official client."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest

from core.errors import ModelFault
from core.runs.events import ReasoningDelta, TextDelta, Usage
from mcp_agent.abort import Abort
from mcp_agent.model import ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers import openai_body, openai_errors
from mcp_agent.providers.openai_chat import ChatModel
from tests.mcp_agent.conftest import Settings
from tests.stack import ROOT

FILE = ROOT.parent / "shared" / "data" / "sse" / "fixtures.jsonl"
#: What an ``error_class`` of the data is called here; the first that fits counts.
CODES = {
    "bad_history": {"model_rejected"},
    "bad_request": {"model_rejected"},
    "content_filter": {"model_filtered"},
    "context_length": {"model_too_large"},
    "overloaded": {"model_rate"},
    "rate_limit": {"model_rate"},
    "upstream": {"model_down"},
    "not_a_stream": {"model_not_found"},
}
#: Where we read a stream otherwise than the data expects, and why.
DISAGREEMENTS = {
    "html_200": "a web page is a wrong address, which asking again does not mend",
    "llamacpp_length": "an answer that is empty because of its length is an error, not an answer",
    "qwen_tool_markup_in_content": "the markup names an offered tool and is whole: it is a call",
    "cut_in_arguments": "what was cut after it had begun is said to the person, not asked again",
    "glm_network_error": "a part of the answer was shown, so it is not asked again",
    "glm_only_thinking_then_stop": "asked again twice, then said",
}
ENDS = {"error": "model_cut", "truncated": "model_cut", "content_filter": "model_filtered"}


def rows() -> list[Any]:
    if not FILE.exists():
        return [pytest.param({}, marks=pytest.mark.skip("no ../shared/data/sse"), id="no data")]
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


@dataclass
class Wire:
    """A server that sends what it was told, once a request."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    #: Bytes at a time; 0 sends all at once, then the connection is closed.
    step: int = 0
    closing: threading.Event = field(default_factory=threading.Event)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        wire: Wire = self.server.wire  # type: ignore[attr-defined]
        wire.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(wire.status)
        for name, value in {**wire.headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        try:
            for at in range(0, len(wire.body), wire.step or len(wire.body) or 1):
                self.wfile.write(wire.body[at : at + (wire.step or len(wire.body))])
                self.wfile.flush()
        except OSError:  # the client hung up, as it may
            return

    def log_message(self, *_: object) -> None:
        """Keep quiet; tests read ``asked``."""


@pytest.fixture(scope="module")
def server() -> Iterator[Wire]:
    wire = Wire()
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    made.daemon_threads = True
    made.wire = wire  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()
    wire.url = f"http://127.0.0.1:{made.server_address[1]}/v1"
    yield wire
    made.shutdown()
    thread.join(timeout=5)
    made.server_close()


@dataclass
class Heard:
    """What came out of one answer."""

    events: list[ModelEvent] = field(default_factory=list)
    fault: ModelFault | None = None

    @property
    def text(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, ReasoningDelta))

    @property
    def calls(self) -> list[ToolCall]:
        return [e for e in self.events if isinstance(e, ToolCall)]

    @property
    def total(self) -> int | None:
        usage = [e.all_tokens for e in self.events if isinstance(e, Usage)]
        return usage[-1] if usage else None


def hear(settings: Settings, server: Wire, model: str, *tools: str, **options: Any) -> Heard:
    """Ask a server once, with retries that wait for nothing."""
    server.asked.clear()
    chosen = settings(server.url, agent_model=model)
    chat = ChatModel(chosen, Abort(), "en", delays_s=(0, 0), **options)
    heard = Heard()
    offered = [ToolSpec(name, "", {"type": "object"}) for name in tools]
    try:
        for event in chat.stream([{"role": "user", "content": "x"}], offered):
            heard.events.append(event)
    except ModelFault as fault:
        heard.fault = fault
    return heard


def tools_of(row: dict[str, Any]) -> list[str]:
    return [name for name, _ in row["expect"].get("tool_calls", [])] or ["tap"]


@pytest.mark.parametrize("row", rows())
def test_a_recorded_answer_is_read_as_it_was_meant(
    row: dict[str, Any], server: Wire, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_errors, "retry_after_s", lambda error: None)  # tested below
    server.body, server.status = row["wire"].encode(), row["status"]
    server.headers = row["headers"] or {}
    server.step = 1 if "feed" in row["expect"] else 0

    heard = hear(settings, server, row["id"], *tools_of(row))

    expect, code = row["expect"], heard.fault.code if heard.fault else None
    if "error_class" in expect:
        assert code in CODES[expect["error_class"]]
    if expect.get("finish") in ENDS and "error_class" not in expect:
        assert code == ENDS[expect["finish"]]
    if row["id"] not in DISAGREEMENTS and "retryable" in expect and code != "model_cut":
        assert (len(server.asked) > 1) == expect["retryable"]
    if expect.get("drop_param") == "stream_options":
        assert ["stream_options" in asked for asked in server.asked] == [True, False]
    check_content(row, heard)


def check_content(row: dict[str, Any], heard: Heard) -> None:
    expect = row["expect"]
    if "content" in expect:
        assert heard.text == expect["content"]
    if "reasoning" in expect:
        assert heard.reasoning == expect["reasoning"]
    if "tool_calls" in expect:
        assert [[c.name, c.arguments] for c in heard.calls] == expect["tool_calls"]
    if "ids" in expect:
        assert [call.id for call in heard.calls] == expect["ids"]
    if expect.get("id_minted"):
        assert all(call.id for call in heard.calls)
    if "usage_total" in expect and heard.fault is None:
        assert heard.total == expect["usage_total"]
    if row["id"] == "qwen_tool_markup_in_content":
        assert ([c.arguments for c in heard.calls], heard.text) == ([{"x": 3}], "")


def test_every_disagreement_names_a_recorded_answer() -> None:
    if not FILE.exists():
        pytest.skip("no ../shared/data/sse")
    known = {json.loads(line)["id"] for line in FILE.read_text(encoding="utf-8").splitlines()}

    assert set(DISAGREEMENTS) <= known


def chunk(**delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return f"data: {json.dumps({'id': 'c', 'choices': [choice]})}\n\n"


def whole(*chunks: str) -> bytes:
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return "".join([*chunks, f"data: {json.dumps(end)}\n\n", "data: [DONE]\n\n"]).encode()


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "tap", "arguments": {"x": 3}}</tool_call>',
        '<function=tap>{"x": 3}</function>',
        '[TOOL_CALLS][{"name": "tap", "arguments": {"x": 3}}]',
        '{"name": "tap", "parameters": {"x": 3}}',
        '```json\n{"name": "tap", "arguments": "{\\"x\\": 3}"}\n```',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tap\n```json\n"
        '{"x": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
)
def test_a_call_that_came_as_text_is_a_call_and_is_not_shown(
    text: str, server: Wire, settings: Settings
) -> None:
    server.status, server.headers, server.step = 200, {"content-type": "text/event-stream"}, 0
    server.body = whole(*(chunk(content=text[at : at + 5]) for at in range(0, len(text), 5)))

    heard = hear(settings, server, "texts", "tap")

    assert [(call.name, call.arguments) for call in heard.calls] == [("tap", {"x": 3})]
    assert (heard.text, heard.fault) == ("", None)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "wipe", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "tap", "arguments": {"x": 3',
        '{"name": "tap", "arguments": {"x": 3}} and then some words',
        '{"price": 12}',
        "a < b, and <tool is a word",
        "```json\n[1, 2]\n```",
    ],
)
def test_text_that_only_looks_like_a_call_stays_text_whole(
    text: str, server: Wire, settings: Settings
) -> None:
    server.status, server.headers, server.step = 200, {"content-type": "text/event-stream"}, 0
    server.body = whole(*(chunk(content=text[at : at + 5]) for at in range(0, len(text), 5)))

    heard = hear(settings, server, "texts", "tap")

    assert (heard.calls, heard.text) == ([], text)


def test_an_answer_that_is_closed_at_any_byte_never_carries_anything_out(
    server: Wire, settings: Settings
) -> None:
    call = {"index": 0, "id": "t", "function": {"name": "tap", "arguments": '{"x": 1}'}}
    body = whole(chunk(content="我来"), chunk(tool_calls=[call]))
    server.status, server.headers, server.step = 200, {"content-type": "text/event-stream"}, 0
    finished = body.index(b'"stop"') + len(b'"stop"')

    for at in range(0, finished, 7):
        server.body = body[:at]
        heard = hear(settings, server, "closes")
        assert (heard.calls, heard.fault is not None) == ([], True), at


def test_a_flood_is_cut_off_with_words(
    server: Wire, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.status, server.headers, server.step = 200, {"content-type": "text/event-stream"}, 0
    server.body = chunk(content="x" * 10_000).encode() * 5_000  # 50 MB

    heard = hear(settings, server, "floods")

    assert heard.fault is not None
    assert heard.fault.code == "model_flood"
    assert len(heard.text) <= openai_body.MOST_BYTES


def test_a_server_that_never_answers_is_given_up(server: Wire, settings: Settings) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent_wire = Wire(url=f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        heard = hear(settings, silent_wire, "silent", timeout=httpx2.Timeout(0.3))

    assert heard.fault is not None
    assert heard.fault.code == "model_timeout"


@pytest.mark.parametrize(
    ("wish", "expected"),
    [("20", 20.0), ("1.5", 1.5), ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0), ("soon", None)],
)
def test_the_wish_to_wait_is_read_in_both_forms(wish: str, expected: float | None) -> None:
    import openai

    request = httpx2.Request("POST", "http://x/v1")
    answer = httpx2.Response(429, headers={"retry-after": wish}, request=request)
    error = openai.RateLimitError("busy", response=answer, body=None)

    assert openai_errors.retry_after_s(error) == expected
