"""Who did what, when and from where: one row for each unsafe request, without its body.

The same act again within a minute is counted on its row, so that a finger on the live picture
does not bury the rest. The newest `KEPT` rows stay.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.models import AuditEntry

PAGE = 50
KEPT = 100_000
SWEEP_EVERY = 1_000
SAME_S = 60
TARGET_CHARS = 200


@dataclass(frozen=True, slots=True)
class Deed:
    """One request: ``action`` names the view, ``target`` is the path that was asked."""

    user_id: str | None
    who: str
    token: str
    action: str
    method: str
    target: str
    status: int
    address: str

    def columns(self) -> dict[str, Any]:
        """Give what is stored, cut to its columns."""
        return {
            "user_id": self.user_id,
            "who": self.who,
            "token": self.token,
            "action": self.action,
            "method": self.method,
            "target": self.target[:TARGET_CHARS],
            "status": self.status,
            "address": self.address,
        }


def write(db: Database, deed: Deed) -> None:
    """Write down what was done."""
    with db.write() as session:
        last = session.scalar(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1))
        if last is not None and _is_same(last, deed):
            last.times, last.until = last.times + 1, utc_now()
            return
        entry = AuditEntry(**deed.columns())
        session.add(entry)
        session.flush()
        if entry.id % SWEEP_EVERY == 0:
            _sweep(session, entry.id)


def listing(
    db: Database, who: str = "", what: str = "", before: int | None = None
) -> dict[str, Any]:
    """Return one page, newest first, as ``{items, next}``.

    Args:
        db: Where it is.
        who: Kept when part of a user's or a token's name.
        what: Kept when part of the action or its target.
        before: Cursor of the page before: the id of its last entry.
    """
    query = select(AuditEntry).order_by(AuditEntry.id.desc()).limit(PAGE + 1)
    if who:
        query = query.where(_has(AuditEntry.who, who) | _has(AuditEntry.token, who))
    if what:
        query = query.where(_has(AuditEntry.action, what) | _has(AuditEntry.target, what))
    if before is not None:
        query = query.where(AuditEntry.id < before)
    with db.read() as session:
        rows = session.scalars(query).all()
    more = str(rows[PAGE - 1].id) if len(rows) > PAGE else None
    return {"items": [_shown(row) for row in rows[:PAGE]], "next": more}


def _is_same(last: AuditEntry, deed: Deed) -> bool:
    same = all(getattr(last, name) == value for name, value in deed.columns().items())
    return same and utc_now() - last.until < timedelta(seconds=SAME_S)


def _sweep(session: Session, newest: int) -> None:
    session.execute(delete(AuditEntry).where(AuditEntry.id <= newest - KEPT))


def _has(column: Any, part: str) -> Any:
    return column.icontains(part, autoescape=True)


def _shown(row: AuditEntry) -> dict[str, Any]:
    return {
        "id": row.id,
        "who": row.who,
        "token": row.token,
        "action": row.action,
        "method": row.method,
        "target": row.target,
        "status": row.status,
        "address": row.address,
        "times": row.times,
        "created": iso(row.created),
        "until": iso(row.until),
    }
