"""Values come from inputs and extracts, and what is missing is said before anything is done."""

from typing import Any

import pytest

from core.errors import Invalid
from core.steps import values
from core.steps.checks import as_json, parse_steps

TYPE = {"type": "input_text", "text": "To {{who}}: {{ what }}!"}
KEEP = {"type": "extract", "selector": {"text": "x"}, "into": "what"}


def test_names_are_listed_once_and_without_what_steps_extract() -> None:
    again = {"type": "repeat", "times": "{{n}}", "steps": [TYPE, TYPE]}

    assert values.names_in(parse_steps([again])) == ["n", "who", "what"]
    assert values.names_in(parse_steps([KEEP, again])) == ["n", "who"]


def test_a_missing_value_is_named() -> None:
    with pytest.raises(Invalid, match="what must be given in inputs") as refused:
        values.need(parse_steps([TYPE]), {"who": "Li"})

    assert refused.value.path == "inputs.what"


def test_values_are_put_in_as_they_are_and_only_once() -> None:
    [step] = parse_steps([TYPE])

    filled = values.filled(step, {"who": "{{what}}", "what": '"李"\n'}, "steps.0")

    assert as_json([filled])[0]["text"] == 'To {{what}}: "李"\n!'


def test_steps_inside_wait_for_their_turn() -> None:
    [step] = parse_steps([{"type": "repeat", "times": "{{n}}", "steps": [TYPE]}])

    filled = values.filled(step, {"n": "3"}, "steps.0")

    assert as_json([filled])[0] == {"type": "repeat", "times": 3, "steps": [TYPE]}


def test_a_step_without_values_is_given_back_as_it_is() -> None:
    [step] = parse_steps([{"type": "hide_keyboard"}])

    assert values.filled(step, {}, "steps.0") is step


@pytest.mark.parametrize(
    ("step", "given", "path"),
    [
        ({"type": "wait", "seconds": "{{n}}"}, {"n": "soon"}, "steps.3.seconds"),
        ({"type": "wait", "seconds": "{{n}}"}, {}, "steps.3.seconds"),
        ({"type": "open_app", "app": "{{n}}"}, {"n": ""}, "steps.3.app"),
        ({"type": "run_action", "name": "a", "inputs": {"x": ["{{n}}"]}}, {}, "steps.3.inputs.x.0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_at_its_place(
    step: dict[str, Any], given: dict[str, str], path: str
) -> None:
    [made] = parse_steps([step])

    with pytest.raises(Invalid) as refused:
        values.filled(made, given, "steps.3")

    assert refused.value.path == path


@pytest.mark.parametrize("value", [["a"], {"a": 1}, None, "x" * 5001])
def test_an_input_is_a_text_a_number_or_a_truth_value(value: Any) -> None:
    with pytest.raises(Invalid) as refused:
        values.checked({"a": 1, "b": value})

    assert refused.value.path == "inputs.b"
    assert values.checked({"a": 1, "b": 1.5, "c": True}) == {"a": "1", "b": "1.5", "c": "true"}
