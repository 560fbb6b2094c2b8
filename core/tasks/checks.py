"""Check a task as a whole: its steps, the actions that they run, and the values they need."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.db import Database
from core.errors import Invalid, NotFound
from core.memory import actions
from core.steps import values
from core.steps.checks import parse_steps, walk
from core.steps.schema import OPEN, StepParams, Steps
from core.steps.types import OpenApp, RunAction
from core.tasks.schema import TaskSpec


def check(db: Database, spec: TaskSpec) -> Steps:
    """Check what a person wants to save.

    Raises:
        Invalid: It does not fit; ``path`` names the place.
    """
    steps = parse_steps(spec.steps)
    for place, step in walk(steps):
        if isinstance(step, RunAction) and OPEN not in step.name:
            _find(db, step.name, f"{place}.name")
    given = {name: said for name, said in spec.inputs.items() if said is not None}
    values.checked(given)
    for at, row in enumerate(spec.rows):
        values.checked(row, f"rows.{at}")
    if spec.schedule is not None:  # by the clock nobody is there to give what is missing
        for _, ready in enough(db, steps, spec, {}, spec.rows):
            values.checked(ready)
    return steps


def enough(
    db: Database,
    steps: Steps,
    spec: TaskSpec,
    inputs: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
) -> list[tuple[int | None, dict[str, str]]]:
    """Give the values of each run: the task's, those given for this time, the row's.

    Returns:
        The number of the row and the values; one pair without number where there are no rows.

    Raises:
        Invalid: A value is missing, or is none.
    """
    own = {name: said for name, said in spec.inputs.items() if said is not None}
    base = {**values.checked(own), **values.checked(inputs)}
    made = dict.fromkeys(values.made_by_actions(steps, lambda name: actions.steps_of(db, name)), "")
    if not rows:
        values.need(steps, {**base, **made})
        return [(None, base)]
    found: list[tuple[int | None, dict[str, str]]] = []
    for at, row in enumerate(rows):
        ready = {**base, **values.checked(row, f"rows.{at}")}
        values.need(steps, {**ready, **made}, f"rows.{at}")
        found.append((at, ready))
    return found


def app_of(steps: Sequence[StepParams]) -> str:
    """Name the app that steps open first; empty when they open none."""
    opened = (step.app for _, step in walk(steps) if isinstance(step, OpenApp))
    return next(opened, "")


def _find(db: Database, name: str, path: str) -> None:
    try:
        actions.resolve(db, name)
    except NotFound as error:
        raise Invalid(path=path, detail=f"{path}: {error}") from error
