"""What was learned of how jobs go, and what of it a new request calls back to mind.

An index of pairs of signs finds the candidates: the rarest pairs of the request first, up to a
budget of rows, so that a query costs about the same in a large library as in a small one.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import Invalid, NotFound
from core.models import Experience as Row
from core.models import ExperienceGram, GramCount
from core.similar import FLOOR, alike, grams, rarity, squeezed

TOP = 2
ALL = 0  # under it stands in `GramCount` how many experiences there are
BUDGET = 2_000  # rows of the index that a query looks at
SMALL = 2_000  # a library up to here is looked at whole
RESCORED = 16  # candidates that are compared exactly
MOST = 100_000  # entries of the index that are read of a small library
ROWS, INDEX, COUNTS = (kind.__table__.c for kind in (Row, ExperienceGram, GramCount))
TASK_CHARS, RECIPE_CHARS = 2_000, 4_000


@dataclass(frozen=True, slots=True)
class NewExperience:
    """What was learned from a run: the request, and how such a job goes, without coordinates."""

    task: str
    recipe: str
    app: str = ""
    lang: str = "zh"
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Experience:
    """An experience as it is kept."""

    experience_id: str
    task: str
    recipe: str
    app: str
    lang: str
    hits: int
    successes: int
    failures: int
    created: datetime
    updated: datetime

    @property
    def confidence(self) -> float:
        """How far it is to be trusted, by how the runs ended that were told of it."""
        return (self.successes + 1) / (self.successes + self.failures + 2)

    def shown(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        return {
            "id": self.experience_id,
            "task": self.task,
            "recipe": self.recipe,
            "app": self.app,
            "hits": self.hits,
            "successes": self.successes,
            "failures": self.failures,
            "confidence": round(self.confidence, 3),
            "created": iso(self.created),
            "updated": iso(self.updated),
        }


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience, and how like its job is to the one that was asked for, 0 to 1."""

    experience: Experience
    likeness: float


@dataclass(frozen=True, slots=True)
class _Near:
    """A row that is compared exactly."""

    number: int
    task: str
    app: str


def add(session: Session, wanted: NewExperience) -> Experience:
    """Keep an experience, and make it findable.

    Raises:
        Invalid: The task or the recipe says nothing or is too long.
    """
    pairs = grams(wanted.task)
    if not pairs or len(wanted.task) > TASK_CHARS:
        raise Invalid(path="task", detail=f"1-{TASK_CHARS}")
    if not wanted.recipe.strip() or len(wanted.recipe) > RECIPE_CHARS:
        raise Invalid(path="recipe", detail=f"1-{RECIPE_CHARS}")
    row = Row(
        task=wanted.task,
        recipe=wanted.recipe,
        app=wanted.app,
        lang=wanted.lang,
        run_id=wanted.run_id,
        pairs=len(pairs),
    )
    session.add(row)
    session.flush()
    entries = [{"gram": gram, "number": row.number} for gram in pairs]
    session.execute(insert(ExperienceGram), entries)
    _count(session, pairs, 1)
    return _experience(row)


