"""Each type does what it says, proves it, and says what was there when it fails."""

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from core.steps import looking
from tests.core.screen.making import node
from tests.core.steps.paper import Paper, replay

FAST = {"timeout_s": 0.01}


def row(at: int, scrolled: int) -> str:
    top = 400 + at * 100
    return node(f"row {at + 3 * scrolled}", bounds=f"[0,{top}][1080,{top + 90}]")


def form(phone: Paper) -> list[str]:
    """Draw a price, a switch, a field, a list that scrolls and a picture."""
    rows = "".join(row(at, phone.scrolled) for at in range(3))
    switch, field = 'checkable="true" checked="true"', 'focusable="true"'
    return [
        node("¥ 12.50", rid="app:id/price", bounds="[0,0][500,90]"),
        node(kind="Switch", rid="app:id/wifi", bounds="[0,100][500,190]", more=switch),
        node(kind="EditText", rid="app:id/name", bounds="[0,200][500,290]", more=field),
        node(kind="ListView", bounds="[0,400][1080,1500]", more='scrollable="true"', inside=rows),
        node(kind="ImageView", rid="app:id/art", bounds="[600,0][700,90]"),
    ]


@pytest.mark.parametrize(
    ("step", "acts", "said"),
    [
        ({"type": "open_app", "app": "shop"}, ["open shop"], "shop"),
        ({"type": "close_app", "app": "app"}, ["close app"], "app"),
        ({"type": "open_url", "url": "https://a.b"}, ["url https://a.b"], "https://a.b"),
        (
            {"type": "long_click", "selector": {"text": "¥ 12.50"}},
            ["long ¥ 12.50"],
            'text "¥ 12.50"',
        ),
        (
            {"type": "input_text", "text": "Li", "selector": {"resourceId": "name"}},
            ["focus name", "type Li"],
            'the field holds "Li"',
        ),
        ({"type": "input_text", "text": "Li"}, ["type Li"], 'the field holds "Li"'),
        ({"type": "swipe", "direction": "up"}, ["swipe (0.5, 0.75) (0.5, 0.25)"], "up"),
        (
            {"type": "swipe", "from": [0, 0.5], "to": [1, 0.5]},
            ["swipe (0.0, 0.5) (1.0, 0.5)"],
            "(0.0, 0.5) to (1.0, 0.5)",
        ),
        (
            {"type": "scroll_to", "selector": {"text": "row 8"}},
            ["scroll down", "scroll down"],
            'text "row 8", after 2 swipes',
        ),
        ({"type": "scroll_to", "selector": {"text": "row 1"}}, [], 'text "row 1", after 0 swipes'),
        ({"type": "press_key", "key": "HOME"}, ["key home"], "home"),
        ({"type": "hide_keyboard"}, [], "there was none"),
        ({"type": "wait", "seconds": 0.01}, [], "0.01 s"),
        ({"type": "wait_for", "selector": {"resourceId": "price"}}, [], 'text "¥ 12.50"'),
        ({"type": "wait_for", "selector": {"text": "no"}, "gone": True}, [], ""),
        ({"type": "assert", "selector": {"resourceId": "price"}}, [], 'text "¥ 12.50"'),
        ({"type": "assert", "selector": {"resourceId": "wifi"}, "text": "on"}, [], 'switch "" on'),
        (
            {"type": "assert", "selector": {"resourceId": "price"}, "text": "¥12.50"},
            [],
            'text "¥ 12.50"',
        ),
        ({"type": "assert", "selector": {"text": "no"}, "gone": True}, [], ""),
        (
            {"type": "extract", "selector": {"resourceId": "price"}, "into": "p"},
            [],
            'p = "¥ 12.50"',
        ),
        ({"type": "extract", "selector": {"resourceId": "wifi"}, "into": "p"}, [], 'p = "on"'),
        ({"type": "screenshot", "name": "bill"}, ["picture bill"], "picture of bill"),
        ({"type": "click_xy", "x": 0.5, "y": 0.25}, ["point 0.5,0.25"], "0.5,0.25"),
        ({"type": "keep_screen", "on": False}, ["keep False"], ""),
    ],
)
def test_a_step_does_what_it_says(step: dict[str, Any], acts: list[str], said: str) -> None:
    phone = Paper(form)

    done = replay(phone, step)

    assert (done.verdict, phone.acts) == ("success", acts)
    assert done.told[0].said.startswith(said)


