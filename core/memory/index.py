"""Find texts that share pairs of signs with another: which pair is in which, and in how many.

The rarest pairs of a request come first, up to a budget of rows, so that a look costs about the
same in a large library as in a small one.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import BindParameter, Table, bindparam, delete, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import Session

from core.models import Experience, ExperienceGram, GramCount
from core.similar import rarity

ALL = 0  # under it stands in `GramCount` how many experiences there are
BUDGET = 2_000  # rows of the index that a query looks at
SMALL = 2_000  # a library up to here is looked at whole
RESCORED = 16  # candidates that are compared exactly
MOST = 100_000  # entries of the index that are read of a small library

GRAMS: Table = ExperienceGram.metadata.tables[ExperienceGram.__tablename__]
COUNTED: Table = GramCount.metadata.tables[GramCount.__tablename__]
ROWS = Experience.metadata.tables[Experience.__tablename__].c
INDEX, COUNTS = GRAMS.c, COUNTED.c
_PUT = insert(GRAMS)
# made once: to make them is a third of a query
_WANTED: BindParameter[list[int]] = bindparam("wanted", expanding=True)
_COUNTS = select(COUNTS.gram, COUNTS.rows).where(COUNTS.gram.in_(_WANTED), COUNTS.rows > 0)
_ENTRIES = select(INDEX.gram, INDEX.number).where(INDEX.gram.in_(_WANTED)).limit(MOST)
_TASKS = select(ROWS.number, ROWS.task, ROWS.app).where(ROWS.number.in_(_WANTED))
_SIZES = select(ROWS.number, ROWS.pairs).where(ROWS.number.in_(_WANTED))
_UPSERT = upsert(COUNTED)
_COUNT = {
    change: _UPSERT.on_conflict_do_update(
        index_elements=[COUNTS.gram], set_={"rows": COUNTS.rows + change}
    )
    for change in (1, -1)
}


def put(session: Session, number: int, pairs: frozenset[int]) -> None:
    """Make a text findable by its pairs."""
    entries = [{"gram": gram, "number": number} for gram in sorted(pairs)]
    session.connection().execute(_PUT, entries)  # of the table: the mapped class costs twice
    _count(session, pairs, 1)


def take(session: Session, number: int, pairs: frozenset[int]) -> None:
    """Find a text no more."""
    _count(session, pairs, -1)
    session.execute(delete(GRAMS).where(INDEX.number == number, INDEX.gram.in_(pairs)))


def counts(session: Session, wanted: Iterable[int]) -> dict[int, int]:
    """Say in how many texts each pair is; those in none are left out."""
    found = session.connection().execute(_COUNTS, {"wanted": list(wanted)}).all()
    return {row.gram: row.rows for row in found}


def candidates(
    session: Session, pairs: frozenset[int], known: dict[int, int], total: int
) -> dict[int, tuple[str, str]]:
    """Choose what shares most with a request, by its rarest pairs: task and app by number."""
    chosen = _rarest(pairs, known, total)
    weights = {gram: 1 + rarity(known[gram], total) / rarity(1, total) for gram in chosen}
    found: defaultdict[int, float] = defaultdict(float)
    read = session.connection().execute  # plain rows: a mapped one costs a quarter of a query
    for gram, number in read(_ENTRIES, {"wanted": chosen}).all():
        found[number] += weights[gram]
    numbers = heapq.nlargest(RESCORED * 6, found, key=found.__getitem__)
    sizes = read(_SIZES, {"wanted": numbers}).all()
    near = heapq.nlargest(RESCORED, ((found[n] / (len(pairs) + size), n) for n, size in sizes))
    tasks = read(_TASKS, {"wanted": [number for _, number in near]}).all()
    return {number: (task, app) for number, task, app in tasks}


def _rarest(pairs: frozenset[int], known: dict[int, int], total: int) -> list[int]:
    chosen: list[int] = []
    looked_at = 0
    for gram in sorted((gram for gram in pairs if gram in known), key=known.__getitem__):
        if chosen and total > SMALL and looked_at + known[gram] > BUDGET:
            break
        chosen.append(gram)
        looked_at += known[gram]
    return chosen


def _count(session: Session, pairs: frozenset[int], change: int) -> None:
    rows = [{"gram": gram, "rows": 1} for gram in (ALL, *sorted(pairs))]
    session.connection().execute(_COUNT[change], rows)
