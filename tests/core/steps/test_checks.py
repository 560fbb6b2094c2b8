"""Steps from outside are checked, and the place that is wrong is named."""

import json
import threading
from typing import Any, get_args

import pytest

from core.errors import Invalid
from core.steps.checks import as_json, json_schema, parse_action, parse_steps, walk
from core.steps.doing import Doer
from core.steps.looking import Looking, Pace
from core.steps.schema import STEP_TYPES
from tests.core.steps.paper import Paper

BUY = {"text": "Buy"}
CLICK = {"type": "click", "selector": BUY}
EVERY: list[dict[str, Any]] = [
    {"type": "open_app", "app": "设置"},
    {"type": "close_app", "app": "com.android.settings"},
    {"type": "open_url", "url": "https://example.com"},
    CLICK,
    {"type": "long_click", "selector": {"resourceId": "row", "instance": 2}},
    {"type": "input_text", "text": "{{who}}", "selector": BUY, "clear": True, "submit": True},
    {"type": "swipe", "from": [0.5, 0.75], "to": [0.5, 0.25]},
    {"type": "swipe", "direction": "up"},
    {"type": "scroll_to", "selector": {"textContains": "关于"}},
    {"type": "press_key", "key": "back"},
    {"type": "hide_keyboard"},
    {"type": "wait", "seconds": 0.5},
    {"type": "wait_for", "selector": BUY, "gone": True, "timeout_s": 3},
    {"type": "assert", "selector": {"xpath": "//node[@text='x']"}, "text": "on"},
    {"type": "extract", "selector": {"className": "android.widget.TextView"}, "into": "price"},
    {"type": "screenshot", "name": "receipt"},
    {"type": "if_exists", "selector": BUY, "then": [CLICK], "else": [{"type": "hide_keyboard"}]},
    {"type": "repeat", "times": 3, "steps": [CLICK]},
    {"type": "repeat", "while": {"selector": BUY, "gone": True}, "steps": [CLICK]},
    {"type": "run_action", "name": "打开设置", "inputs": {"n": 1}},
    {"type": "click_xy", "x": 0.5, "y": 0.5, "note": "no words here", "optional": True},
    {"type": "keep_screen", "on": True, "alternatives": [BUY], "expect": {"ids": ["a"]}},
]


def in_repeats(depth: int) -> list[Any]:
    steps: list[Any] = [CLICK]
    for _ in range(depth - 1):
        steps = [{"type": "repeat", "times": 2, "steps": steps}]
    return steps


BAD: list[tuple[Any, str, str]] = [
    ("click", "steps", "a list"),
    ({}, "steps", "a list"),
    ([], "steps", "empty"),
    ([CLICK, "back"], "steps.1", "an object"),
    ([{"selector": BUY}], "steps.0.type", "needs a type"),
    ([{"type": "clik", "selector": BUY}], "steps.0.type", "there are open_app, close_app"),
    ([{"type": ["click"]}], "steps.0.type", "no step type"),
    ([CLICK, {"type": "click"}], "steps.1.selector", "required"),
    ([{"type": "click", "selector": {}}], "steps.0.selector", "at least one of text"),
    ([{"type": "click", "selector": {"instance": 1}}], "steps.0.selector", "at least one"),
    ([{"type": "click", "selector": {"txt": "a"}}], "steps.0.selector.txt", "not permitted"),
    ([{"type": "click", "selector": {"text": ""}}], "steps.0.selector.text", "1 character"),
    ([{"type": "click", "selector": {"xpath": "//["}}], "steps.0.selector.xpath", "be read"),
    (
        [{"type": "click", "selector": {"xpath": "//a[//a[//a]]"}}],
        "steps.0.selector.xpath",
        "never end",
    ),
    ([{**CLICK, "index": 1}], "steps.0.index", "not permitted"),
    ([{**CLICK, "timeout_s": 0}], "steps.0.timeout_s", "greater than 0"),
    ([{**CLICK, "timeout_s": float("nan")}], "steps.0.timeout_s", "finite"),
    ([{**CLICK, "alternatives": [{}]}], "steps.0.alternatives.0", "at least one"),
    ([{**CLICK, "expect": {"id": []}}], "steps.0.expect.id", "not permitted"),
    ([{"type": "swipe"}], "steps.0", "direction, or from and to"),
    ([{"type": "swipe", "direction": "up", "from": [0, 0]}], "steps.0", "direction, or from"),
    ([{"type": "swipe", "direction": "sideways"}], "steps.0.direction", "'up'"),
    ([{"type": "swipe", "from": [0, 0], "to": [0, 900]}], "steps.0.to.1", "equal to 1"),
    ([{"type": "press_key", "key": "any"}], "steps.0.key", "there are back, home"),
    ([{"type": "wait", "seconds": -1}], "steps.0.seconds", "no number from 0 to 600"),
    ([{"type": "wait", "seconds": True}], "steps.0.seconds", "no number"),
    ([{"type": "extract", "selector": BUY, "into": "a b"}], "steps.0.into", "pattern"),
    ([{"type": "repeat", "steps": [CLICK]}], "steps.0", "times or while"),
    ([{"type": "repeat", "times": 2, "steps": []}], "steps.0.steps", "at least 1"),
    ([{"type": "repeat", "times": 2.5, "steps": [CLICK]}], "steps.0.times", "no number"),
    ([{"type": "repeat", "times": 10**400, "steps": [CLICK]}], "steps.0.times", "no number"),
    (
        [{"type": "if_exists", "selector": BUY, "then": [CLICK], "else": [{"type": "click"}]}],
        "steps.0.else.0.selector",
        "required",
    ),
    (
        [{"type": "assert", "selector": BUY, "gone": True, "text": "a"}],
        "steps.0",
        "gone says no text",
    ),
    ([CLICK] * 501, "steps", "more than 500"),
    ([{"type": "repeat", "times": 2, "steps": [CLICK] * 500}], "steps", "more than 500"),
    (in_repeats(9), ".".join(["steps"] + ["0.steps"] * 8), "8 deep"),
    (in_repeats(20_000), ".".join(["steps"] + ["0.steps"] * 8), "8 deep"),
]


