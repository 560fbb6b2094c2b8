"""Let go of what runs left behind: events, reasoning and pictures, by age and by size.

What was said in a conversation stays, and so does the row of each run.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from core import artifacts
from core.models import Artifact, ConversationMessage, Run, RunEvent
from core.setup import Instance

logger = logging.getLogger(__name__)

BATCH = 200
GB = 1024**3
REASONING = "reasoning"


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep let go of."""

    runs: int = 0
    files: int = 0


def sweep(instance: Instance, now: datetime, days: int, gb: float) -> Swept:
    """Let go of what is older than ``days``, then of the oldest files beyond ``gb`` gigabytes."""
    runs = files = 0
    while old := _old_runs(instance, now - timedelta(days=days)):
        files += _forget(instance, old)
        runs += len(old)
    files += _shrink(instance, gb * GB)
    if runs or files:
        logger.info("retention: %s runs emptied, %s files removed", runs, files)
    return Swept(runs, files)


def used_bytes(instance: Instance) -> int:
    """Say how much the files of runs take."""
    with instance.db.read() as session:
        return session.scalar(select(func.coalesce(func.sum(Artifact.size), 0))) or 0


def _old_runs(instance: Instance, before: datetime) -> list[str]:
    """Find ended runs that still have something to let go of."""
    has_events = select(RunEvent.run_id).where(RunEvent.run_id == Run.id).exists()
    has_files = select(Artifact.id).where(Artifact.run_id == Run.id).exists()
    query = select(Run.id).where(Run.ended < before, has_events | has_files)
    with instance.db.read() as session:
        return list(session.scalars(query.order_by(Run.ended).limit(BATCH)))


def _forget(instance: Instance, run_ids: list[str]) -> int:
    with instance.db.write() as session:
        session.execute(delete(RunEvent).where(RunEvent.run_id.in_(run_ids)))
        said = select(ConversationMessage).where(ConversationMessage.run_id.in_(run_ids))
        for message in session.scalars(said):
            if REASONING in message.extra:
                message.extra = {k: v for k, v in message.extra.items() if k != REASONING}
        gone = list(session.scalars(select(Artifact.id).where(Artifact.run_id.in_(run_ids))))
        _drop(session, gone)
    artifacts.remove_files(instance, gone)
    return len(gone)


def _shrink(instance: Instance, most_bytes: float) -> int:
    count, excess = 0, used_bytes(instance) - most_bytes
    while excess > 0:
        with instance.db.write() as session:
            query = select(Artifact).order_by(Artifact.created, Artifact.id).limit(BATCH)
            oldest = []
            for row in session.scalars(query):
                if excess <= 0:
                    break
                oldest.append(row.id)
                excess -= row.size
            _drop(session, oldest)
        if not oldest:
            break
        artifacts.remove_files(instance, oldest)
        count += len(oldest)
    return count


def _drop(session: Session, artifact_ids: list[str]) -> None:
    session.execute(delete(Artifact).where(Artifact.id.in_(artifact_ids)))
