"""The runner finds, acts, proves, and stops where it must."""

import threading

import pytest

from core.errors import ApprovalNeeded, DeviceLost, Invalid, LeaseLost, NotFound, TakenOver
from core.screen.elements import Element
from core.steps.checks import parse_steps
from core.steps.record import StepRecord, Waiting
from core.steps.runner import Runner, Setting, records
from tests.core.screen.making import node
from tests.core.steps.paper import Paper, replay, slow

OK = {"type": "click", "selector": {"text": "OK"}}
BACK = {"type": "press_key", "key": "back"}
FAST = {"timeout_s": 0.01}


def button(text: str, at: int = 0, **more: str) -> str:
    return node(text, kind="Button", bounds=f"[0,{at * 100}][500,{at * 100 + 90}]", **more)


def counter(phone: Paper) -> list[str]:
    """Draw how many times it was touched, and a button."""
    taps = sum(act.startswith("tap") for act in phone.acts)
    return [node(f"{taps} taps", rid="app:id/count"), button("OK", 2, rid="app:id/ok")]


def still(phone: Paper) -> list[str]:
    return [button("OK")]


def codes(record: StepRecord) -> list[str]:
    return [note.code for note in record.notes]


def test_a_click_tells_what_it_touched_and_by_which_selector() -> None:
    done = replay(Paper(counter), OK)

    [told] = done.told
    assert done.verdict == "success"
    assert (told.n, told.path, told.type, told.status) == (1, "steps.0", "click", "ok")
    assert told.said == 'button "OK"'
    assert told.selector == {"text": "OK"}
    assert len(told.screen) == 16
    assert told.notes == ()


def test_a_click_that_changes_nothing_says_so() -> None:
    [told] = replay(Paper(still), OK).told

    assert (told.status, codes(told)) == ("ok", ["unchanged"])


def test_an_element_that_comes_late_is_waited_for() -> None:
    phone = Paper(lambda phone: [button("OK")] if phone.looks > 3 else [node("wait")])

    done = replay(phone, {**OK, "timeout_s": 5})

    assert (done.verdict, phone.acts) == ("success", ["tap OK"])


def test_what_is_disabled_is_waited_for() -> None:
    grey = button("OK").replace('enabled="true"', 'enabled="false"')
    phone = Paper(lambda phone: [button("OK") if phone.looks > 3 else grey])

    done = replay(phone, {**OK, "timeout_s": 5})

    assert (done.verdict, phone.acts) == ("success", ["tap OK"])


def test_an_element_that_never_comes_ends_the_run_with_what_is_near() -> None:
    phone = Paper(lambda phone: [button("Okay"), button("Cancel", 1)])

    done = replay(phone, {**OK, **FAST}, BACK)

    [told] = done.told
    assert (done.verdict, told.status, phone.acts) == ("failed", "failed", [])
    assert told.error is not None
    assert told.error.code == "element_gone"
    assert 'button "Okay"' in told.shown("en")["error"]["hint"]
    assert told.shown("en")["error"]["path"] == "steps.0"


def test_an_alternative_is_taken_after_the_first_had_its_time() -> None:
    step = {**OK, "selector": {"text": "Yes"}, "alternatives": [{"text": "No"}, {"text": "OK"}]}

    [told] = replay(Paper(counter), {**step, **FAST}).told

    assert told.selector == {"text": "OK"}
    assert told.notes[0].said("en") == 'Found by an alternative: text="OK".'


def test_the_first_of_several_is_taken_and_that_is_said() -> None:
    phone = Paper(lambda phone: [button("OK", 0, rid="a"), button("OK", 1, rid="b")])

    [told] = replay(phone, OK).told

    assert told.notes[0].details == {"count": 2}


def test_an_optional_step_that_fails_makes_the_run_partial() -> None:
    phone = Paper(counter)

    done = replay(phone, {"type": "open_app", "app": "nothing", "optional": True}, OK)

    assert done.verdict == "partial"
    assert [(told.status, told.optional) for told in done.told] == [
        ("failed", True),
        ("ok", False),
    ]


def test_a_lost_lease_ends_the_run_even_at_an_optional_step() -> None:
    phone = Paper(counter, trouble=[LeaseLost(serial="paper")])

    done = replay(phone, {**OK, "optional": True}, OK)

    assert (done.verdict, len(done.told), phone.acts) == ("failed", 1, [])


