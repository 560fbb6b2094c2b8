"""Find texts that share pairs of signs with another, or speak of the same in another language.

It is kept which of these signs are in which text, and in how many. The rarest of a request come
first, up to a budget of rows, so that a look costs about the same in a large library as in a small
one.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import BindParameter, Table, bindparam, delete, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import Session

from core.meanings import marks
from core.models import Experience, ExperienceGram, GramCount
from core.similar import grams, rarity

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
_COUNT = _UPSERT.on_conflict_do_update(
    index_elements=[COUNTS.gram], set_={"rows": COUNTS.rows + _UPSERT.excluded.rows}
)
_TAKE = delete(GRAMS).where(
    INDEX.gram == bindparam("of_gram"), INDEX.number == bindparam("of_number")
)


def put(session: Session, number: int, text: str) -> None:
    """Make a text findable by its pairs, and by what it speaks of in the other language."""
    signs = _signs(text)
    entries = [{"gram": gram, "number": number} for gram in sorted(signs)]
    session.connection().execute(_PUT, entries)  # of the table: the mapped class costs twice
    _count(session, {ALL: 1, **dict.fromkeys(signs, 1)})


def take(session: Session, texts: Mapping[int, str]) -> None:
    """Find texts no more, given by their numbers."""
    entries = [
        {"of_gram": gram, "of_number": number}
        for number, text in texts.items()
        for gram in _signs(text)
    ]
    session.connection().execute(_TAKE, entries)
    fewer = Counter(entry["of_gram"] for entry in entries)
    _count(session, {ALL: -len(texts), **{gram: -rows for gram, rows in fewer.items()}})


def counts(session: Session, wanted: Iterable[int]) -> dict[int, int]:
    """Say in how many texts each sign is; those in none are left out."""
    found = session.connection().execute(_COUNTS, {"wanted": list(wanted)}).all()
    return {row.gram: row.rows for row in found}


def rarest(
    signs: frozenset[int], known: Mapping[int, int], total: int, budget: int, at_least: int = 1
) -> dict[int, float]:
    """Choose the signs that tell most, the rarest first, with what they weigh.

    Args:
        signs: Of a request.
        known: In how many texts each is.
        total: How many texts there are.
        budget: How many rows of the index may be looked at in a large library.
        at_least: How many signs are chosen however common they are.
    """
    chosen: dict[int, float] = {}
    looked_at = 0
    for sign in sorted((sign for sign in signs if sign in known), key=known.__getitem__):
        looked_at += known[sign]
        if len(chosen) >= at_least and total > SMALL and looked_at > budget:
            break
        chosen[sign] = 1 + rarity(known[sign], total) / rarity(1, total)
    return chosen


def candidates(
    session: Session, weights: Mapping[int, float], size: int
) -> dict[int, tuple[str, str]]:
    """Choose what has most of these signs for its length: task and app by number.

    ``size`` is how many signs the request has.
    """
    found: defaultdict[int, float] = defaultdict(float)
    read = session.connection().execute  # plain rows: a mapped one costs a quarter of a query
    for sign, number in read(_ENTRIES, {"wanted": list(weights)}).all():
        found[number] += weights[sign]
    numbers = heapq.nlargest(RESCORED * 6, found, key=found.__getitem__)
    sizes = read(_SIZES, {"wanted": numbers}).all()
    near = heapq.nlargest(RESCORED, ((found[n] / (size + each), n) for n, each in sizes))
    tasks = read(_TASKS, {"wanted": [number for _, number in near]}).all()
    return {number: (task, app) for number, task, app in tasks}


def _signs(text: str) -> frozenset[int]:
    return grams(text) | marks(text)


def _count(session: Session, changes: Mapping[int, int]) -> None:
    rows = [{"gram": gram, "rows": change} for gram, change in sorted(changes.items())]
    session.connection().execute(_COUNT, rows)
