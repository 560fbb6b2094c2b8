"""The replay that a run left standing, half done: so that none is begun anew by a restart.

The MCP server has it in memory; this remembers only that there is one.
"""

from sqlalchemy import select, update

from core.db import Database
from core.models import Run


def leave(db: Database, run_id: str, call: str) -> None:
    """Remember that a call's replay stands; ``call`` is its canonical text."""
    _put(db, run_id, call)


def take(db: Database, run_id: str) -> str:
    """Return the call whose replay was left standing, for the last time; empty for none."""
    with db.read() as session:  # the usual case, without a write
        call = session.scalar(select(Run.standing).where(Run.id == run_id)) or ""
    if call:
        _put(db, run_id, "")
    return call


def _put(db: Database, run_id: str, call: str) -> None:
    with db.write() as session:
        session.execute(update(Run).where(Run.id == run_id).values(standing=call))
