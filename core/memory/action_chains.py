"""Actions that run others: all there, not too many, and never in a circle."""

from sqlalchemy.orm import Session

from core.errors import Invalid
from core.memory import action_names
from core.models import Action as Row
from core.screen.selectors import squeeze
from core.steps.checks import parse_action, walk
from core.steps.schema import OPEN, Steps
from core.steps.types import RunAction

OTHERS_MOST = 50  # that one action may run, also through others


def runs(steps: Steps) -> dict[str, str]:
    """Give the actions that steps run, by the place of each name, as names are compared."""
    return {
        f"{place}.name": squeeze(step.name)
        for place, step in walk(steps)
        if isinstance(step, RunAction) and OPEN not in step.name
    }


def check(session: Session, steps: Steps, own: Row) -> None:
    """Make sure that the actions that these steps run can be run by ``own``.

    Raises:
        Invalid: One is not there, leads back here, or there are too many.
    """
    seen = set[str]()
    for path, key in runs(steps).items():
        row = action_names.find(session, key)
        if row is None:
            raise Invalid(path=path, detail=f"{path}: there is no action {key}.")
        if row.id in seen:
            continue
        if row.id == own.id or _leads_to(session, row, own, seen):
            detail = f"{path}: {row.name} would run this action again, in a circle."
            raise Invalid(path=path, detail=detail)
        if len(seen) > OTHERS_MOST:
            raise Invalid(path=path, detail=f"{path}: {too_many()}")


def too_many() -> str:
    """Say what is wrong with an action that runs too many others."""
    return f"this would run more than {OTHERS_MOST} other actions."


def _leads_to(session: Session, start: Row, end: Row, seen: set[str]) -> bool:
    """Follow what an action runs, as long as that is not too much; ``seen`` is passed over."""
    todo = [start]
    seen.add(start.id)
    while todo and len(seen) <= OTHERS_MOST:
        for key in dict.fromkeys(runs(parse_action(todo.pop().steps)).values()):
            row = action_names.find(session, key)
            if row is None or row.id in seen:
                continue
            if row.id == end.id:
                return True
            seen.add(row.id)
            todo.append(row)
    return False
