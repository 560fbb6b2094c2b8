"""What a new request calls back to mind: the experiences of jobs like it, and known actions.

Candidates come from the index (`core.memory.index`) and are then compared exactly; see
docs/decisions/0020-when-a-job-is-known.md for the floor.
"""

import heapq
from dataclasses import dataclass

from sqlalchemy import select

from core.db import Database
from core.memory import experiences, index
from core.memory.experiences import Experience
from core.models import Experience as Row
from core.similar import FLOOR, alike, grams, rarity, squeezed

TOP = 2


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience, and how like its job is to the one that was asked for, 0 to 1."""

    experience: Experience
    likeness: float


def recall(db: Database, request: str, *, top: int = TOP, floor: float = FLOOR) -> list[Recalled]:
    """Find the experiences of jobs like the one that is asked for, the likest first.

    One of another app is left out however like it is: its task names an app that the request does
    not.
    """
    pairs, asked = grams(request), squeezed(request)
    with db.read() as session:
        known = index.counts(session, {*pairs, index.ALL})
        total = known.pop(index.ALL, 0)
        numbers = index.candidates(session, pairs, known, total) if total else []
        near = select(Row.number, Row.task, Row.app).where(Row.number.in_(numbers))
        tasks = {
            number: grams(task)
            for number, task, app in session.connection().execute(near)
            if _of_this_app(task, app, asked)
        }
        unknown = {gram for each in tasks.values() for gram in each} - known.keys()
        known |= index.counts(session, unknown)
        weights = {gram: rarity(rows, total) for gram, rows in known.items()}
        unseen = rarity(0, max(total, 1))
        scored = (
            (alike(pairs, each, lambda gram: weights.get(gram, unseen)), number)
            for number, each in tasks.items()
        )
        best = {n: found for found, n in heapq.nlargest(top, scored) if found >= floor}
        kept = experiences.of_numbers(session, best)
    found = [Recalled(each, best[number]) for number, each in kept.items()]
    return sorted(found, key=lambda each: -each.likeness)


def _of_this_app(task: str, app: str, asked: str) -> bool:
    label = squeezed(app)
    return not label or label in asked or label not in squeezed(task)
