"""Runs that a killed console left behind: their words are kept, and they can be done again."""

from collections.abc import Iterator

import pytest

from core import conversations
from core.errors import Invalid
from core.runs import parking, questions, store
from core.runs.events import ReasoningDelta, TextDelta, ToolStarted, Usage
from core.runs.questions import Asking
from core.runs.record import RunRequest
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import PolicyModel, Reply, last_user

PROMPT = "把 Wi-Fi 关掉"


@pytest.fixture
def killed(desk: Desk) -> Iterator[Desk]:
    """Give a desk whose process is gone; `open` is the next start."""
    desk.close()
    yield desk
    if desk.runner._closing.is_set():
        desk.open()  # so that whoever made the desk can close it


def left_behind(desk: Desk, provider: str = "openai") -> str:
    """Leave a run as a killed process does that had come to its first tool."""
    db = desk.instance.db
    request = RunRequest(
        PROMPT, desk.serial, None, "chat", "phone", provider, "auto", 40, "zh", "console"
    )
    record = store.begin(db, store.start(db, request, slots=1).run_id)
    assert record is not None
    log = desk.logs.open(record.run_id)
    for event in (
        ReasoningDelta("先看。"),
        TextDelta("我先"),
        TextDelta("看一下。"),
        ToolStarted("a", "de_ui_tree", {}, n=1),
        Usage(100, 20, cache_read=60, cost=0.5, currency="CNY"),
        TextDelta("再点"),
    ):
        log.append(event)
    desk.logs.flush()
    return record.run_id


def test_what_was_said_and_used_before_the_kill_is_kept(killed: Desk) -> None:
    run_id = left_behind(killed)

    killed.open()

    record = store.get(killed.instance.db, run_id)
    answer = conversations.read(killed.instance.db, record.conv_id)["messages"][-1]
    assert record.status == "failed"
    assert answer["content"] == "我先看一下。\n\n再点"
    assert (answer["reasoning"], answer["steps"]) == ("先看。", 1)
    assert answer["usage"]["total_tokens"] == 120
    assert (answer["usage"]["cost"], answer["usage"]["currency"]) == (0.5, "CNY")
    assert answer["error"]["code"] == "interrupted"
    assert answer["again"] == ["resume", "restart"]


def test_a_run_that_waited_is_closed_with_its_question(killed: Desk) -> None:
    db = killed.instance.db
    run_id = left_behind(killed)
    question = questions.ask(db, run_id, Asking("question", "哪个？", "哪一个网络？"))
    parking.park(db, run_id, "waiting")

    killed.open()

    assert store.get(db, run_id).status == "failed"
    assert questions.get(db, question.question_id).status == "void"
    assert killed.runner.snapshot()["running"] is False


def test_a_run_goes_on_where_it_was_or_from_the_beginning(killed: Desk, settings: Settings) -> None:
    run_id = left_behind(killed)
    killed.open()
    with PolicyModel(lambda request: Reply(content="好了。")) as model:
        killed.settings = settings(model.url)
        resumed = killed.runner.again(run_id, "resume")
        killed.entries(resumed.run_id)
        once_more = killed.runner.again(resumed.run_id, "resume")
        killed.entries(once_more.run_id)
        restarted = killed.runner.again(run_id, "restart")
        killed.entries(restarted.run_id)
        asked = [last_user(request) for request in model.requests]
        known = [message["content"] for message in model.requests[0]["messages"]]

    assert {each.conv_id for each in (resumed, once_more, restarted)} == {
        store.get(killed.instance.db, run_id).conv_id
    }
    assert asked[0].startswith("接着上次中断的地方继续")
    assert asked[0].endswith(PROMPT)
    assert asked[1:] == [asked[0], PROMPT]
    assert any("我先看一下。" in str(content) for content in known)


def test_rules_know_no_place_to_go_on_from(killed: Desk) -> None:
    run_id = left_behind(killed, provider="offline")
    killed.open()
    db = killed.instance.db

    with pytest.raises(Invalid, match="restart"):
        killed.runner.again(run_id, "resume")

    answer = conversations.read(db, store.get(db, run_id).conv_id)["messages"][-1]
    assert answer["again"] == ["restart"]