@pytest.mark.parametrize(
    ("stood", "acts"), [("off", []), ("on", ["tap wifi"]), (None, ["tap wifi"])]
)
def test_a_switch_is_touched_only_where_it_stands_as_it_did(
    stood: str | None, acts: list[str]
) -> None:
    phone = Paper(form)
    expect = {"app": "app", **({"stands": stood} if stood else {})}

    done = replay(
        phone, {"type": "click", "selector": {"resourceId": "wifi"}, "expect": expect, **FAST}
    )

    assert (done.verdict, phone.acts) == ("success", acts)
    assert [note.code for note in done.told[0].notes if note.code == "stands"] == ["stands"] * (
        not acts
    )


def test_what_is_chosen_already_is_touched_again_since_that_may_close_the_choice() -> None:
    chosen = 'checkable="true" checked="true"'
    phone = Paper(lambda phone: [node("2 minutes", kind="CheckedTextView", more=chosen)])
    step = {"type": "click", "selector": {"text": "2 minutes"}, "expect": {"stands": "off"}}

    done = replay(phone, {**step, **FAST})

    assert (done.verdict, phone.acts) == ("success", ["tap 2 minutes"])


def test_a_switch_that_is_not_there_is_waited_for_as_long_as_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited = []
    for expect in ({"app": "app"}, {"app": "app", "stands": "off"}):
        ticks = count()  # a second at each look at the clock
        clock = SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks))
        monkeypatch.setattr(looking, "time", clock)
        step = {"type": "click", "selector": {"text": "no"}, "timeout_s": 20, "expect": expect}
        assert replay(Paper(form), step).verdict == "failed"
        waited.append(next(ticks))

    assert waited[0] == waited[1]


@pytest.mark.parametrize(
    ("step", "code", "words"),
    [
        ({"type": "open_app", "app": "nothing"}, "no_app", "no app nothing"),
        ({"type": "click", "selector": {"text": "row 99"}}, "element_gone", "Nearest"),
        ({"type": "wait_for", "selector": {"text": "no"}}, "not_in_time", "0.01 s in vain"),
        (
            {"type": "wait_for", "selector": {"resourceId": "price"}, "gone": True},
            "not_in_time",
            "to be gone",
        ),
        ({"type": "assert", "selector": {"text": "no"}}, "element_gone", 'text="no"'),
        (
            {"type": "assert", "selector": {"resourceId": "price"}, "gone": True},
            "not_as_claimed",
            "is gone is not so",
        ),
        (
            {"type": "assert", "selector": {"resourceId": "wifi"}, "text": "off"},
            "not_as_claimed",
            'says "off" is not so: switch',
        ),
        (
            {"type": "extract", "selector": {"resourceId": "art"}, "into": "p"},
            "not_as_claimed",
            "says something",
        ),
        ({"type": "click", "selector": {"xpath": "//a:b"}}, "invalid", "//a:b"),
    ],
)
def test_a_step_that_fails_says_what_was_there(step: dict[str, Any], code: str, words: str) -> None:
    done = replay(Paper(form), {**step, **FAST})

    [told] = done.told
    assert told.error is not None
    assert (done.verdict, told.error.code) == ("failed", code)
    assert words in str(told.error)


def test_scrolling_goes_to_the_end_and_back_before_it_gives_up() -> None:
    phone = Paper(form, scrolled=2)

    done = replay(phone, {"type": "scroll_to", "selector": {"text": "row 99"}})

    assert done.told[0].error is not None
    assert done.told[0].error.code == "not_on_page"
    assert "from end to end" in str(done.told[0].error)
    assert phone.acts == ["scroll down"] * 3 + ["scroll up"] * 5


def test_the_keyboard_is_hidden_and_that_is_proved() -> None:
    phone, stuck = Paper(form, keyboard=True), Paper(form, keyboard=True)
    stuck.press_key = lambda key: stuck.acts.append(key)  # type: ignore[method-assign]

    hidden = replay(phone, {"type": "hide_keyboard"})
    failed = replay(stuck, {"type": "hide_keyboard"})

    assert (hidden.verdict, phone.acts) == ("success", ["key back"])
    assert "still shown" in str(failed.told[0].error)


def test_a_black_or_dark_screen_proves_nothing_gone() -> None:
    phone = Paper(lambda phone: [node("", bounds="[0,0][0,0]")])

    done = replay(phone, {"type": "wait_for", "selector": {"text": "x"}, "gone": True, **FAST})

    assert phone.look().state == "thin"
    assert done.verdict == "failed"
