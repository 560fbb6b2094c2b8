"""What ended runs have still to teach: kept with the end of each, until something came of it.

So a console that is killed while it learns does so after its next start, and credits nothing twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from core.db import Database
from core.models import RunLesson


@dataclass(frozen=True, slots=True)
class Left:
    """A lesson that nobody came to the end of; ``tries`` counts the processes that died over it."""

    run_id: str
    body: dict[str, Any]
    tries: int


def keep(session: Session, run_id: str, body: Mapping[str, Any]) -> None:
    """Keep what a run teaches, in the transaction that ends it."""
    session.add(RunLesson(run_id=run_id, body=dict(body)))


def credit(session: Session, run_id: str, body: Mapping[str, Any]) -> bool:
    """Note that what the run was told is being credited, and what it teaches since then.

    Returns:
        False when that was done before.
    """
    row = session.get(RunLesson, run_id)
    if row is None:  # of a run that nobody kept it of
        return True
    if row.credited:
        return False
    row.credited, row.body = True, dict(body)
    return True


def settle(session: Session, run_id: str) -> None:
    """Let go of a lesson of which something came, if only words."""
    session.execute(delete(RunLesson).where(RunLesson.run_id == run_id))


def count_try(session: Session, run_id: str, by: int = 1) -> None:
    """Note that a lesson is begun; with -1, that it was put off and did nobody harm."""
    mine = update(RunLesson).where(RunLesson.run_id == run_id)
    session.execute(mine.values(tries=RunLesson.tries + by))


def left(db: Database) -> list[Left]:
    """Return what was not come to the end of, oldest first."""
    with db.read() as session:
        rows = session.scalars(select(RunLesson).order_by(RunLesson.created)).all()
        return [Left(row.run_id, dict(row.body), row.tries) for row in rows]
