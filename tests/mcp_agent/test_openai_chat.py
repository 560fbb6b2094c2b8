"""The model behind HTTP: streams, calls, refusals and stops, through the official client."""

import json
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from core.db import Database
from core.errors import ModelFault
from core.model_profiles import ModelProfile, ProfileBook
from core.runs.events import Notice, Picture, ReasoningDelta, TextDelta, Usage
from core.runs.usage import Price
from core.settings import AgentSettings
from core.setup import Instance
from mcp_agent.abort import Abort
from mcp_agent.messages import NO_PICTURE, assistant, show_pictures
from mcp_agent.model import Message, ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers.openai_client import Patience
from mcp_agent.providers.openai_model import ChatModel
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request

Settings = Callable[..., AgentSettings]

TOOL = ToolSpec("de_tap", "Tap.", {"type": "object", "properties": {"element": {}}})
ASK: list[Message] = [{"role": "user", "content": "hello"}]


def ask(
    settings: AgentSettings, messages: Sequence[Message] = ASK, abort: Abort | None = None
) -> list[ModelEvent]:
    patience = Patience(retries_s=(0.01, 0.01))
    model = ChatModel(settings, abort or Abort(), "en", patience=patience)
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
        patience = Patience(retries_s=())
        asked = ChatModel(settings(model.url), Abort(), "en", patience=patience)
        stream = asked.stream(ASK, (TOOL,))
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


def test_tokens_have_a_cost_where_a_price_was_entered(settings: Settings) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500}
    price = Price(input=2, output=8, currency="CNY")

    with PolicyModel(lambda request: Reply(content="x", usage=usage)) as model:
        events = ask(settings(model.url, agent_prices={"policy": price}))
        others = ask(settings(model.url, agent_prices={"another": price}))

    assert Usage(1000, 500, 1500, cost=0.006, currency="CNY") in events
    assert Usage(1000, 500, 1500) in others


def picky(request: Request) -> Reply | Refusal:
    """Be a server that takes neither ``stream_options`` nor pictures."""
    if "stream_options" in request:
        return Refusal(422, "extra fields")
    if "image_url" in json.dumps(request["messages"]):
        return Refusal(400, "this model has no vision")
    return Reply(content="ok")


def test_what_was_refused_is_not_learned_anew_after_a_restart(
    settings: Settings, instance: Instance
) -> None:
    with PolicyModel(picky) as model:
        for _ in range(2):
            book = ProfileBook(Database(instance.db.url))
            events = ask(settings(model.url, profiles=book), with_picture())

    assert len(model.requests) == 3 + 1
    assert [e.code for e in events if isinstance(e, Notice)] == ["no_vision"]


def test_a_refusal_that_nothing_mends_teaches_nothing(settings: Settings) -> None:
    book = ProfileBook()

    with PolicyModel(lambda request: Refusal(400, "no")) as model:
        chosen = settings(model.url, profiles=book)
        with pytest.raises(ModelFault):
            ask(chosen, with_picture())

    assert book.get(model.url, "policy") == ModelProfile()
    assert len(model.requests) == 3  # as it was, without usage, without pictures


def test_pictures_are_wanted_so_a_refusal_of_them_is_told(settings: Settings) -> None:
    with PolicyModel(picky) as model, pytest.raises(ModelFault) as caught:
        ask(settings(model.url, agent_vision="on"), with_picture())

    assert caught.value.code == "model_rejected"


def test_a_server_that_takes_few_pictures_gets_the_newest(settings: Settings) -> None:
    def policy(request: Request) -> Reply | Refusal:
        pictures = json.dumps(request["messages"]).count("image_url")
        too_many = pictures > 2 * 2  # each part says it twice
        words = "At most 2 image(s) may be provided in one request."
        return Refusal(400, words) if too_many else Reply(content="ok")

    messages: list[Message] = [*ASK]
    for shot in (b"1", b"2", b"3"):
        show_pictures(messages, [Picture(shot)], kept=3)
    book = ProfileBook()

    with PolicyModel(policy) as model:
        ask(settings(model.url, profiles=book), messages)

    assert book.get(model.url, "policy").pictures_max == 2
    sent = [message["content"] for message in model.requests[-1]["messages"]]
    assert [isinstance(content, list) for content in sent] == [False, False, True, True]


@pytest.mark.parametrize("wanted", ["reasoning_content", "reasoning"])
def test_reasoning_goes_back_under_the_name_that_the_server_wants(
    settings: Settings, wanted: str
) -> None:
    messages = [*ASK, assistant("", [ToolCall("a", "de_tap", {})], "I thought.")]
    messages.append({"role": "tool", "tool_call_id": "a", "content": "tapped"})

    def policy(request: Request) -> Reply | Refusal:
        given = wanted in request["messages"][1]
        return Reply(content="ok") if given else Refusal(400, f"`{wanted}` must be passed back")

    with PolicyModel(policy) as model:
        ask(settings(model.url, profiles=ProfileBook()), messages)

    assert model.requests[-1]["messages"][1][wanted] == "I thought."


def test_the_cap_on_output_goes_by_the_name_that_the_server_takes(settings: Settings) -> None:
    def policy(request: Request) -> Reply | Refusal:
        words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return Refusal(400, words, "max_tokens") if "max_tokens" in request else Reply(content="ok")

    with PolicyModel(policy) as model:
        asked = ChatModel(settings(model.url), Abort(), "en", extra={"max_tokens": 8192})
        list(asked.stream(ASK, ()))

    assert model.requests[-1]["max_completion_tokens"] == 8192


@pytest.mark.parametrize(
    ("refusal", "code", "zh"),
    [
        (Refusal(401), "model_auth", "模型 API 返回 401：API Key 无效或已过期。"),
        (Refusal(400, "This model does not support tools"), "model_no_tools", "不会调用工具"),
        (Refusal(529, "overloaded"), "model_busy", "模型服务繁忙"),
        (Refusal(400, "Input data may contain inappropriate content."), "model_filtered", "审查"),
        (Refusal(200, "<html>hi</html>", html=True), "model_unreadable", "chat completions"),
        (Refusal(429, "slow", headers=(("Retry-After", "120"),)), "model_rate", "429"),
    ],
)
def test_refusals_are_said_in_chinese_with_what_to_do(
    settings: Settings, refusal: Refusal, code: str, zh: str
) -> None:
    with PolicyModel(lambda request: refusal) as model, pytest.raises(ModelFault) as caught:
        ask(settings(model.url))

    words = caught.value.words("zh")
    assert caught.value.code == code
    assert zh in words.message
    assert words.hint
