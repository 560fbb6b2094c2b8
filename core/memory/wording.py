"""Find experiences by words within their tasks and recipes, however rare those are.

An FTS5 table keeps in which texts each pair of signs is, and nothing else: 15 MB for
100,000 recipes of 23 MB, where pairs by rows, as recall has them, take five times as much. It finds
what holds all pairs of what is sought, not always one after the other; the texts say the rest.
"""

from collections.abc import Mapping
from itertools import pairwise

from sqlalchemy import Select, column, func, select, table, text
from sqlalchemy.orm import Session

from core.similar import squeezed

NAME = "experience_words"
#: By the column that is called as the table is, all of an FTS5 table is asked.
WORDS = table(NAME, column("rowid"), column(NAME))
_PUT = text(f"INSERT INTO {NAME} (rowid, pairs) VALUES (:number, :pairs)")
_TAKE = text(f"INSERT INTO {NAME} ({NAME}, rowid, pairs) VALUES ('delete', :number, :pairs)")


def put(session: Session, number: int, task: str, recipe: str) -> None:
    """Make an experience findable by its words."""
    session.connection().execute(_PUT, {"number": number, "pairs": _pairs(task, recipe)})


def take(session: Session, texts: Mapping[int, tuple[str, str]]) -> None:
    """Find experiences no more, given by number with the task and recipe that they had."""
    gone = [{"number": number, "pairs": _pairs(*said)} for number, said in texts.items()]
    session.connection().execute(_TAKE, gone)


def holding(session: Session, sought: str, most: int) -> Select[int] | None:
    """Choose the numbers of what may hold some words; None where those are more than ``most``."""
    signs = _signs(sought)
    if not signs:
        return None
    asked = " AND ".join(map("".join, pairwise(signs))) if len(signs) > 1 else f"{signs[0]}*"
    found = select(WORDS.c.rowid).where(WORDS.c[NAME].match(asked))
    some = session.scalar(select(func.count()).select_from(found.limit(most + 1).subquery()))
    return found if (some or 0) <= most else None


def _pairs(*texts: str) -> str:
    """Give the pairs of signs of texts, and the last sign of each, which begins none."""
    tokens = set[str]()
    for signs in map(_signs, texts):
        tokens.update(map("".join, pairwise(signs)), signs[-1:])
    return " ".join(sorted(tokens))


def _signs(text: str) -> list[str]:
    """Write each sign so that FTS5 takes it for a word, all of the same length."""
    return [f"{ord(sign):06x}" for sign in squeezed(text)]
