"""Find texts that share pairs of signs with another, or speak of the same in another language.

It is kept which of these signs are in which text, and in how many. The rarest of a request come
first, up to a budget of rows, so that a look costs about the same in a large library as in a small
one.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from sqlalchemy import BindParameter, Table, bindparam, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import Session

from core.meanings import marks
from core.models import Experience, ExperienceGram, GramCount
from core.similar import grams

ALL = 0  # under it stands in `GramCount` how many experiences there are
#: Signs of a short request. Of a long one in Latin letters all pairs are common, so that the likest
#: stand out late: for each sign more, more rows are looked at and more candidates compared exactly.
SHORT = 12
ROWS_LOOKED_AT, ROWS_PER_SIGN, ROWS_MOST = 2_000, 400, 20_000
COMPARED, COMPARED_PER_SIGN, COMPARED_MOST = 16, 3, 128
COUNTED_PER_COMPARED = 12

GRAMS: Table = ExperienceGram.metadata.tables[ExperienceGram.__tablename__]
COUNTED: Table = GramCount.metadata.tables[GramCount.__tablename__]
ROWS = Experience.metadata.tables[Experience.__tablename__].c
INDEX, COUNTS = GRAMS.c, COUNTED.c
_PUT = insert(GRAMS)
# made once: to make them is a third of a query
_WANTED: BindParameter[list[int]] = bindparam("wanted", expanding=True)
_COUNTS = select(COUNTS.gram, COUNTS.rows).where(COUNTS.gram.in_(_WANTED), COUNTS.rows > 0)
_SHARED = func.count().label("shared")
_FOUND = (
    select(INDEX.number, _SHARED)
    .where(INDEX.gram.in_(_WANTED))
    .group_by(INDEX.number)
    .order_by(_SHARED.desc())
    .limit(bindparam("most"))
)
_TASKS = select(ROWS.number, ROWS.task, ROWS.app).where(ROWS.number.in_(_WANTED))
_SIZES = select(ROWS.number, ROWS.pairs).where(ROWS.number.in_(_WANTED))
_UPSERT = upsert(COUNTED)
_COUNT = _UPSERT.on_conflict_do_update(
    index_elements=[COUNTS.gram], set_={"rows": COUNTS.rows + _UPSERT.excluded.rows}
)
_TAKE = (
    delete(GRAMS)
    .where(INDEX.gram.in_(_WANTED), INDEX.number == bindparam("of_number"))
    .returning(INDEX.gram)
)


def put(session: Session, number: int, text: str) -> None:
    """Make a text findable by its pairs, and by what it speaks of in the other language."""
    signs = _signs(text)
    entries = [{"gram": gram, "number": number} for gram in sorted(signs)]
    session.connection().execute(_PUT, entries)  # of the table: the mapped class costs twice
    _count(session, {ALL: 1, **dict.fromkeys(signs, 1)})


def complete(session: Session, number: int, text: str) -> None:
    """Make a text that is known already findable by the signs that it is not found by yet."""
    signs = _signs(text)
    asked = select(INDEX.gram).where(INDEX.gram.in_(_WANTED), INDEX.number == number)
    known = set(session.connection().execute(asked, {"wanted": list(signs)}).scalars())
    if new := sorted(signs - known):
        session.connection().execute(_PUT, [{"gram": each, "number": number} for each in new])
        _count(session, dict.fromkeys(new, 1))


def take(session: Session, texts: Mapping[int, str]) -> None:
    """Find texts no more, given by their numbers.

    What was kept by an earlier edition may have been found by fewer signs than its text has now.
    """
    fewer = Counter[int]()
    for number, text in texts.items():
        these = {"wanted": list(_signs(text)), "of_number": number}
        fewer.update(session.connection().execute(_TAKE, these).scalars())
    _count(session, {ALL: -len(texts), **{gram: -rows for gram, rows in fewer.items()}})


def counts(session: Session, wanted: Iterable[int]) -> dict[int, int]:
    """Say in how many texts each sign is; those in none are left out."""
    found = session.connection().execute(_COUNTS, {"wanted": list(wanted)}).all()
    return {row.gram: row.rows for row in found}


def budget(size: int) -> int:
    """Say how many rows of the index are looked at for a request of so many pairs."""
    return min(ROWS_LOOKED_AT + ROWS_PER_SIGN * max(0, size - SHORT), ROWS_MOST)


def rarest(
    signs: frozenset[int], known: Mapping[int, int], rows: int, at_least: int = 1
) -> list[int]:
    """Choose the signs that tell most, the rarest first.

    Args:
        signs: Of a request.
        known: In how many texts each is.
        rows: How many rows of the index may be looked at.
        at_least: How many signs are chosen however common they are.
    """
    chosen: list[int] = []
    looked_at = 0
    for sign in sorted((sign for sign in signs if sign in known), key=known.__getitem__):
        looked_at += known[sign]
        if len(chosen) >= at_least and looked_at > rows:
            break
        chosen.append(sign)
    return chosen


def candidates(session: Session, signs: list[int], size: int) -> dict[int, tuple[str, str]]:
    """Choose what has most of these signs for its length: task and app by number.

    ``size`` is how many pairs the request has.
    """
    read = session.connection().execute  # plain rows: a mapped one costs a quarter of a query
    compared = min(COMPARED + COMPARED_PER_SIGN * max(0, size - SHORT), COMPARED_MOST)
    most = COUNTED_PER_COMPARED * compared
    rows = read(_FOUND, {"wanted": signs, "most": most}).all()
    found = {number: shared for number, shared in rows}  # noqa: C416 - rows are no plain pairs
    sizes = read(_SIZES, {"wanted": list(found)}).all()
    near = heapq.nlargest(compared, ((found[n] / (size + each), n) for n, each in sizes))
    tasks = read(_TASKS, {"wanted": [number for _, number in near]}).all()
    return {number: (task, app) for number, task, app in tasks}


def _signs(text: str) -> frozenset[int]:
    return grams(text) | marks(text)


def _count(session: Session, changes: Mapping[int, int]) -> None:
    rows = [{"gram": gram, "rows": change} for gram, change in sorted(changes.items())]
    session.connection().execute(_COUNT, rows)