@pytest.mark.parametrize(("raw", "path", "words"), BAD, ids=range(len(BAD)))
def test_what_does_not_fit_is_refused_at_its_place(raw: Any, path: str, words: str) -> None:
    with pytest.raises(Invalid, match=words) as refused:
        parse_steps(raw)

    assert refused.value.path == path


def test_a_list_that_holds_itself_is_refused() -> None:
    steps: list[Any] = [CLICK]
    steps.append({"type": "repeat", "times": 2, "steps": steps})

    with pytest.raises(Invalid, match="8 deep"):
        parse_steps(steps)


def test_every_type_is_read_and_written_as_it_came() -> None:
    steps = parse_steps(EVERY)

    assert as_json(steps) == EVERY
    assert parse_steps(json.loads(json.dumps(as_json(steps)))) == steps
    assert {raw["type"] for raw in EVERY} == set(STEP_TYPES)


def test_eight_levels_and_five_hundred_steps_are_taken() -> None:
    parse_steps(in_repeats(8))

    assert len(parse_steps([CLICK] * 500)) == 500


def test_there_are_twenty_types_each_with_a_doer_and_its_own_name() -> None:
    made = {get_args(STEP_TYPES.get(name).model_fields["type"].annotation) for name in STEP_TYPES}
    alone = Doer(Looking(Paper(lambda phone: []), threading.Event(), (), Pace())).table

    assert len(list(STEP_TYPES)) == 20
    assert made == {(name,) for name in STEP_TYPES}
    assert set(STEP_TYPES) - set(alone) == {"if_exists", "repeat", "run_action"}


@pytest.mark.parametrize("raw", [EVERY[-2], EVERY[-1]])
def test_a_point_or_the_screens_switch_never_stands_in_an_action_at_any_depth(raw: Any) -> None:
    inside = [
        CLICK,
        {"type": "if_exists", "selector": BUY, "then": [CLICK], "else": [CLICK, raw]},
    ]

    with pytest.raises(Invalid, match="never stands in an action") as refused:
        parse_action(inside)

    assert refused.value.path == "steps.1.else.1.type"
    assert len(parse_action(EVERY[:-2])) == len(EVERY) - 2


def test_every_step_is_walked_with_its_place() -> None:
    steps = parse_steps([CLICK, {"type": "if_exists", "selector": BUY, "then": [CLICK, CLICK]}])

    places = [place for place, _ in walk(steps)]

    assert places == ["steps.0", "steps.1", "steps.1.then.0", "steps.1.then.1"]


def test_the_schema_has_every_type_and_lets_steps_nest() -> None:
    schema = json_schema()

    parts = schema["$defs"]
    assert set(STEP_TYPES) <= set(parts)
    assert parts["repeat"]["properties"]["steps"]["items"] == {"$ref": "#/$defs/Step"}
    assert parts["if_exists"]["properties"]["else"]["items"] == {"$ref": "#/$defs/Step"}
    assert parts["click"]["required"] == ["type", "selector"]
    assert parts["Step"]["discriminator"]["mapping"]["click"] == "#/$defs/click"
