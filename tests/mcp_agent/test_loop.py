"""The loop alone, with a scripted model: order of messages, pictures, limits, follow-ups, stop."""

from collections.abc import Iterator, Sequence

import pytest

from core.errors import ModelFault
from core.runs.events import (
    Consumed,
    Notice,
    Picture,
    ProviderEvent,
    TextDelta,
    TextSegment,
    ToolFinished,
    ToolStarted,
    TurnResult,
)
from mcp_agent.abort import Abort
from mcp_agent.agent import Agent, FollowUp
from mcp_agent.budget import Budget
from mcp_agent.messages import OLD_PICTURE, has_picture
from mcp_agent.model import Message, ModelEvent, ToolCall, ToolOutcome, ToolSpec
from mcp_agent.tool_calls import ToolCalls

LOOK = ToolSpec("de_screenshot", "look", {"type": "object"}, read_only=True)


class ScriptedModel:
    """Says what it was given, one list a turn; keeps a copy of what it saw."""

    def __init__(self, *turns: Sequence[ModelEvent]) -> None:
        self.turns = list(turns)
        self.seen: list[list[Message]] = []
        self.tools: list[int] = []

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[ModelEvent]:
        self.seen.append(list(messages))
        self.tools.append(len(tools))
        yield from self.turns.pop(0)


def did(asked: ToolCall) -> ToolOutcome:
    return ToolOutcome("ok", f"did {asked.name}", (Picture(b"jpg"),))


def make_agent(model: ScriptedModel, **changes: object) -> Agent:
    given: dict[str, object] = {
        "model": model,
        "tools": (LOOK,),
        "tool_calls": ToolCalls(did),
        "follow_ups": lambda last: (),
        "abort": Abort(),
        "budget": Budget(5),
        "lang": "en",
    }
    return Agent(**{**given, **changes})  # type: ignore[arg-type]


def run(agent: Agent, prompt: str = "find food") -> list[ProviderEvent]:
    return list(agent.run_stream([{"role": "user", "content": prompt}]))


def roles(messages: list[Message]) -> list[str]:
    return [message["role"] for message in messages]


def call(call_id: str, name: str = "de_screenshot") -> ToolCall:
    return ToolCall(call_id, name, {})


def test_tool_results_come_before_pictures_in_the_next_request() -> None:
    model = ScriptedModel([call("a"), call("b", "de_ui_tree")], [TextDelta("Two restaurants.")])

    events = run(make_agent(model))

    assert roles(model.seen[1]) == ["user", "assistant", "tool", "tool", "user"]
    assert events[-1] == TurnResult("ok", "Two restaurants.")


def test_only_the_newest_picture_stays_and_the_prefix_is_kept() -> None:
    model = ScriptedModel([call("a")], [call("b")], [TextDelta("Done.")])

    run(make_agent(model))

    first, last = model.seen[1], model.seen[2]
    assert [has_picture(m) for m in last] == [False] * 6 + [True]
    assert last[3]["content"] == OLD_PICTURE
    assert last[:3] == first[:3]


def test_the_text_before_a_tool_call_is_a_segment_of_its_own() -> None:
    model = ScriptedModel([TextDelta("I look."), call("a")], [TextDelta("A map.")])

    events = run(make_agent(model))

    kinds = [type(event) for event in events if not isinstance(event, TextDelta)]
    assert kinds[1:4] == [TextSegment, ToolStarted, ToolFinished]
    assert events[-1] == TurnResult("ok", "A map.")


def test_at_the_step_limit_the_model_sums_up_without_tools() -> None:
    model = ScriptedModel([call("a")], [call("b")], [TextDelta("Half of it is done.")])

    events = run(make_agent(model, budget=Budget(2)))

    assert model.tools == [1, 1, 0]
    assert any(isinstance(event, Notice) and event.code == "step_limit" for event in events)
    assert events[-1] == TurnResult("ok", "Half of it is done.")


def test_a_follow_up_goes_before_the_next_model_call() -> None:
    added = [[], [FollowUp("m2", "in Suzhou")], []]
    model = ScriptedModel([call("a")], [TextDelta("Three in Suzhou.")])

    events = run(make_agent(model, follow_ups=lambda last: added.pop(0)))

    assert model.seen[1][-1] == {"role": "user", "content": "in Suzhou"}
    assert Consumed(("m2",)) in events


def test_a_follow_up_that_comes_with_the_answer_is_still_answered() -> None:
    added = [[], [FollowUp("m2", "and drinks?")], [], []]
    model = ScriptedModel([TextDelta("Food.")], [TextDelta("Drinks.")])

    events = run(make_agent(model, follow_ups=lambda last: added.pop(0)))

    assert roles(model.seen[1]) == ["user", "assistant", "user"]
    assert TextSegment("Food.") in events
    assert events[-1] == TurnResult("ok", "Drinks.")


def test_after_a_stop_no_further_tool_is_called() -> None:
    abort = Abort()
    called: list[str] = []

    def call_tool(asked: ToolCall) -> ToolOutcome:
        called.append(asked.id)
        abort.set("stopped")
        return ToolOutcome("aborted")

    model = ScriptedModel([call("a"), call("b")])

    events = run(make_agent(model, tool_calls=ToolCalls(call_tool), abort=abort))

    assert called == ["a"]
    assert isinstance(events[-1], TurnResult)
    assert events[-1].status == "aborted"


def test_arguments_that_are_no_json_are_answered_and_not_carried_out() -> None:
    called: list[str] = []
    model = ScriptedModel([ToolCall("a", "de_tap", {}, "not JSON")], [TextDelta("Sorry.")])

    def call_tool(asked: ToolCall) -> ToolOutcome:
        called.append(asked.id)
        return ToolOutcome("ok")

    events = run(make_agent(model, tool_calls=ToolCalls(call_tool)))

    finished = next(event for event in events if isinstance(event, ToolFinished))
    assert (finished.status, finished.text, called) == ("error", "not JSON", [])


def test_an_empty_answer_is_an_error() -> None:
    model = ScriptedModel([])

    with pytest.raises(ModelFault, match="empty answer"):
        run(make_agent(model))
