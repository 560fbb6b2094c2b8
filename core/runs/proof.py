"""What a run has shown to be true: checks that the server evaluated, kept with the run.

The newest result of a check counts, and a check that was stated once stays stated: a run does
not pass by asking for something easier afterwards.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core.db import Database
from core.models import RunCheck


@dataclass(frozen=True, slots=True)
class Checked:
    """One check as it was stated, and whether the screen met it; ``seen`` says what was there."""

    stated: dict[str, Any]
    met: bool
    seen: str

    @property
    def key(self) -> str:
        """Name the check, whatever the order of its parts."""
        return json.dumps(self.stated, ensure_ascii=False, sort_keys=True)


def keep(db: Database, run_id: str, results: Iterable[Checked]) -> None:
    """Keep results; one of the same check replaces the one before."""
    with db.write() as session:
        for result in results:
            session.merge(
                RunCheck(
                    run_id=run_id,
                    stated=result.key,
                    met=result.met,
                    stale=False,
                    seen=result.seen,
                )
            )


def kept(db: Database, run_id: str) -> list[Checked]:
    """Return the newest result of each check."""
    with db.read() as session:
        rows = session.scalars(select(RunCheck).where(RunCheck.run_id == run_id)).all()
    return [Checked(json.loads(row.stated), row.met, row.seen) for row in rows]


def outdate(session: Session, run_id: str) -> None:
    """Note that a run touched the phone again, so what it proved before may be so no more."""
    session.execute(update(RunCheck).where(RunCheck.run_id == run_id).values(stale=True))


def verified(db: Database, run_id: str) -> bool | None:
    """Say whether all checks of a run are met; None when it stated none since it last acted."""
    with db.read() as session:
        rows = session.scalars(select(RunCheck).where(RunCheck.run_id == run_id)).all()
    if not all(row.met for row in rows):
        return False
    return True if rows and not any(row.stale for row in rows) else None
