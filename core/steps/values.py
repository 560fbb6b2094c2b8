"""Put values into steps where they say ``{{name}}``: inputs, a data row, earlier extracts."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from core.errors import Invalid, NotFound
from core.steps.checks import NESTED, misfit, nested, walk
from core.steps.schema import OPEN, StepParams, Steps
from core.steps.types import Extract, RunAction

CHARS = 5_000
COUNT = 50
_PLACE = re.compile(r"\{\{\s*(\w{1,64})\s*\}\}")
_FIELDS = frozenset((*NESTED, "otherwise"))


def checked(raw: Mapping[str, Any], path: str = "inputs") -> dict[str, str]:
    """Take inputs from outside as texts.

    Raises:
        Invalid: One is no text, number or truth value, or there is too much of them.
    """
    if len(raw) > COUNT:
        raise Invalid(path=path, detail=f"{path} holds more than {COUNT} values.")
    return {name: _as_text(value, f"{path}.{name}") for name, value in raw.items()}


def names_in(steps: Sequence[StepParams]) -> list[str]:
    """List the values that steps need from outside, in the order in which they are met."""
    made = extracted(steps)
    found = (name for _, step in walk(steps) for name in _places(_own(step)))
    return [name for name in dict.fromkeys(found) if name not in made]


def extracted(steps: Sequence[StepParams]) -> set[str]:
    """Name the values that steps themselves read from the screen."""
    return {step.into for _, step in walk(steps) if isinstance(step, Extract)}


def made_by_actions(
    steps: Sequence[StepParams], action: Callable[[str], tuple[str, Steps]]
) -> set[str]:
    """Name what the actions that steps run will extract; one that is not there fails later."""
    made: set[str] = set()
    known: set[str] = set()
    todo = list(steps)
    while todo:
        for _, step in walk([todo.pop()]):
            if isinstance(step, RunAction) and step.name not in known:
                known.add(step.name)
                with contextlib.suppress(NotFound):
                    inner = action(step.name)[1]
                    made |= extracted(inner)
                    todo += inner
    return made


def need(steps: Sequence[StepParams], values: Mapping[str, str], path: str = "inputs") -> None:
    """Make sure that every value is there before the first step is done.

    Raises:
        Invalid: One is missing.
    """
    missing = [name for name in names_in(steps) if name not in values]
    if missing:
        detail = f"{', '.join(missing)} must be given in {path}."
        raise Invalid(path=f"{path}.{missing[0]}", detail=detail)


def filled(step: StepParams, values: Mapping[str, str], path: str) -> StepParams:
    """Give a step with its values; the steps inside it are left for when their turn comes.

    Raises:
        Invalid: A value is missing, or does not fit where it is to stand.
    """
    own = _own(step)
    if not any(True for _ in _places(own)):
        return step
    inner = {key: steps for key, steps in nested(step).items() if steps}
    try:
        return type(step).model_validate({**_put(own, values, path), **inner})
    except ValidationError as error:
        raise misfit(error, path) from error


def as_far_as_known(text: str, values: Mapping[str, str]) -> str:
    """Put values into a text; places whose value comes later stay."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)


def _own(step: StepParams) -> dict[str, Any]:
    return step.model_dump(by_alias=True, exclude_defaults=True, exclude=set(_FIELDS))


def _places(raw: Any) -> Iterator[str]:
    if isinstance(raw, str):
        if OPEN in raw:
            yield from _PLACE.findall(raw)
    elif isinstance(raw, dict):
        for value in raw.values():
            yield from _places(value)
    elif isinstance(raw, list | tuple):
        for value in raw:
            yield from _places(value)


def _put(raw: Any, values: Mapping[str, str], path: str) -> Any:
    if isinstance(raw, str):
        return _PLACE.sub(lambda place: _value(place[1], values, path), raw)
    if isinstance(raw, dict):
        return {key: _put(value, values, f"{path}.{key}") for key, value in raw.items()}
    if isinstance(raw, list | tuple):
        return [_put(value, values, f"{path}.{at}") for at, value in enumerate(raw)]
    return raw


def _value(name: str, values: Mapping[str, str], path: str) -> str:
    if name not in values:
        raise Invalid(path=path, detail=f"{path}: there is no value named {name}.")
    return values[name]


def _as_text(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float) and len(str(value)) <= CHARS:
        return str(value)
    raise Invalid(path=path, detail=f"{path} is no text or number of at most {CHARS} characters.")
