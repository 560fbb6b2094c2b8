"""A saved action is replayed on the phone, and asks, stops and fails like any other act."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core import policy_rules
from core.memory import actions
from core.memory.actions import Action, NewAction
from core.runs import questions, store, tokens
from core.runs.record import Ending, RunRecord
from tests.fixtures_mcp import McpHouse, Tools
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"
MESSAGES = "com.android.messaging"
NOTES = "com.example.notes"
OPEN = {"type": "open_app", "app": "设置"}
FIELD = {"className": "android.widget.EditText"}
DOWN = {"type": "scroll_to", "selector": {"text": "关于手机"}}
PAUSE = {"type": "wait", "seconds": 0.05}
WRITE = {"type": "input_text", "text": "{{words}}", "selector": FIELD}
SEND = {"type": "click", "selector": {"description": "发送"}}


def click(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "click", "selector": {"text": text}, **more}


def save(house: McpHouse, name: str, *steps: dict[str, Any], aliases: str = "") -> Action:
    db = house.instance.db
    kept = actions.find(db, name)
    wanted = NewAction(name, list(steps), tuple(aliases.split()))
    return actions.change(db, kept.action_id, wanted) if kept else actions.create(db, wanted)


def sent(phone: PhoneHandle) -> list[str]:
    thread = next(each for each in phone.get("messages.threads") if each["id"] == 1)
    return [message["text"] for message in thread["messages"]]


def answer(house: McpHouse, run: RunRecord, question: str | None, value: str) -> None:
    questions.answer(house.instance.db, run.run_id, question or "", value, "li")


def test_an_action_is_replayed_by_its_alias_and_tells_each_step(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    saved = save(mcp_house, "打开蓝牙页", OPEN, click("蓝牙"), aliases="bt")

    with mcp_house.tools() as tools:
        answer = tools.call("de_run_action", name="BT")

    assert not answer.is_error
    assert answer.text.splitlines() == [
        'Ran "打开蓝牙页": 2 steps.',
        "1 open_app: 设置",
        '2 click: text "蓝牙"',
    ]
    assert phone.get("system.foreground") == SETTINGS
    assert phone.log()[-1]["label"] == "蓝牙"
    assert actions.get(mcp_house.instance.db, saved.action_id).uses == saved.uses + 1


def test_every_type_that_an_action_may_hold_works_on_a_phone(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    save(mcp_house, "回桌面", {"type": "press_key", "key": "home"})
    save(
        mcp_house,
        "all types",
        OPEN,
        {"type": "wait_for", "selector": {"textContains": "蓝"}},
        DOWN,
        {"type": "swipe", "direction": "down"},
        {"type": "swipe", "from": [0.5, 0.3], "to": [0.5, 0.8]},
        click("搜索设置"),
        {"type": "input_text", "text": "{{what}}", "clear": True},
        {"type": "hide_keyboard"},
        {"type": "extract", "selector": FIELD, "into": "said"},
        {"type": "assert", "selector": FIELD, "text": "{{said}}"},
        {"type": "screenshot", "name": "search"},
        {
            "type": "if_exists",
            "selector": {"text": "没有"},
            "then": [OPEN],
            "else": [PAUSE],
            "timeout_s": 0.1,
        },
        {"type": "repeat", "times": 2, "steps": [{"type": "press_key", "key": "back"}]},
        {"type": "run_action", "name": "回桌面"},
        {"type": "open_url", "url": "https://example.com"},
        {"type": "open_app", "app": SETTINGS},
        {"type": "long_click", "selector": {"text": "蓝牙"}},
        {"type": "close_app", "app": "设置"},
    )

    with mcp_house.tools() as tools:
        told = tools.call("de_run_action", name="all types", inputs={"what": "蓝牙"})
        while "Not finished yet" in told.text:
            told = tools.call("de_run_action", name="all types", inputs={"what": "蓝牙"})

    assert not told.is_error, told.text
    assert '7 input_text: the field holds "蓝牙"' in told.text
    assert 'extract: said = "蓝牙"' in told.text
    assert "screenshot: picture 1 (search)" in told.text
    assert len(told.images) == 1
    assert phone.get("system.foreground") != SETTINGS


def test_a_step_that_fails_is_named_with_what_is_near_and_what_was_done(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    twice = {"type": "repeat", "times": 1, "steps": [click("蓝牙耳机", timeout_s=0.1)]}
    save(mcp_house, "wrong", OPEN, twice, click("网络"))

    with mcp_house.tools() as tools:
        answer = tools.call("de_run_action", name="wrong")

    assert answer.is_error
    assert 'The action "wrong" stopped at steps.1.steps.0: click: There is no' in answer.text
    assert "Nearest: " in answer.text
    assert "Done before it: 1 open_app: 设置." in answer.text
    assert phone.log() == []


def test_what_nobody_asked_for_is_pressed_away(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    save(mcp_house, "open accessibility", click("无障碍"))
    phone.start(SETTINGS)
    phone.fault("update")

    with mcp_house.tools() as tools:
        answer = tools.call("de_run_action", name="open accessibility")

    assert not answer.is_error, answer.text
    assert "Closed what was in the way: update (稍后提醒)" in answer.text
    assert "无障碍" in phone.log()[-1]["label"]


def test_an_action_recorded_on_one_screen_works_on_another(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    save(mcp_house, "far down", OPEN, DOWN, click("关于手机"))

    with mcp_house.tools() as tools:
        tall = tools.call("de_run_action", name="far down")
        tapped = phone.log()[-1]
        phone.reset()
        phone.set("system.wm_size", [720, 1280])
        small = tools.call("de_run_action", name="far down")

    assert (tall.is_error, small.is_error) == (False, False)
    assert [tapped["label"], phone.log()[-1]["label"]] == ["关于手机", "关于手机"]
    assert tapped["x"] > 0
    assert (tapped["x"], tapped["y"]) != (phone.log()[-1]["x"], phone.log()[-1]["y"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "打开蓝耳"}, "There is no action 打开蓝耳. Nearest: 打开蓝牙"),
        ({"name": "say"}, "words must be given in inputs"),
        ({"name": "say", "inputs": {"words": ["a"]}}, "inputs.words is no text"),
    ],
)
def test_what_cannot_be_replayed_is_said_before_anything_is_done(
    mcp_house: McpHouse, phone: PhoneHandle, arguments: dict[str, Any], words: str
) -> None:
    save(mcp_house, "打开蓝牙", OPEN)
    save(mcp_house, "say", OPEN, WRITE)

    with mcp_house.tools() as tools:
        answer = tools.call("de_run_action", **arguments)

    assert answer.is_error
    assert words in answer.text
    assert phone.get("system.foreground") != SETTINGS


@pytest.fixture
def thread(phone: PhoneHandle) -> PhoneHandle:
    """Stand in a conversation."""
    phone.start(MESSAGES)
    phone.set("messages.ui", {**phone.get("messages.ui"), "page": "thread", "thread": 1})
    return phone


def replay(tools: Tools, words: str = "我到了") -> Any:
    return tools.call("de_run_action", name="say and send", inputs={"words": words})


def test_a_risky_step_asks_and_the_action_goes_on_from_there_once_it_is_allowed(
    mcp_house: McpHouse, thread: PhoneHandle
) -> None:
    save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token), mcp_house.tools(token) as tools:
        asked = replay(tools)
        unsent = sent(thread)
        again = replay(tools)
        answer(mcp_house, run, asked.question, "approve")
        done = replay(tools)
        after = sent(thread)
        anew = replay(tools)

    assert asked.question is not None
    assert again.question == asked.question
    assert unsent == before
    assert not done.is_error, done.text
    assert after == [*before, "我到了"]
    assert "1 input_text" in done.text
    assert anew.question not in (None, asked.question)
    assert sent(thread) == after


def test_always_lets_it_through_from_then_on(mcp_house: McpHouse, thread: PhoneHandle) -> None:
    save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token), mcp_house.tools(token) as tools:
        answer(mcp_house, run, replay(tools).question, "always")
        first, second = replay(tools), replay(tools)

    for rule in policy_rules.listing(mcp_house.instance.db):
        policy_rules.remove(mcp_house.instance.db, rule.rule_id)
    assert (first.is_error, second.is_error) == (False, False), second.text
    assert sent(thread) == [*before, "我到了", "我到了"]


def test_what_was_approved_is_not_begun_anew_where_nothing_stands_any_more(
    mcp_house: McpHouse, thread: PhoneHandle
) -> None:
    save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token), mcp_house.tools(token) as tools:
        asked = replay(tools)
        answer(mcp_house, run, asked.question, "approve")
        other = tokens.mint(mcp_house.instance.db, run.conv_id)
        with mcp_house.tools(other) as elsewhere:
            refused = replay(elsewhere)

    assert refused.is_error
    assert "so it was not sent" in refused.text
    assert sent(thread) == before


@pytest.mark.parametrize("killed", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_what_was_half_done_is_not_begun_anew_where_nothing_stands_any_more(
    mcp_house: McpHouse, thread: PhoneHandle, killed: bool
) -> None:
    save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token):
        with mcp_house.tools(token) as tools:
            asked = replay(tools)
        if killed:
            mcp_house.process.kill()
            mcp_house.process.wait(10)
            mcp_house.restart()
        typed = thread.get("messages.ui")
        with mcp_house.tools(tokens.mint(mcp_house.instance.db, run.conv_id)) as tools:
            lost, after = replay(tools), thread.get("messages.ui")
            anew = replay(tools)

    assert asked.question is not None
    assert lost.is_error
    assert "its rest was lost" in lost.text
    assert after == typed
    assert anew.question not in (None, asked.question)
    assert sent(thread) == before


@pytest.mark.parametrize("deed", ["changed", "deleted"])
def test_what_is_changed_while_a_person_is_asked_goes_on_no_more(
    mcp_house: McpHouse, thread: PhoneHandle, deed: str
) -> None:
    saved = save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token), mcp_house.tools(token) as tools:
        asked = replay(tools)
        if deed == "changed":
            save(mcp_house, "say and send", WRITE)
        else:
            actions.remove(mcp_house.instance.db, saved.action_id)
        answer(mcp_house, run, asked.question, "approve")
        refused, again = replay(tools), replay(tools)

    assert refused.is_error
    assert "was changed or deleted while it was going on" in refused.text
    assert sent(thread) == before
    assert again.is_error == (deed == "deleted")


def test_a_denied_step_is_not_sent(mcp_house: McpHouse, thread: PhoneHandle) -> None:
    save(mcp_house, "say and send", WRITE, SEND)
    before = sent(thread)

    with mcp_house.run("confirm_risky") as (run, token), mcp_house.tools(token) as tools:
        asked = replay(tools)
        answer(mcp_house, run, asked.question, "deny")
        again = replay(tools, "别的")

    assert again.question not in (None, asked.question)
    assert sent(thread) == before


def test_a_replay_ends_with_its_run(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    save(mcp_house, "sleep", OPEN, {"type": "wait", "seconds": 60}, click("蓝牙"))
    ending = Ending(status="stopped", answer="", entries=[])

    with (
        mcp_house.run() as (run, token),
        mcp_house.tools(token) as tools,
        ThreadPoolExecutor(1) as pool,
    ):
        call = pool.submit(tools.call, "de_run_action", name="sleep")
        wait_for(lambda: phone.get("system.foreground") == SETTINGS, "the first step")
        store.finish(mcp_house.instance.db, run.run_id, ending)
        answer = call.result(timeout=30)

    assert answer.is_error
    assert "no longer held by this run" in answer.text
    assert phone.log() == []


@pytest.mark.soak
def test_a_long_action_goes_on_in_the_next_call(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    save(mcp_house, "long", OPEN, {"type": "wait", "seconds": 14}, click("蓝牙"))

    with mcp_house.tools() as tools:
        first = tools.call("de_run_action", name="long")
        second = tools.call("de_run_action", name="long")

    assert "Not finished yet" in first.text
    assert "3 click" in second.text
    assert [touch["label"] for touch in phone.log()] == ["蓝牙"]
