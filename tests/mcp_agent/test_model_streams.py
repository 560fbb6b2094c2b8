"""What goes wrong on the way of an answer: calls as text, cuts, floods, silence."""

import gzip
import json
import socket
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from core.errors import ModelFault
from core.runs.events import Notice, TextDelta, Usage
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.model import ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers import openai_errors
from mcp_agent.providers.openai_chunks import MOST_CHARS, Answer
from mcp_agent.providers.openai_client import Clients, Patience
from mcp_agent.providers.openai_model import ChatModel
from tests.byte_server import ByteServer, Played
from tests.mcp_agent.conftest import Settings
from tests.stack import wait_for

TAP = ToolSpec("tap", "", {"type": "object", "properties": {"x": {"type": "integer"}}})


@dataclass
class Heard:
    """What came out of one answer."""

    events: list[ModelEvent] = field(default_factory=list)
    fault: ModelFault | None = None

    @property
    def text(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, TextDelta))

    @property
    def calls(self) -> list[ToolCall]:
        return [e for e in self.events if isinstance(e, ToolCall)]


def hear(settings: AgentSettings, **patience: Any) -> Heard:
    """Ask a server once; nothing is tried again unless that is asked for."""
    wait = Patience(**{"retries_s": (), **patience})
    heard = Heard()
    try:
        for event in ChatModel(settings, Abort(), "en", patience=wait).stream(
            [{"role": "user", "content": "x"}], [TAP]
        ):
            heard.events.append(event)
    except ModelFault as fault:
        heard.fault = fault
    return heard


def played(settings: Settings, played: Played, **patience: Any) -> Heard:
    with ByteServer(lambda path, request: played) as server:
        return hear(settings(server.url), **patience)


