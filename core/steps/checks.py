"""Check steps that come from outside, and say where they are wrong: ``steps.1.selector``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.errors import Invalid
from core.steps import types
from core.steps.schema import ANY_STEP, STEP_TYPES, StepParams, Steps

MOST = 500
DEEPEST = 8
#: Keys that hold steps.
NESTED = ("then", "else", "steps")

_STEPS: TypeAdapter[Steps] = TypeAdapter(Steps)


def parse_steps(raw: Any, path: str = "steps") -> Steps:
    """Check a list of steps.

    Args:
        raw: As it came from JSON or YAML.
        path: Where it stood there, the beginning of every place that an error names.

    Raises:
        Invalid: It does not fit; ``path`` names the first place that is wrong.
    """
    _measure(raw, path)
    try:
        return _STEPS.validate_python(raw)
    except ValidationError as error:
        raise misfit(error, path) from error


def parse_action(raw: Any, path: str = "steps") -> Steps:
    """Check the steps of an action, which never touch a point of one screen.

    Raises:
        Invalid: As `parse_steps`, or at a type that never stands in an action.
    """
    steps = parse_steps(raw, path)
    for place, step in walk(steps, path):
        if step.type in types.NEVER_IN_ACTIONS:
            where = f"{place}.type"
            allowed = ", ".join(kind for kind in STEP_TYPES if kind not in types.NEVER_IN_ACTIONS)
            detail = f"{where}: {step.type} never stands in an action; use {allowed}."
            raise Invalid(path=where, detail=detail)
    return steps


def misfit(error: ValidationError, path: str) -> Invalid:
    """Say the first thing that does not fit, with its whole place."""
    first: Any = error.errors(include_url=False, include_context=False)[0]
    place = ".".join([path, *map(str, first["loc"])])
    said = str(first["msg"]).removeprefix("Value error, ")
    return Invalid(path=place, detail=f"{place}: {said}.")


def walk(steps: Sequence[StepParams], path: str = "steps") -> Iterator[tuple[str, StepParams]]:
    """Go through every step, also the nested ones, with its place."""
    for at, step in enumerate(steps):
        place = f"{path}.{at}"
        yield place, step
        for key, inner in nested(step).items():
            yield from walk(inner, f"{place}.{key}")


def nested(step: StepParams) -> dict[str, Steps]:
    """Give the lists of steps inside a step, by the key that holds them."""
    if isinstance(step, types.IfExists):
        return {"then": step.then, "else": step.otherwise}
    return {"steps": step.steps} if isinstance(step, types.Repeat) else {}


def as_json(steps: Sequence[StepParams]) -> list[dict[str, Any]]:
    """Give steps as they are stored; what is as usual is left out."""
    return [step.model_dump(mode="json", by_alias=True, exclude_defaults=True) for step in steps]


@cache
def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a list of steps, made of every type in the registry."""
    parts: dict[str, Any] = {}
    for kind in STEP_TYPES:
        made = STEP_TYPES.get(kind).model_json_schema()
        parts.update(made.pop("$defs", {}))
        parts[kind] = made
    text = json.dumps(parts).replace(json.dumps(ANY_STEP), json.dumps({"$ref": "#/$defs/Step"}))
    parts = json.loads(text)
    refs = {kind: f"#/$defs/{kind}" for kind in STEP_TYPES}
    parts["Step"] = {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }
    return {
        "type": "array",
        "items": {"$ref": "#/$defs/Step"},
        "minItems": 1,
        "maxItems": MOST,
        "$defs": parts,
    }


def _measure(raw: Any, path: str) -> None:
    """Refuse what is too much or too deep before anything recursive looks at it."""
    if not isinstance(raw, list | tuple):
        raise Invalid(path=path, detail=f"{path} is a list of steps.")
    if not raw:
        raise Invalid(path=path, detail=f"{path} is empty.")
    todo: list[tuple[str, Sequence[Any], int]] = [(path, raw, 1)]
    count = 0
    while todo:
        place, steps, depth = todo.pop()
        count += len(steps)
        if count > MOST:
            raise Invalid(path=path, detail=f"{path} holds more than {MOST} steps.")
        if depth > DEEPEST:
            detail = f"{place}: steps are nested more than {DEEPEST} deep."
            raise Invalid(path=place, detail=detail)
        todo += [
            (f"{place}.{at}.{key}", step[key], depth + 1)
            for at, step in enumerate(steps)
            if isinstance(step, Mapping)
            for key in NESTED
            if isinstance(step.get(key), list | tuple)
        ]
