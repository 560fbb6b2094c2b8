"""Risky acts of a run ask a person, and exactly what was approved is sent, once."""

from collections.abc import Iterator

import pytest

from core import policy_rules
from core.errors import QuestionClosed
from core.runs import questions, store
from core.runs.record import Ending, RunRecord
from tests.fixtures_mcp import McpHouse, Tools
from virtual_phone.testing import PhoneHandle

SHOP = "com.example.shop"
MESSAGES = "com.android.messaging"
SLIDE_FROM, SLIDE_TO = [165, 2166], [1000, 2166]


@pytest.fixture
def run(mcp_house: McpHouse) -> Iterator[tuple[RunRecord, Tools]]:
    """Hold the phone for a run that asks before risky acts."""
    with mcp_house.run("confirm_risky") as (record, token), mcp_house.tools(token) as tools:
        yield record, tools


def page(phone: PhoneHandle) -> str:
    return str(phone.get("shop.ui.page"))


def answer(house: McpHouse, record: RunRecord, question: str | None, value: str) -> None:
    questions.answer(house.instance.db, record.run_id, question or "", value, "li")


def test_a_risky_act_is_not_sent_and_says_which_question_it_waits_for(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run

    slid = tools.call("de_swipe", **{"from": SLIDE_FROM, "to": SLIDE_TO})
    tapped = tools.call("de_tap_text", text="向右滑动付款", index=0)
    [asked, _] = questions.open_of(mcp_house.instance.db, record.run_id)

    assert not slid.is_error
    assert f'de_wait_for {{"question": "{slid.question}"}}' in slid.text
    assert asked.question_id == slid.question
    assert "付款" in asked.question
    assert [value for value, _ in asked.options] == ["approve", "deny", "always"]
    assert tapped.question not in (None, slid.question)
    assert (page(checkout), checkout.log()) == ("confirm", [])


def test_a_question_says_in_words_what_is_to_be_done(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    with mcp_house.run("confirm_all") as (record, token), mcp_house.tools(token) as tools:
        tools.call("de_open_app", app="联系人")
        tools.call("de_press_key", key="home")
        tools.call("de_type_text", text="你好")
        tools.call("de_type_text", text="你好」（不发送")
        tools.call("de_type_text", text="a\u200bb", submit=True)
        asked = questions.open_of(mcp_house.instance.db, record.run_id)

    assert [each.question for each in asked] == [
        "AI 想打开应用「联系人」（现在在「设置」）：每一步都要确认。",
        "AI 想按「home」键（现在在「设置」）：每一步都要确认。",
        "AI 想输入「你好」（现在在「设置」）：每一步都要确认。",
        'AI 想执行 de_type_text {"clear": false, "submit": false, "text": "你好」（不发送"}'
        "（现在在「设置」）：每一步都要确认。",
        'AI 想执行 de_type_text {"clear": false, "submit": true, "text": "a\\u200bb"}'
        "（现在在「设置」）：每一步都要确认。",
    ]


def test_an_approved_act_is_sent_once(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    slide = {"from": SLIDE_FROM, "to": SLIDE_TO}
    asked = tools.call("de_swipe", **slide)
    answer(mcp_house, record, asked.question, "approve")

    told = tools.call("de_wait_for", question=asked.question)
    sent = tools.call("de_swipe", **slide)
    after = page(checkout)
    checkout.set("shop.ui.page", "confirm")
    again = tools.call("de_swipe", **slide)

    assert "Approved" in told.text
    assert (sent.question, after) == (None, "pay")
    assert again.question not in (None, asked.question)
    assert page(checkout) == "confirm"


def test_an_act_that_was_approved_on_another_screen_is_refused(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    slide = {"from": SLIDE_FROM, "to": SLIDE_TO}
    asked = tools.call("de_swipe", **slide)
    checkout.set("shop.cart", [{"product": 5, "count": 9}])
    answer(mcp_house, record, asked.question, "approve")

    refused = tools.call("de_swipe", **slide)
    checkout.set("shop.cart", [{"product": 1, "count": 1}])
    anew = tools.call("de_swipe", **slide)

    assert refused.is_error
    assert "screen has changed since this was approved" in refused.text
    assert anew.question not in (None, asked.question)
    assert (page(checkout), checkout.log()) == ("confirm", [])


def test_an_approval_covers_no_other_argument_and_no_other_tool(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call("de_swipe", **{"from": SLIDE_FROM, "to": SLIDE_TO})
    answer(mcp_house, record, asked.question, "approve")

    others = [
        tools.call("de_swipe", **{"from": SLIDE_FROM, "to": [1010, 2166]}),
        tools.call("de_tap_xy", x=165, y=2166),
    ]

    assert others[0].question not in (None, asked.question)
    assert others[1].question not in (None, asked.question)
    assert page(checkout) == "confirm"


def test_a_denied_act_is_never_sent(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call("de_tap_xy", x=165, y=2166)
    answer(mcp_house, record, asked.question, "deny")

    told = tools.call("de_wait_for", question=asked.question)

    assert "said no" in told.text
    assert checkout.log() == []


def test_a_second_answer_by_another_person_is_refused(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call("de_tap_xy", x=165, y=2166)
    answer(mcp_house, record, asked.question, "deny")

    with pytest.raises(QuestionClosed, match="li"):
        questions.answer(
            mcp_house.instance.db, record.run_id, asked.question or "", "approve", "wang"
        )

    assert tools.call("de_tap_xy", x=165, y=2166).question not in (None, asked.question)
    assert checkout.log() == []


def test_after_the_run_was_stopped_nothing_can_be_approved_or_sent(
    mcp_house: McpHouse, checkout: PhoneHandle
) -> None:
    db = mcp_house.instance.db
    with mcp_house.run("confirm_risky") as (record, token), mcp_house.tools(token) as tools:
        asked = tools.call("de_tap_xy", x=165, y=2166)
        store.finish(db, record.run_id, Ending(status="stopped", answer="", entries=[]))

        with pytest.raises(QuestionClosed, match="void"):
            answer(mcp_house, record, asked.question, "approve")

    assert checkout.log() == []


def test_always_is_kept_for_this_app_this_kind_and_this_label(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call("de_tap_text", text="向右滑动付款", index=0)
    answer(mcp_house, record, asked.question, "always")

    first = tools.call("de_tap_text", text="向右滑动付款", index=0)
    second = tools.call("de_tap_text", text="向右滑动付款", index=0)
    [rule] = policy_rules.listing(mcp_house.instance.db)
    policy_rules.remove(mcp_house.instance.db, rule.rule_id)
    third = tools.call("de_tap_text", text="向右滑动付款", index=0)

    assert (rule.app, rule.kind, rule.label) == (SHOP, "pay", "向右滑动付款")
    assert (first.question, second.question) == (None, None)
    assert third.question is not None


def test_harmless_acts_are_not_asked_about(
    checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    _, tools = run

    scrolled = tools.call("de_swipe", direction="up")
    back = tools.call("de_tap_text", text="返回", index=0)

    assert (scrolled.question, back.question) == (None, None)
    assert page(checkout) == "cart"


def test_enter_sends_a_message_and_so_asks(
    phone: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    _, tools = run
    tools.call("de_open_app", app=MESSAGES)
    phone.set("messages.ui", {**phone.get("messages.ui"), "page": "thread", "thread": 1})
    typed = tools.call("de_type_text", text="马上付款")

    submitted = tools.call("de_type_text", text="好", submit=True)
    sent = tools.call("de_tap_text", text="发送")

    assert typed.question is None
    assert submitted.question is not None
    assert sent.question is not None


def test_no_detour_reaches_the_slider_without_a_person(
    checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    _, tools = run
    lines = tools.call("de_ui_tree").text.splitlines()
    number = next(line.split("]")[0].strip(" [") for line in lines if "向右滑动付款" in line)

    detours = [
        tools.call("de_swipe", **{"from": SLIDE_FROM, "to": SLIDE_FROM}),
        tools.call("de_type_text", text="", into=number),
        tools.call("de_long_press", element=int(number)),
    ]

    assert all(detour.question is not None for detour in detours)
    assert (page(checkout), checkout.log()) == ("confirm", [])


def test_rows_that_changed_places_are_another_screen(
    mcp_house: McpHouse, phone: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    phone.start(SHOP)
    lines = [{"product": 1, "count": 1}, {"product": 5, "count": 1}]
    phone.set("shop.cart", lines)
    phone.set("shop.ui.page", "confirm")
    slide = {"from": SLIDE_FROM, "to": SLIDE_TO}
    asked = tools.call("de_swipe", **slide)
    answer(mcp_house, record, asked.question, "approve")
    phone.set("shop.cart", lines[::-1])

    refused = tools.call("de_swipe", **slide)

    assert refused.is_error
    assert page(phone) == "confirm"


def test_always_on_an_act_without_words_covers_that_very_call_alone(
    mcp_house: McpHouse, checkout: PhoneHandle, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call("de_press_key", key="enter")
    answer(mcp_house, record, asked.question, "always")

    pressed = tools.call("de_press_key", key="enter")
    slid = tools.call("de_swipe", **{"from": SLIDE_FROM, "to": SLIDE_TO})
    [rule] = policy_rules.listing(mcp_house.instance.db)
    policy_rules.remove(mcp_house.instance.db, rule.rule_id)

    assert asked.question is not None
    assert pressed.question is None
    assert slid.question is not None
    assert page(checkout) == "confirm"


def test_always_holds_where_every_act_asks(mcp_house: McpHouse, checkout: PhoneHandle) -> None:
    with mcp_house.run("confirm_all") as (record, token), mcp_house.tools(token) as tools:
        asked = tools.call("de_press_key", key="home")
        answer(mcp_house, record, asked.question, "always")

        pressed = tools.call("de_press_key", key="home")
        other = tools.call("de_press_key", key="back")
        [rule] = policy_rules.listing(mcp_house.instance.db)
        policy_rules.remove(mcp_house.instance.db, rule.rule_id)

    assert pressed.question is None
    assert other.question is not None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("de_press_key", {"key": "home"}),
        ("de_open_app", {"app": SHOP}),
        ("de_scroll_to", {"text": "挂耳咖啡"}),
        ("de_keep_screen", {"on": True}),
    ],
)
def test_with_confirm_all_every_act_asks(
    mcp_house: McpHouse, checkout: PhoneHandle, tool: str, arguments: dict[str, object]
) -> None:
    with mcp_house.run("confirm_all") as (_, token), mcp_house.tools(token) as tools:
        asked = tools.call(tool, **arguments)

    assert asked.question is not None
    assert checkout.log() == []


def test_a_program_with_a_token_of_its_owner_is_not_asked(
    mcp_house: McpHouse, checkout: PhoneHandle
) -> None:
    with mcp_house.tools() as tools:
        slid = tools.call("de_swipe", **{"from": SLIDE_FROM, "to": SLIDE_TO})

    assert slid.question is None
    assert page(checkout) == "pay"


def test_a_question_to_the_person_is_answered_through_the_wait(
    mcp_house: McpHouse, run: tuple[RunRecord, Tools]
) -> None:
    record, tools = run
    asked = tools.call(
        "ask_user_question", title="收件人", question="发给谁？", options=["小王", "小李"]
    )
    still = tools.call("de_wait_for", question=asked.question, timeout_s=0)
    answer(mcp_house, record, asked.question, "小李")

    told = tools.call("de_wait_for", question=asked.question)

    assert "No answer yet" in still.text
    assert told.text == "The person answered: 小李"


def test_a_question_of_another_run_is_not_told(
    mcp_house: McpHouse, run: tuple[RunRecord, Tools]
) -> None:
    _, tools = run

    answered = tools.call("de_wait_for", question="nosuchthing", timeout_s=0)

    assert answered.is_error
    assert "nosuchthing" in answered.text