def chunk(**delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return f"data: {json.dumps({'id': 'c', 'choices': [choice]})}\n\n"


def whole(*chunks: str) -> bytes:
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return "".join([*chunks, f"data: {json.dumps(end)}\n\n", "data: [DONE]\n\n"]).encode()


def in_pieces(text: str) -> Played:
    return Played(whole(*(chunk(content=text[at : at + 5]) for at in range(0, len(text), 5))))


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "tap", "arguments": {"x": 3}}</tool_call>',
        '<tool_call>\n{"name": "tap", "arguments": {"x": 3}}',  # the end was its stop word
        '<function=tap>{"x": 3}</function>',
        "<tool_call>\n<function=tap>\n<parameter=x>\n3\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>tap\n<arg_key>x</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
        '<function_calls><invoke name="tap"><parameter name="x">3</parameter></invoke>'
        "</function_calls>",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="tap">\n<｜DSML｜parameter name="x" '
        'string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        '[TOOL_CALLS][{"name": "tap", "arguments": {"x": 3}}]',
        '{"name": "tap", "parameters": {"x": 3}}',
        '{"type": "function", "function": {"name": "tap", "arguments": {"x": 3}}}',
        '```json\n{"name": "tap", "arguments": "{\\"x\\": 3}"}\n```',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tap\n```json\n"
        '{"x": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tap<｜tool▁sep｜>"
        '{"x": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.tap:0"
        '<|tool_call_argument_begin|>{"x": 3}<|tool_call_end|><|tool_calls_section_end|>',
    ],
)
def test_a_call_that_came_as_text_is_a_call_and_is_not_shown(text: str, settings: Settings) -> None:
    heard = played(settings, in_pieces(text))

    assert [(call.name, call.arguments) for call in heard.calls] == [("tap", {"x": 3})]
    assert (heard.text, heard.fault) == ("", None)


def test_words_before_a_written_call_are_shown_and_two_calls_are_two(settings: Settings) -> None:
    call = '<tool_call>{"name": "tap", "arguments": {"x": %s}}</tool_call>'

    heard = played(settings, in_pieces(f"I tap twice.\n{call % 1}\n{call % 2}"))

    assert heard.text == "I tap twice.\n"
    assert [call.arguments for call in heard.calls] == [{"x": 1}, {"x": 2}]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "wipe", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "tap", "arguments": {"x": 3',
        '<tool_call>{"name": "tap"}</tool_call><tool_call>{"name": "wipe"}</tool_call>',
        "<tool_call>tap\n<arg_key>x</arg_key>\n<arg_value>3",
        '<tool_call>{"name": "tap", "arguments": {"x": 3}}</tool_call> I think.',
        '{"name": "tap", "arguments": {"x": 3}} and then some words',
        "<function=tap><parameter=x>three</parameter></function>",
        '{"name": "tap", "price": 12}',
        "a < b, and <tool is a word",
        "```json\n[1, 2]\n```",
        "```python\nprint(1)\n```",
    ],
)
def test_text_that_only_looks_like_a_call_stays_text_whole(text: str, settings: Settings) -> None:
    heard = played(settings, in_pieces(text))

    assert (heard.calls, heard.text) == ([], text)


def test_a_written_call_that_cannot_be_read_is_told(settings: Settings) -> None:
    heard = played(settings, in_pieces('<tool_call>{"name": "wipe"}</tool_call>'))

    assert [e.code for e in heard.events if isinstance(e, Notice)] == ["text_call"]


def piece(**call: Any) -> str:
    return chunk(tool_calls=[call])


def function(name: str | None = None, arguments: str = "") -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


ONE = {"x": 1}
TWO = {"x": 2}


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param(
            [
                piece(index=0, function=function("tap", '{"x": 1}')),
                piece(index=0, function=function("tap", '{"x": 2}')),
            ],
            [ONE, TWO],
            id="no ids, one index, two names",
        ),
        pytest.param(
            [piece(function=function("tap", '{"x"')), piece(function=function("tap", ": 1}"))],
            [ONE],
            id="no ids, no index, the name said again",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function=function("tap", '{"x"')),
                piece(index=0, id="b", function=function("tap", '{"x"')),
                piece(index=0, id="a", function=function(None, ": 1}")),
                piece(index=0, id="b", function=function(None, ": 2}")),
            ],
            [ONE, TWO],
            id="one index, the ids say whose it is",
        ),
        pytest.param(
            [piece(index=0, id=each, function=function("tap")) for each in ("a", "b")],
            [{}, {}],
            id="one index, the same call twice",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function=function("tap", '{"x"')),
                piece(index=0, id="b", function=function(None, ": 1}")),
            ],
            [ONE],
            id="an id made up anew with each piece",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function=function("tap", '{"x": 1}')),
                piece(index=1, id="a", function=function("tap", '{"x": 2}')),
            ],
            [ONE, TWO],
            id="one id for two calls",
        ),
        pytest.param(
            [
                piece(id="a", function=function("tap")),
                piece(index=0, function=function(None, '{"x": 1}')),
            ],
            [ONE],
            id="the index only later",
        ),
        pytest.param(
            [piece(index=0, id="a", function=function("tap", '"{\\"x\\": 1}"'))],
            [ONE],
            id="JSON packed into JSON",
        ),
        pytest.param(
            [piece(index=0, id="a", function=function("tap", "null"))], [{}], id="no arguments"
        ),
    ],
)
def test_pieces_find_the_call_that_they_belong_to(
    pieces: list[str], calls: list[dict[str, Any]], settings: Settings
) -> None:
    heard = played(settings, Played(whole(*pieces)))

    assert [call.arguments for call in heard.calls] == calls
    assert not any(call.problem for call in heard.calls)
    assert len({call.id for call in heard.calls}) == len(calls)


def test_text_in_parts_and_tokens_in_other_words_are_read(settings: Settings) -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hello."}]
    usage = {
        "id": "c",
        "choices": [],
        "usage": {"input_tokens": 9, "output_tokens": 2, "cost": 0.5},
    }

    heard = played(settings, Played(whole(chunk(content=parts), f"data: {json.dumps(usage)}\n\n")))

    assert heard.text == "Hello."
    assert Usage(9, 2, cost=0.5, currency="USD") in heard.events


def test_an_answer_cut_short_by_its_length_says_so(settings: Settings) -> None:
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
    last = f"data: {json.dumps(end)}\n\n"
    call = piece(index=0, id="t", function=function("tap", '{"x": 1}'))

    text = played(settings, Played((chunk(content="Once upon") + last).encode()))
    acts = played(settings, Played((call + last).encode()))

    assert [e.code for e in text.events if isinstance(e, Notice)] == ["model_length"]
    assert (acts.calls, acts.fault and acts.fault.code) == ([], "model_length")


@pytest.mark.parametrize("chunked", [False, True])
def test_an_answer_that_is_closed_at_any_byte_never_carries_anything_out(
    chunked: bool, settings: Settings
) -> None:
    call = piece(index=0, id="t", function=function("tap", '{"x": 1}'))
    end = '"finish_reason":"tool_calls"'
    body = f'{call}data: {{"choices":[{{"index":0,"delta":{{}},{end}}}]}}\n\n'.encode()
    headers = {"content-type": "text/event-stream"}
    if chunked:
        headers["transfer-encoding"] = "chunked"
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    answer = Played(body, headers=headers)
    finished = answer.whole().index(end.encode()) + len(end)
    cuts = range(finished)

    def at_byte(path: str, request: dict[str, Any]) -> Played:
        return replace(answer, keep=int(request["model"]))

    with ByteServer(at_byte) as server:
        heard = [hear(settings(server.url, agent_model=str(at)), silence_s=10) for at in cuts]
        all_of_it = hear(settings(server.url, agent_model=str(len(answer.whole()))))

    assert [len(each.calls) for each in heard] == [0] * len(cuts)
    assert {each.fault.code for each in heard if each.fault} == {"model_cut", "model_unreachable"}
    assert [call.arguments for call in all_of_it.calls] == [ONE]


def test_what_broke_off_before_a_word_was_shown_is_asked_again(settings: Settings) -> None:
    call = piece(index=0, id="t", function=function("tap", '{"x": 1}'))
    answers = [Played(call.encode()), Played(whole(call))]

    with ByteServer(lambda path, request: answers.pop(0)) as server:
        heard = hear(settings(server.url), retries_s=(0.01,))

    assert [e.code for e in heard.events if isinstance(e, Notice)] == ["model_retry"]
    assert [call.arguments for call in heard.calls] == [ONE]


LONG_LINE = b"data: " + b"x" * 50_000_000
MANY_LINES = chunk(content="x" * 10_000).encode() * 5_000


@pytest.mark.parametrize(
    ("answer", "limit"),
    [
        pytest.param(Played(LONG_LINE), 32_000_000, id="one line"),
        pytest.param(Played(MANY_LINES), 2_000_000, id="many lines"),
        pytest.param(
            Played(MANY_LINES, 500, {"content-type": "text/plain"}), 2_000_000, id="a refusal"
        ),
        pytest.param(
            Played(MANY_LINES, 200, {"content-type": "application/json"}), 2_000_000, id="JSON"
        ),
    ],
)
def test_a_flood_of_50_mb_is_cut_off_with_words(
    answer: Played, limit: int, settings: Settings
) -> None:
    with ByteServer(lambda path, request: answer) as server:
        heard = hear(settings(server.url), max_bytes=limit)

    assert heard.fault is not None
    assert heard.fault.code == "model_flood"
    assert "MB" in heard.fault.words("zh").message
    assert len(heard.text) <= limit


def test_an_answer_packed_unasked_is_refused_since_its_size_is_unknown(settings: Settings) -> None:
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}

    heard = played(settings, Played(gzip.compress(whole(chunk(content="hi"))), headers=headers))

    assert heard.fault is not None
    assert heard.fault.code == "model_unreadable"


def test_a_server_that_never_answers_is_given_up(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        heard = hear(settings(url), silence_s=0.2)

    assert heard.fault is not None
    assert heard.fault.code == "model_timeout"


@pytest.mark.parametrize(
    ("trickle", "patience"),
    [
        pytest.param(b": alive\n\n" * 400, {"silence_s": 0.3}, id="signs of life"),
        pytest.param(chunk(content="x").encode() * 400, {"answer_s": 0.3}, id="text"),
    ],
)
def test_a_server_that_trickles_is_given_up(
    trickle: bytes, patience: dict[str, float], settings: Settings
) -> None:
    answer = Played(trickle, piece=40, wait_s=0.02)

    heard = played(settings, answer, **patience)

    assert heard.fault is not None
    assert heard.fault.code == "model_timeout"


@pytest.mark.parametrize(
    ("wish", "expected"),
    [("20", 20.0), ("1.5", 1.5), ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0), ("soon", None)],
)
def test_the_wish_to_wait_is_read_in_both_forms(wish: str, expected: float | None) -> None:
    request = httpx2.Request("POST", "http://x/v1")
    answer = httpx2.Response(429, headers={"retry-after": wish}, request=request)
    error = openai.RateLimitError("busy", response=answer, body=None)

    assert openai_errors.retry_after_s(error) == expected


def test_the_old_client_is_closed_when_the_key_changes_and_its_answer_is_read(
    settings: Settings,
) -> None:
    with ByteServer(lambda path, request: Played(whole(chunk(content="hi")))) as server:
        first = settings(server.url, agent_api_key="sk-first-0123456789")
        second = settings(server.url, agent_api_key="sk-second-0123456789")
        clients = Clients()
        with clients.use(first, Patience()) as old:
            with clients.use(second, Patience()) as new:
                closed_while_in_use = old.is_closed()
            with clients.use(second, Patience()) as again:
                pass
        clients.close()

    assert not closed_while_in_use
    assert new is again
    wait_for(lambda: old.is_closed() and new.is_closed(), "both clients to be closed")


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_an_answer_that_never_comes_to_its_end_is_cut_before_anyone_keeps_it(field: str) -> None:
    answer = Answer([], "en")
    piece = ChatCompletionChunk.construct(
        choices=[Choice.construct(delta=ChoiceDelta.construct(**{field: "x" * 1000}))]
    )

    kept = 0
    with pytest.raises(ModelFault) as cut:
        while True:
            kept += sum(len(event.text) for event in answer.add(piece))  # type: ignore[union-attr]

    assert cut.value.code == "model_flood"
    assert kept == MOST_CHARS
