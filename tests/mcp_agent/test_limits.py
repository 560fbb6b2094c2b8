"""Runs that end: going in circles, budgets, caps, and tools of a mode that end the run."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from core.runs import store
from core.runs.events import Usage
from core.runs.log import Entry
from mcp_agent import prompts
from mcp_agent.budget import Budget
from mcp_agent.local_tools import LOCAL_TOOLS, LocalContext, LocalOutcome
from mcp_agent.modes import MODES, Mode
from tests.mcp_agent.conftest import Desk, Settings, data
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from virtual_phone.testing import PhoneHandle


def notices(entries: list[Entry]) -> list[str]:
    return [data(entry)["code"] for entry in entries if entry.name == "notice"]


def test_an_act_that_comes_to_nothing_again_and_again_is_told_and_then_stopped(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    def stubborn(request: Request) -> Reply:
        return Reply(calls=(Call("de_tap_xy", {"x": 540, "y": 1100}),))

    with PolicyModel(stubborn) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("点一下")
        last = desk.entries(run_id)[-1]
        told = [text for text in tool_texts(model.requests[-1]) if "same result 3 times" in text]
        calls = len(model.requests)

        steps = [entry.name for entry in desk.logs.read(run_id, 0) if "step" in entry.name]

    assert (last.name, data(last)["code"]) == ("error", "loop_detected")
    assert steps == ["step_started", "step"] * 5
    assert "de_tap_xy" in data(last)["message"]
    assert (len(told), calls) == (1, 5)


def test_a_model_that_heeds_the_warning_goes_on(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    def heeds(request: Request) -> Reply:
        if any("try another way" in text for text in tool_texts(request)):
            return Reply(content="这里点不动。")
        return Reply(calls=(Call("de_tap_xy", {"x": 540, "y": 1100}),))

    with PolicyModel(heeds) as model:
        desk.settings = settings(model.url)
        last = desk.run("点一下")[-1]

    assert data(last)["answer"] == "这里点不动。"


def test_looking_again_and_again_is_no_circle(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    def looks(request: Request) -> Reply:
        seen = tool_texts(request)
        return Reply(content="看够了。") if len(seen) == 7 else Reply(calls=(Call("de_ui_tree"),))

    with PolicyModel(looks) as model:
        desk.settings = settings(model.url)
        last = desk.run("一直看")[-1]

    assert data(last)["answer"] == "看够了。"


def test_a_budget_that_is_used_up_ends_with_a_summary(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    def spends(request: Request) -> Reply:
        usage = {"prompt_tokens": 400, "completion_tokens": 100, "total_tokens": 500}
        if not request.get("tools"):
            return Reply(content="只看了两次。", usage=usage)
        return Reply(calls=(Call("de_ui_tree"),), usage=usage)

    with PolicyModel(spends) as model:
        desk.settings = settings(model.url, agent_budget_tokens=1000)
        entries = desk.run("看看")
        calls = len(model.requests)

    assert notices(entries) == ["budget_tokens"]
    assert (entries[-1].name, data(entries[-1])["answer"]) == ("done", "只看了两次。")
    assert calls == 3


@pytest.mark.parametrize(
    ("budget", "code"),
    [
        (Budget(40, tokens=10), "budget_tokens"),
        (Budget(40, cost=0.01), "budget_cost"),
        (Budget(40, minutes=1, began=-1e9), "budget_minutes"),
        (Budget(40, minutes=1, began=-1e9, waited_s=lambda: 2e9), None),
        (Budget(2), "step_limit"),
        (Budget(40), None),
    ],
)
def test_each_limit_is_noticed_by_itself(budget: Budget, code: str | None) -> None:
    budget.count(Usage(8, 4, cost=0.02))

    over = budget.over(3, "zh")

    assert (over.code if over else None) == code


class Note(BaseModel):
    """What to note down."""

    steps: list[str]


class NoteDown:
    """A tool of this test's own mode."""

    name = "note_down"
    description = "Note down the way."
    params = Note

    def run(self, params: Note, context: LocalContext) -> LocalOutcome:
        if len(params.steps) < 2:
            return LocalOutcome("steps: at least two", ok=False)
        return LocalOutcome("记下了。", payload={"draft": {"steps": params.steps}}, ends=True)


@pytest.fixture
def noting() -> Iterator[str]:
    """Add a mode like the designer's, with a tool that ends the run."""
    LOCAL_TOOLS.register("note_down")(NoteDown)
    MODES.register("noting")(
        Mode(prompts.designer, False, 8192, most_calls=3, local_tools=("note_down",))
    )
    yield "noting"
    del LOCAL_TOOLS._things["note_down"], MODES._things["noting"]


def test_a_modes_own_tool_is_offered_checked_and_may_end_the_run(
    desk: Desk, settings: Settings, phone: PhoneHandle, noting: str
) -> None:
    def designs(request: Request) -> Reply:
        seen = tool_texts(request)
        if not seen:
            return Reply(calls=(Call("note_down", {"steps": "x"}),))
        if "arguments are not right" in seen[-1]:
            return Reply(calls=(Call("note_down", {"steps": ["a"]}),))
        return Reply(calls=(Call("note_down", {"steps": ["a", "b"]}),))

    with PolicyModel(designs) as model:
        desk.settings = settings(model.url)
        last = desk.run("设计一个任务", mode=noting)[-1]
        first = model.requests[0]
        offered = [tool["function"]["name"] for tool in first["tools"]]

    assert data(last)["draft"] == {"steps": ["a", "b"]}
    assert (data(last)["mode"], data(last)["answer"]) == ("noting", "记下了。")
    assert "任务设计师" in first["messages"][0]["content"]
    assert first["max_tokens"] == 8192
    assert {"note_down", "de_ui_tree"} <= set(offered)
    assert len(model.requests) == 3


def test_a_mode_without_history_does_not_send_what_was_said_before(
    desk: Desk, settings: Settings, phone: PhoneHandle, noting: str
) -> None:
    with PolicyModel(lambda request: Reply(content="好。")) as model:
        desk.settings = settings(model.url)
        first = desk.start("第一句")
        desk.entries(first)
        conv_id = store.get(desk.instance.db, first).conv_id
        desk.run("第二句", conv_id=conv_id)
        desk.run("第三句", conv_id=conv_id, mode=noting)
        sizes = [len(request["messages"]) for request in model.requests]

    assert sizes == [2, 4, 2]


def test_no_tool_is_called_more_often_than_its_mode_allows(
    desk: Desk, settings: Settings, phone: PhoneHandle, noting: str
) -> None:
    def looks(request: Request) -> Reply:
        seen = tool_texts(request)
        if seen and "all there is for one run" in seen[-1]:
            return Reply(content=f"看了 {len(seen) - 1} 次。")
        return Reply(calls=(Call("de_ui_tree"),))

    with PolicyModel(looks) as model:
        desk.settings = settings(model.url)
        last = desk.run("一直看", mode=noting)[-1]

    assert data(last)["answer"] == "看了 3 次。"