def get(db: Database, experience_id: str) -> Experience:
    """Return an experience.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return _experience(_row(session, experience_id))


def remove(session: Session, experience_id: str) -> None:
    """Forget an experience.

    Raises:
        NotFound: There is none of that id.
    """
    row = _row(session, experience_id)
    _count(session, grams(row.task), -1)
    session.execute(delete(ExperienceGram).where(ExperienceGram.number == row.number))
    session.delete(row)


def recall(db: Database, request: str, *, top: int = TOP, floor: float = FLOOR) -> list[Recalled]:
    """Find the experiences of jobs like the one that is asked for, the likest first.

    One of another app is left out however like it is: its task names an app that the request does
    not.
    """
    pairs, asked = grams(request), squeezed(request)
    with db.read() as session:
        counts = _counts(session, {*pairs, ALL})
        total = counts.get(ALL, 0)
        near = _candidates(session, pairs, counts, total) if total else []
        tasks = {each.number: grams(each.task) for each in near if _of_this_app(each, asked)}
        unknown = {gram for each in tasks.values() for gram in each} - counts.keys()
        counts |= _counts(session, unknown)
        weights = {gram: rarity(rows, total) for gram, rows in counts.items()}
        unseen = rarity(0, max(total, 1))
        scored = (
            (alike(pairs, each, lambda gram: weights.get(gram, unseen)), number)
            for number, each in tasks.items()
        )
        best = {n: found for found, n in heapq.nlargest(top, scored) if found >= floor}
        rows = session.scalars(select(Row).where(Row.number.in_(best)))
        found = [Recalled(_experience(row), best[row.number]) for row in rows]
    return sorted(found, key=lambda each: -each.likeness)


def told(session: Session, experience_ids: Iterable[str]) -> None:
    """Count that a run was told of these."""
    session.execute(update(Row).where(Row.id.in_(experience_ids)).values(hits=Row.hits + 1))


def credit(session: Session, experience_ids: Iterable[str], *, success: bool) -> None:
    """Credit the outcome of a run to the experiences that it was told of."""
    changed = {"successes": Row.successes + 1} if success else {"failures": Row.failures + 1}
    session.execute(
        update(Row).where(Row.id.in_(experience_ids)).values(updated=utc_now(), **changed)
    )


def _candidates(
    session: Session, pairs: frozenset[int], counts: dict[int, int], total: int
) -> list[_Near]:
    """Choose the rows that share most with the request, by its rarest pairs."""
    known = sorted((gram for gram in pairs if counts.get(gram)), key=lambda gram: counts[gram])
    chosen: list[int] = []
    looked_at = 0
    for gram in known:
        if chosen and total > SMALL and looked_at + counts[gram] > BUDGET:
            break
        chosen.append(gram)
        looked_at += counts[gram]
    weights = {gram: 1 + rarity(counts[gram], total) / rarity(1, total) for gram in chosen}
    entries = select(INDEX.gram, INDEX.number).where(INDEX.gram.in_(chosen)).limit(MOST)
    found: defaultdict[int, float] = defaultdict(float)
    read = session.connection().execute  # plain rows: a mapped one costs a quarter of a query
    for gram, number in read(entries):
        found[number] += weights[gram]
    numbers = heapq.nlargest(RESCORED * 6, found, key=found.__getitem__)
    sizes = read(select(ROWS.number, ROWS.pairs).where(ROWS.number.in_(numbers)))
    near = heapq.nlargest(RESCORED, ((found[n] / (len(pairs) + size), n) for n, size in sizes))
    wanted = [number for _, number in near]
    tasks = select(ROWS.number, ROWS.task, ROWS.app).where(ROWS.number.in_(wanted))
    return [_Near(*row) for row in read(tasks)]


def _of_this_app(row: _Near, asked: str) -> bool:
    app = squeezed(row.app)
    return not app or app in asked or app not in squeezed(row.task)


def _counts(session: Session, wanted: Iterable[int]) -> dict[int, int]:
    query = select(COUNTS.gram, COUNTS.rows).where(COUNTS.gram.in_(list(wanted)))
    return {row.gram: row.rows for row in session.connection().execute(query)}


def _count(session: Session, pairs: frozenset[int], change: int) -> None:
    statement = upsert(GramCount).on_conflict_do_update(
        index_elements=[GramCount.gram], set_={"rows": GramCount.rows + change}
    )
    session.execute(statement, [{"gram": gram, "rows": 1} for gram in (ALL, *pairs)])


def _row(session: Session, experience_id: str) -> Row:
    row = session.scalar(select(Row).where(Row.id == experience_id))
    if row is None:
        raise NotFound(kind="experience", name=experience_id)
    return row


def _experience(row: Row) -> Experience:
    return Experience(
        experience_id=row.id,
        task=row.task,
        recipe=row.recipe,
        app=row.app,
        lang=row.lang,
        hits=row.hits,
        successes=row.successes,
        failures=row.failures,
        created=row.created,
        updated=row.updated,
    )