def test_a_touch_is_never_tried_again_and_what_may_be_done_twice_is() -> None:
    slow_touch = Paper(counter, trouble=[slow()])
    slow_open = Paper(counter, trouble=[slow(), DeviceLost(serial="paper")])

    touched = replay(slow_touch, OK)
    opened = replay(slow_open, {"type": "open_app", "app": "app"})

    assert (touched.verdict, slow_touch.acts) == ("failed", [])
    assert (opened.verdict, slow_open.acts) == ("success", ["open app"])
    assert codes(opened.told[0]) == ["retried", "retried"]


def test_a_step_that_never_passes_is_given_up() -> None:
    phone = Paper(counter, trouble=[slow(), slow(), slow(), slow()])

    done = replay(phone, {"type": "keep_screen", "on": True})

    assert (done.verdict, len(phone.trouble)) == ("failed", 1)


def test_a_stop_is_heard_while_a_step_waits() -> None:
    stop = threading.Event()

    def pages(phone: Paper) -> list[str]:
        if phone.looks > 2:
            stop.set()
        return [node("wait")]

    done = replay(Paper(pages), {**OK, "optional": True, "timeout_s": 60}, OK, stop=stop)

    assert done.verdict == "stopped"
    assert [told.status for told in done.told] == ["stopped"]


def test_a_stop_before_a_step_sends_nothing() -> None:
    stop = threading.Event()
    stop.set()
    phone = Paper(counter)

    for step in (OK, BACK, {"type": "wait", "seconds": 60}, {"type": "open_app", "app": "app"}):
        assert replay(phone, step, stop=stop).verdict == "stopped"

    assert phone.acts == []


def test_who_drives_the_run_may_leave_it_while_a_person_is_asked() -> None:
    phone = Paper(counter, trouble=[ApprovalNeeded(question_id="q1")])
    run = Runner(phone, Setting(threading.Event(), lambda name: (name, ())))
    events = run.run(parse_steps([OK]))

    first = next(events)
    sent_before = list(phone.acts)
    rest = list(events)

    assert isinstance(first, Waiting)
    assert first.need is not None
    assert first.need.details == {"question_id": "q1"}
    assert (sent_before, phone.acts) == ([], ["tap OK"])
    assert [each.status for each in rest if isinstance(each, StepRecord)] == ["ok"]


def test_a_text_is_not_typed_again_after_a_person_had_the_phone() -> None:
    phone = Paper(counter, trouble=[TakenOver(question_id="q1")])

    done = replay(phone, {"type": "input_text", "text": "Li"})

    assert (done.verdict, phone.acts) == ("failed", [])
    assert done.told[0].error is not None
    assert done.told[0].error.code == "taken_over"


def test_nobody_to_ask_is_an_error() -> None:
    phone = Paper(counter, trouble=[ApprovalNeeded(question_id="q1")])
    run = Runner(phone, Setting(threading.Event(), lambda name: (name, ())))

    with pytest.raises(ApprovalNeeded):
        list(records(run.run(parse_steps([OK]))))


def test_a_missing_input_is_said_before_anything_is_done() -> None:
    phone = Paper(counter)

    with pytest.raises(Invalid, match="who must be given"):
        replay(phone, BACK, {"type": "input_text", "text": "{{who}}"})

    assert phone.acts == []


def test_a_branch_is_taken_by_what_is_there() -> None:
    phone = Paper(counter)
    branch = {
        "type": "if_exists",
        "selector": {"resourceId": "count"},
        "then": [OK],
        "else": [BACK],
    }
    other = {**branch, "selector": {"text": "nowhere"}, **FAST}

    done = replay(phone, branch, other)

    assert phone.acts == ["tap OK", "key back"]
    assert [(told.n, told.path) for told in done.told] == [
        (2, "steps.0.then.0"),
        (1, "steps.0"),
        (4, "steps.1.else.0"),
        (3, "steps.1"),
    ]
    assert done.told_of("steps.1").said == "not there"


def test_a_step_is_repeated_a_number_of_times_or_while_something_holds() -> None:
    phone = Paper(counter)
    times = {"type": "repeat", "times": "{{n}}", "steps": [OK]}
    until = {
        "type": "repeat",
        "while": {"selector": {"text": "5 taps"}, "gone": True},
        "steps": [OK],
    }
    never = {"type": "repeat", "while": {"selector": {"text": "x"}}, "steps": [OK], **FAST}

    done = replay(phone, times, until, never, inputs={"n": "2"})

    assert phone.acts == ["tap OK"] * 5
    rounds = [done.told_of(f"steps.{at}").said for at in range(3)]
    assert rounds == ["2 rounds", "3 rounds", "0 rounds"]


