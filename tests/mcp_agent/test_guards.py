"""When is a run going in circles: the same act, the same screen, and nothing new between."""

from collections.abc import Callable, Iterable

import pytest

from core.errors import LoopDetected
from mcp_agent.guards import LoopGuard
from mcp_agent.model import ToolCall, ToolOutcome

BACK = ToolCall("c", "de_press_key", {"key": "back"})


def tap(number: int) -> ToolCall:
    return ToolCall("c", "de_tap", {"element": number})


def leading_to(screens: Iterable[str | None]) -> Callable[[ToolCall], ToolOutcome]:
    """Make a tool whose every call says the same and leads to the next of these screens."""
    ahead = iter(screens)
    return lambda call: ToolOutcome("ok", "Done. The screen changed.", screen=next(ahead))


def told(guard: LoopGuard, calls: Iterable[ToolCall]) -> list[bool]:
    """Make calls; True for each whose answer says that it goes in circles."""
    return ["another way" in guard(call).text for call in calls]


def test_the_same_act_that_leads_to_the_same_screen_is_told_and_then_stopped() -> None:
    guard = LoopGuard(leading_to(["a"] * 5), ())

    warned = told(guard, [BACK] * 4)

    assert warned == [False, False, True, True]
    with pytest.raises(LoopDetected, match="de_press_key"):
        guard(BACK)


def test_two_acts_in_turns_are_a_circle_too() -> None:
    guard = LoopGuard(leading_to(["a", "b"] * 5), ())

    warned = told(guard, [tap(1), BACK] * 3)

    assert warned == [False, False, False, False, False, True]


def test_the_same_act_that_leads_to_another_screen_each_time_goes_on() -> None:
    guard = LoopGuard(leading_to("abcdefgh"), ())

    assert told(guard, [tap(1)] * 8) == [False] * 8


def test_coming_back_to_a_list_after_each_of_its_entries_is_no_circle() -> None:
    opened = [screen for at in range(6) for screen in (f"entry {at}", "list")]
    guard = LoopGuard(leading_to(opened), ())

    calls = [call for at in range(6) for call in (tap(at), BACK)]

    assert told(guard, calls) == [False] * 12


def test_an_act_on_a_screen_that_cannot_be_told_apart_goes_on() -> None:
    guard = LoopGuard(leading_to([""] * 8), ())

    assert told(guard, [BACK] * 8) == [False] * 8


def test_a_tool_that_tells_no_screen_is_judged_by_its_words() -> None:
    guard = LoopGuard(leading_to([None] * 5), ())

    assert told(guard, [BACK] * 3)[-1]
