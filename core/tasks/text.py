"""Write a task as YAML or JSON, and read one that comes from outside.

YAML can be a bomb: a few lines of aliases unfold to gigabytes. So aliases are refused, and size
and depth are measured before anything is built.
"""

import json
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from core.errors import Invalid, TooLarge
from core.steps.checks import misfit
from core.tasks.schema import TaskSpec

BYTES_MOST = 1_000_000
DEEPEST = 40
NODES_MOST = 100_000
HEADING = "phonedeck_task"
VERSION = 1

Form = Literal["yaml", "json"]


def write(spec: TaskSpec, form: Form) -> str:
    """Write a task with everything that makes it; what is as usual is left out."""
    body = json.loads(spec.model_dump_json(exclude_defaults=True))
    whole = {HEADING: VERSION, **body}
    if form == "json":
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
    return str(yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=100))


def read(text: str) -> TaskSpec:
    """Read a task; JSON is YAML, too.

    Raises:
        TooLarge: The text is longer than a task is.
        Invalid: It is no task; ``path`` names the place.
    """
    if len(text.encode()) > BYTES_MOST:
        raise TooLarge
    raw = _loaded(text)
    if not isinstance(raw, dict):
        raise Invalid(path="text", detail="A task is an object with a name and steps.")
    version = raw.pop(HEADING, VERSION)
    if version != VERSION:
        detail = f"{HEADING} is {version!r}; this program reads {VERSION}."
        raise Invalid(path=HEADING, detail=detail)
    try:
        # as JSON, so that what YAML makes of dates and keys is refused where it is no text
        return TaskSpec.model_validate_json(json.dumps(raw, default=_odd, allow_nan=False))
    except ValidationError as error:
        raise misfit(error, "task") from error
    except (TypeError, ValueError) as error:  # also .inf, and numbers of thousands of digits
        raise Invalid(path="text", detail=f"It cannot be read: {error}.") from error


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # it is YAML, or nothing
    try:
        _measure(text)
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:300]
        raise Invalid(path="text", detail=f"It cannot be read: {said}") from error


def _measure(text: str) -> None:
    """Refuse aliases, depth and mass before a single object is made.

    Raises:
        Invalid: There is one of these.
    """
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise Invalid(path="text", detail="YAML aliases (*name) are not read.")
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
        if depth > DEEPEST or count > NODES_MOST:
            detail = (
                f"It is nested more than {DEEPEST} deep, or holds more than {NODES_MOST} parts."
            )
            raise Invalid(path="text", detail=detail)


def _odd(value: Any) -> str:
    if hasattr(value, "isoformat"):  # YAML reads an unquoted date as one
        return str(value.isoformat())
    raise TypeError(f"{type(value).__name__} is no part of a task")
