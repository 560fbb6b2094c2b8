"""The model behind HTTP: streams, calls, refusals and stops, through the official client."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from core.errors import ModelFault
from core.runs.events import Notice, Picture, ReasoningDelta, TextDelta, Usage
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.messages import NO_PICTURE, assistant, show_pictures
from mcp_agent.model import Message, ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers.openai_chat import ChatModel, OpenAIProvider
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request

Settings = Callable[..., AgentSettings]

TOOL = ToolSpec("de_tap", "Tap.", {"type": "object", "properties": {"element": {}}})
ASK: list[Message] = [{"role": "user", "content": "hello"}]


def ask(
    settings: AgentSettings, messages: Sequence[Message] = ASK, abort: Abort | None = None
) -> list[ModelEvent]:
    model = ChatModel(settings, abort or Abort(), "en", delays_s=(0.01, 0.01))
    return list(model.stream(messages, (TOOL,)))


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[ModelEvent]) -> list[ToolCall]:
    return [event for event in events if isinstance(event, ToolCall)]


def with_picture() -> list[Message]:
    messages = [*ASK, assistant("", [ToolCall("a", "de_screenshot", {})], "")]
    messages.append({"role": "tool", "tool_call_id": "a", "content": "1080x2400"})
    show_pictures(messages, [Picture(b"\xff\xd8jpeg")])
    return messages


def test_text_reasoning_and_usage_arrive_as_they_are_streamed(settings: Settings) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    reply = Reply(content="你好，有什么可以帮你？", reasoning="They greet me.", usage=usage)

    with PolicyModel(lambda request: reply) as model:
        events = ask(settings(model.url))

    assert text_of(events) == "你好，有什么可以帮你？"
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "They greet me."
    assert [e for e in events if isinstance(e, Usage)] == [Usage(100, 7, 107, 64)]
    assert len([e for e in events if isinstance(e, TextDelta)]) > 1


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_both_names_of_the_reasoning_field_are_read(settings: Settings, field: str) -> None:
    reply = Reply(content="x", reasoning="thought", reasoning_field=field)

    with PolicyModel(lambda request: reply) as model:
        events = ask(settings(model.url))

    assert any(isinstance(event, ReasoningDelta) for event in events)


def test_cache_hits_are_read_in_deepseeks_words_too(settings: Settings) -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 1,
        "total_tokens": 10,
        "prompt_cache_hit_tokens": 5,
    }

    with PolicyModel(lambda request: Reply(content="x", usage=usage)) as model:
        events = ask(settings(model.url))

    assert Usage(9, 1, 10, 5) in events


def test_parallel_calls_that_arrive_interleaved_are_put_together(settings: Settings) -> None:
    calls = (
        Call("de_tap", {"element": 12, "note": "a long argument"}),
        Call("de_tap_text", {"text": "网络和互联网"}),
    )

    with PolicyModel(lambda request: Reply(calls=calls)) as model:
        events = ask(settings(model.url))

    assert [(c.name, c.arguments) for c in calls_of(events)] == [
        (c.name, c.arguments) for c in calls
    ]
    assert len({c.id for c in calls_of(events)}) == 2


def test_a_call_whose_stream_broke_off_never_comes_out(settings: Settings) -> None:
    reply = Reply(calls=(Call("de_tap", {"element": 12}),), cut=True)
    got: list[ModelEvent] = []

    with PolicyModel(lambda request: reply) as model:
        stream = ChatModel(settings(model.url), Abort(), "en").stream(ASK, (TOOL,))
        with pytest.raises(ModelFault) as caught:
            got.extend(stream)

    assert caught.value.code == "model_cut"
    assert calls_of(got) == []


def test_arguments_that_are_no_json_become_a_problem_of_the_call(settings: Settings) -> None:
    reply = Reply(calls=(Call("de_tap", raw='{"element": '),))

    with PolicyModel(lambda request: reply) as model:
        (call,) = calls_of(ask(settings(model.url)))

    assert "not a JSON object" in call.problem


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Refusal(401, "invalid key sk-test-0123456789"), "model_auth"),
        (Refusal(402, "Insufficient Balance"), "model_balance"),
        (Refusal(403), "model_forbidden"),
        (Refusal(404, "<h1>Not Found</h1>", html=True), "model_not_found"),
        (Refusal(413), "model_too_large"),
        (Refusal(400, "This model's maximum context length is 8192 tokens"), "model_too_large"),
        (Refusal(400, "no such thing"), "model_rejected"),
        (Refusal(429, "slow down"), "model_rate"),
        (Refusal(429, "You exceeded your quota: insufficient_quota"), "model_balance"),
        (Refusal(500), "model_down"),
        (Refusal(504), "model_timeout"),
    ],
)
def test_a_refusal_becomes_a_code_and_never_shows_the_key(
    settings: Settings, refusal: Refusal, code: str
) -> None:
    with PolicyModel(lambda request: refusal) as model, pytest.raises(ModelFault) as caught:
        ask(settings(model.url))

    assert caught.value.code == code
    assert "sk-test" not in str(caught.value.wire())
    assert "<" not in str(caught.value)


def test_a_busy_server_is_asked_again_and_the_reader_is_told(settings: Settings) -> None:
    answers: list[Reply | Refusal] = [Refusal(429), Refusal(503), Reply(content="at last")]

    with PolicyModel(lambda request: answers.pop(0)) as model:
        events = ask(settings(model.url))

    assert text_of(events) == "at last"
    assert [e.code for e in events if isinstance(e, Notice)] == ["model_retry"] * 2
    assert len(model.requests) == 3


def test_stream_options_are_left_out_once_refused(settings: Settings) -> None:
    def policy(request: Request) -> Reply | Refusal:
        return Refusal(400) if "stream_options" in request else Reply(content="fine")

    with PolicyModel(policy) as model:
        first, second = ask(settings(model.url)), ask(settings(model.url))

    assert (text_of(first), text_of(second)) == ("fine", "fine")
    assert ["stream_options" in r for r in model.requests] == [True, False, False]


def test_pictures_are_left_out_for_a_model_that_cannot_see(settings: Settings) -> None:
    def policy(request: Request) -> Reply | Refusal:
        seen = any(isinstance(m["content"], list) for m in request["messages"])
        return Refusal(400, "unknown variant `image_url`") if seen else Reply(content="ok")

    with PolicyModel(policy) as model:
        events = ask(settings(model.url), with_picture())

    assert text_of(events) == "ok"
    assert [e.code for e in events if isinstance(e, Notice)] == ["no_vision"]
    assert model.requests[-1]["messages"][-1]["content"] == NO_PICTURE
    assert "stream_options" in model.requests[-1]


def test_vision_switched_off_sends_no_picture_at_all(settings: Settings) -> None:
    with PolicyModel(lambda request: Reply(content="ok")) as model:
        ask(settings(model.url, agent_vision="off"), with_picture())

    assert "image_url" not in str(model.requests)


def test_reasoning_goes_back_only_to_a_server_that_insists(settings: Settings) -> None:
    messages = [*ASK, assistant("", [ToolCall("a", "de_tap", {})], "I thought.")]
    messages.append({"role": "tool", "tool_call_id": "a", "content": "tapped"})

    def policy(request: Request) -> Reply | Refusal:
        given = "reasoning_content" in request["messages"][1]
        return Reply(content="ok") if given else Refusal(400, "reasoning_content must be passed")

    with PolicyModel(policy) as insists, PolicyModel(lambda request: Reply(content="ok")) as easy:
        ask(settings(insists.url), messages)
        ask(settings(easy.url), messages)

    assert insists.requests[-1]["messages"][1]["reasoning_content"] == "I thought."
    assert "reasoning_content" not in easy.requests[0]["messages"][1]


@pytest.mark.parametrize("reply", [Reply(hang_s=20), Reply(content="x" * 7000, trickle_s=0.05)])
def test_a_stop_is_prompt_though_the_model_says_nothing_or_trickles(
    settings: Settings, reply: Reply
) -> None:
    abort = Abort()

    with PolicyModel(lambda request: reply) as model:
        asking = threading.Thread(target=ask, args=(settings(model.url), ASK, abort))
        asking.start()
        assert model.asked.wait(10)
        begun = time.monotonic()
        abort.set("stopped")
        asking.join(10)

    assert time.monotonic() - begun < 1


def test_nobody_at_the_address_is_said_with_the_address(settings: Settings) -> None:
    with pytest.raises(ModelFault, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        ask(settings())


def test_a_web_page_at_the_address_is_no_answer(settings: Settings) -> None:
    page = Refusal(200, "<html>welcome</html>", html=True)

    with PolicyModel(lambda request: page) as model, pytest.raises(ModelFault) as caught:
        health = OpenAIProvider().check(settings(model.url))
        ask(settings(model.url))

    assert caught.value.code == "model_not_found"
    assert health.error is not None
    assert health.error.code == "model_not_found"


def test_the_check_says_whether_the_configuration_works(settings: Settings) -> None:
    def policy(request: Request) -> Reply | Refusal:
        return Refusal(401) if model.keys[-1] != "sk-right" else Reply(content="p")

    with PolicyModel(policy) as model:
        right = settings(model.url, agent_api_key="sk-right")
        good = OpenAIProvider().check(right)
        bad = OpenAIProvider().check(replace(right, agent_api_key="sk-wrong"))
        unset = OpenAIProvider().check(replace(right, agent_model=""))

    assert (good.ok, good.model) == (True, "policy")
    assert bad.shown("en")["error"]["code"] == "model_auth"
    assert unset.shown("en")["error"]["code"] == "model_unset"
    assert model.requests[0]["max_tokens"] == 1
