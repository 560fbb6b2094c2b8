"""Say anew, without a model, what was kept under older rules of what may be in a memory.

Nobody is named in it then, and who asks in the other language finds it. What a person wrote or
corrected stays in the person's words, and is only made findable. The history says what was said
anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.memory import audit, evidence, experiences, gates, index, people
from core.memory.experiences import EDITION
from core.memory.people import Private
from core.models import Experience as Row
from core.models import ExperienceAudit
from core.similar import grams

PORTION = 50  # in one transaction; others write in between
MOST = 5_000  # in one night


def say_anew(db: Database, stop: Callable[[], bool] = lambda: False, most: int = MOST) -> int:
    """Bring what is older up to the rules of now; returns how many are said in other words."""
    looked_at = changed = 0
    now = utc_now()
    while looked_at < most and not stop():
        with db.write() as session:
            rows = _older(session, min(PORTION, most - looked_at))
            changed += sum(_renewed(db, session, row, now) for row in rows)
        looked_at += len(rows)
        if not rows:
            break
    return changed


def _older(session: Session, most: int) -> Sequence[Row]:
    older = select(Row).where(Row.edition < EDITION).order_by(Row.number).limit(most)
    return session.scalars(older).all()


def _renewed(db: Database, session: Session, row: Row, now: datetime) -> bool:
    """Bring one up to the rules; says whether its words are others now."""
    index.complete(session, row.number, row.task)
    row.edition = EDITION
    if not row.run_id or row.by_hand:
        return False
    private = people.private(row.task)
    task = gates.without_personal(row.task, private).strip()
    recipe = gates.without_personal(row.recipe, private.known_again).strip()
    if (task, recipe) == (row.task, row.recipe) or not grams(task):
        return False
    found = evidence.case(db, experiences.get(db, row.id), now)
    other = replace(found, experience=replace(found.experience, task=task, recipe=recipe))
    experiences.reword(session, row, task, recipe)
    _note(session, found.mark, other, now, private)
    return True


def _note(
    session: Session, before: str, found: evidence.Case, now: datetime, private: Private
) -> None:
    """Write down that a case is said anew; what was thought of it holds for the new words.

    What was thought names nobody any more either.
    """
    one = found.experience
    own = ExperienceAudit.experience_id == one.experience_id
    for thought in session.scalars(select(ExperienceAudit).where(own)):
        thought.task = one.task
        thought.reason = gates.without_personal(thought.reason, private.known_again)
        thought.evidence = [[code, _unnamed(details)] for code, details in thought.evidence]
        if thought.mark == before:
            thought.mark = found.mark
    audit.note_anew(session, found, now)


def _unnamed(details: dict[str, Any]) -> dict[str, Any]:
    """Leave out whom a double names."""
    task = details.get("task", "")
    return (
        {**details, "task": gates.without_personal(task, people.private(task))} if task else details
    )
