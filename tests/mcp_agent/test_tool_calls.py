"""A call for which a person is asked parks, without a model, until the answer is handed over."""

import threading
from collections.abc import Callable

import pytest

from core.runs.events import ProviderEvent, ToolFinished, ToolStarted
from mcp_agent.abort import Abort
from mcp_agent.model import ToolCall, ToolOutcome, Waiting
from mcp_agent.tool_calls import Parking, ToolCalls

PAY = ToolCall("c1", "de_tap_text", {"text": "付款"})
ASKS = ToolOutcome("ok", "Waiting for approval q1", waits_for=Waiting("q1", "approval"))
END_S = 10


def carried(calls: ToolCalls, call: ToolCall = PAY) -> tuple[ToolOutcome, list[ProviderEvent]]:
    """Carry a call out to its end."""
    events: list[ProviderEvent] = []
    carrying = calls.carry_out(call)
    while True:
        try:
            events.append(next(carrying))
        except StopIteration as end:
            return end.value, events


def asking_once(waiting: Waiting, sent: list[ToolCall]) -> Callable[[ToolCall], ToolOutcome]:
    """Make a tool that asks at its first call and acts at its second."""

    def call_tool(call: ToolCall) -> ToolOutcome:
        sent.append(call)
        if len(sent) == 1:
            return ToolOutcome("ok", "Waiting", waits_for=waiting)
        return ToolOutcome("ok", "Tapped")

    return call_tool


@pytest.mark.parametrize("value", ["approve", "always"])
def test_an_approved_call_is_made_again_by_itself_and_its_outcome_is_what_counts(
    value: str,
) -> None:
    sent: list[ToolCall] = []
    parking = Parking(Abort())
    parking.answer("q1", value)

    outcome, events = carried(ToolCalls(asking_once(Waiting("q1", "approval"), sent), parking))

    assert outcome == ToolOutcome("ok", "Tapped")
    assert [call.arguments for call in sent] == [PAY.arguments, PAY.arguments]
    started = [event.call_id for event in events if isinstance(event, ToolStarted)]
    ended = [event.call_id for event in events if isinstance(event, ToolFinished)]
    assert started == ended == ["c1", "c1.2"]


@pytest.mark.parametrize("value", ["deny", None])
def test_a_call_that_nobody_approved_is_denied_and_not_made_again(value: str | None) -> None:
    sent: list[ToolCall] = []
    parking = Parking(Abort())
    parking.answer("q1", value)

    outcome, _ = carried(ToolCalls(asking_once(Waiting("q1", "approval"), sent), parking))

    assert (outcome.status, len(sent)) == ("denied", 1)
    assert "Nothing was sent" in outcome.text


def test_the_answer_to_a_question_is_the_result_of_the_call_that_asked() -> None:
    sent: list[ToolCall] = []
    parking = Parking(Abort())
    parking.answer("q2", "approve")

    outcome, _ = carried(ToolCalls(asking_once(Waiting("q2", "question"), sent), parking))

    assert outcome.text == "The person answered: approve"
    assert len(sent) == 1


def test_a_phone_that_was_given_back_is_to_be_looked_at_again() -> None:
    sent: list[ToolCall] = []
    parking = Parking(Abort())
    parking.answer("q3", "back")

    outcome, _ = carried(ToolCalls(asking_once(Waiting("q3", "takeover"), sent), parking))

    assert (outcome.status, len(sent)) == ("error", 1)
    assert "Look at the screen again" in outcome.text


def test_an_answer_wakes_a_turn_that_waits_already() -> None:
    parking = Parking(Abort())
    waits = threading.Event()

    def call_tool(call: ToolCall) -> ToolOutcome:
        first = not waits.is_set()
        waits.set()
        return ASKS if first else ToolOutcome("ok", "Tapped")

    outcomes: list[ToolOutcome] = []
    turn = threading.Thread(
        target=lambda: outcomes.append(carried(ToolCalls(call_tool, parking))[0])
    )
    turn.start()
    assert waits.wait(END_S)
    parking.answer("another", "deny")
    parking.answer("q1", "approve")
    turn.join(END_S)

    assert outcomes == [ToolOutcome("ok", "Tapped")]


def test_a_stop_ends_the_waiting() -> None:
    abort = Abort()
    waits = threading.Event()
    outcomes: list[ToolOutcome] = []

    def call_tool(call: ToolCall) -> ToolOutcome:
        waits.set()
        return ASKS

    turn = threading.Thread(
        target=lambda: outcomes.append(carried(ToolCalls(call_tool, Parking(abort)))[0])
    )
    turn.start()
    assert waits.wait(END_S)
    abort.set("stopped")
    turn.join(END_S)

    assert [outcome.status for outcome in outcomes] == ["aborted"]


def test_without_a_parking_place_the_question_is_left_to_the_brain() -> None:
    outcome, _ = carried(ToolCalls(lambda call: ASKS))

    assert outcome is ASKS