def test_a_repetition_that_does_not_end_is_ended() -> None:
    loop = {
        "type": "repeat",
        "while": {"selector": {"text": "OK"}},
        "steps": [{"type": "keep_screen", "on": True}],
    }
    phone = Paper(still)

    done = replay(phone, loop)

    assert done.verdict == "failed"
    assert "200 rounds" in str(done.told[-1].error)
    assert len(phone.acts) == 200


def test_a_failure_inside_fails_what_holds_it_unless_that_is_optional() -> None:
    inside = {
        "type": "repeat",
        "times": 3,
        "steps": [OK, {**OK, "selector": {"text": "x"}, **FAST}],
    }

    failed = replay(Paper(counter), inside, BACK)
    phone = Paper(counter)
    partial = replay(phone, {**inside, "optional": True}, BACK)

    assert [told.path for told in failed.told] == ["steps.0.steps.0", "steps.0.steps.1", "steps.0"]
    assert failed.told[-1].error is failed.told[-2].error
    assert failed.verdict == "failed"
    assert (partial.verdict, phone.acts) == ("partial", ["tap OK", "key back"])


def test_an_action_has_its_own_inputs_and_gives_back_what_it_extracts() -> None:
    action: list[object] = [
        {"type": "input_text", "text": "{{who}}"},
        {"type": "extract", "selector": {"resourceId": "count"}, "into": "said"},
    ]
    run = {"type": "run_action", "name": "greet", "inputs": {"who": "{{name}}"}}
    phone = Paper(counter)

    done = replay(
        phone,
        run,
        {"type": "input_text", "text": "{{said}} {{name}}"},
        inputs={"name": "Li"},
        actions={"greet": action},
    )

    assert phone.acts == ["type Li", "type 0 taps Li"]
    assert [told.path for told in done.told][:2] == ["steps.0.steps.0", "steps.0.steps.1"]
    assert done.runner.values == {"name": "Li", "said": "0 taps"}


def test_an_action_sees_no_value_that_it_was_not_given() -> None:
    phone = Paper(counter)

    done = replay(
        phone,
        {"type": "run_action", "name": "a"},
        inputs={"who": "Li"},
        actions={"a": [{"type": "input_text", "text": "{{who}}"}]},
    )

    assert (done.verdict, phone.acts) == ("failed", [])
    assert done.told[0].error is not None
    assert done.told[0].error.path == "steps.0.inputs.who"


def test_actions_that_run_each_other_in_a_circle_are_refused() -> None:
    def run(name: str) -> list[object]:
        return [{"type": "run_action", "name": name}]

    done = replay(Paper(counter), *run("a"), actions={"a": run("b"), "b": run("a")})

    assert done.verdict == "failed"
    assert "a → b → a" in str(done.told[0].error)


def test_an_action_that_is_not_there_is_named() -> None:
    def missing(name: str) -> tuple[str, tuple[()]]:
        raise NotFound(kind="action", name=name)

    run = Runner(Paper(counter), Setting(threading.Event(), missing))
    [told] = records(run.run(parse_steps([{"type": "run_action", "name": "gone"}])))

    assert told.error is not None
    assert told.error.code == "not_found"


def test_a_screen_that_is_another_than_expected_is_said_and_no_failure() -> None:
    seen = replay(Paper(counter), OK)
    same = {"ids": ["app:id/count", "app:id/ok", "app:id/x"], "app": "app"}

    right = replay(Paper(counter), {**OK, "expect": {"app": "app"}})
    other = replay(Paper(counter), {**OK, "expect": {**same, "app": "other"}})
    unlike = replay(Paper(counter), {**OK, "expect": {"shape": ["1:Button", "9:View"]}})
    key = replay(Paper(counter), {**BACK, "expect": {"app": "other"}})

    assert seen.told[0].screen == right.told[0].screen
    assert codes(right.told[0]) == []
    assert [codes(each.told[0])[-1] for each in (other, unlike, key)] == ["other_screen"] * 3
    assert other.verdict == "success"


def test_a_nag_is_pressed_away_only_when_something_is_missing() -> None:
    def pages(phone: Paper) -> list[str]:
        nag = [node("发现新版本"), button("稍后提醒", 8), button("立即更新", 9)]
        return nag if phone.page == "nag" else counter(phone)

    def touched(phone: Paper, element: Element) -> None:
        phone.page = "home"

    phone = Paper(pages, touched, page="nag")
    quiet = Paper(lambda phone: [*counter(phone), node("发现新版本"), button("稍后提醒", 8)])

    done = replay(phone, OK)
    replay(quiet, OK)

    assert phone.acts == ["tap 稍后提醒", "tap OK"]
    assert done.told[0].notes[0].details == {"what": "update (稍后提醒)"}
    assert quiet.acts == ["tap OK"]
