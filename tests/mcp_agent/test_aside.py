"""A plain question beside the runs, and what can be saved of its answer."""

import pytest

from core.errors import ModelFault, ModelUnset
from core.model_profiles import ProfileBook
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.aside import MOST, Most, ask
from mcp_agent.salvage import objects
from tests.policy_model import PolicyModel, Refusal, Reply, Request


def settings(model: PolicyModel) -> AgentSettings:
    return AgentSettings(
        agent_api_base=model.url, agent_model="policy", agent_api_key="k", profiles=ProfileBook()
    )


def echoes(request: Request) -> Reply:
    """Say how many messages came, and whether thinking was turned off."""
    off = request.get("thinking") == {"type": "disabled"}
    return Reply(content=f"{len(request['messages'])} {off}", reasoning="" if off else "hm")


def knows_no_thinking(request: Request) -> Reply | Refusal:
    if "thinking" in request:
        return Refusal(400, "Unrecognized request argument supplied: thinking", "thinking")
    return echoes(request)


def test_a_plain_question_turns_thinking_off() -> None:
    with PolicyModel(echoes) as model:
        answer = ask(settings(model), "en", "You sum up.", "What was it?")

    assert answer == "2 True"


def test_a_server_without_the_switch_is_asked_without_it_and_only_once_refuses() -> None:
    with PolicyModel(knows_no_thinking) as model:
        chosen = settings(model)
        answers = [ask(chosen, "en", "You sum up.", said) for said in ("one", "two")]

        refused = [request for request in model.requests if "thinking" in request]
        asked_again = [request["messages"][1]["content"] for request in model.requests[-2:]]
    assert answers == ["2 False", "2 False"]
    assert {request["messages"][1]["content"] for request in refused} == {"one"}
    assert asked_again == ["one", "two"]


def test_of_an_answer_without_an_end_no_more_is_read_than_could_be_one() -> None:
    with PolicyModel(lambda request: Reply(content="點" * 2_000_000)) as model:
        answer = ask(settings(model), "en", "You sum up.", "What was it?")

    assert answer == "點" * MOST.chars


def test_half_a_sign_is_no_reason_to_lose_an_answer() -> None:
    with PolicyModel(lambda request: Reply(content="tapped \ud83d\ude00 and \ud83d")) as model:
        answer = ask(settings(model), "en", "You sum up.", "What was it?")

    assert answer == "tapped \N{GRINNING FACE} and \N{REPLACEMENT CHARACTER}"


def test_a_model_that_fails_is_no_answer() -> None:
    with PolicyModel(lambda request: Refusal(401, "no such key")) as model:
        with pytest.raises(ModelFault) as fault:
            ask(settings(model), "en", "You sum up.", "What was it?")

        assert fault.value.code == "model_auth"
        assert len(model.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [Reply(content="never", hang_s=60), Reply(content="and so on " * 10_000, trickle_s=0.05)],
)
def test_an_answer_that_never_ends_is_waited_for_so_long_and_no_longer(reply: Reply) -> None:
    with PolicyModel(lambda request: reply) as model:
        with pytest.raises(ModelFault) as fault:
            ask(settings(model), "en", "You sum up.", "What was it?", Most(limit_s=0.5))

        assert fault.value.code == "model_timeout"
        assert len(model.requests) == 1


def test_who_stops_waits_for_no_answer() -> None:
    stop = Abort()

    def stops_first(request: Request) -> Reply:
        stop.set("stopped")
        return Reply(content="never", hang_s=60)

    with PolicyModel(stops_first) as model, pytest.raises(ModelFault):
        ask(settings(model), "en", "You sum up.", "What was it?", stop=stop)


def test_without_a_model_nobody_is_asked() -> None:
    with pytest.raises(ModelUnset):
        ask(AgentSettings(), "en", "You sum up.", "What was it?")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no object at all", []),
        ('Sure!\n```json\n[{"a": 1}, {"b": {"c": 2}}]\n```', [{"a": 1}, {"b": {"c": 2}}]),
        ('[{"a": 1}, {"b": "cut of', [{"a": 1}]),
        ('{"kept": [{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        ('{"a": {"b": 1}, oops} {"c": 3}', [{"b": 1}, {"c": 3}]),
        ("{" * 100_000, []),
        ('{"a": ' * 50_000, []),
    ],
)
def test_whole_objects_are_saved_of_any_answer(text: str, found: list[object]) -> None:
    assert list(objects(text)) == found
