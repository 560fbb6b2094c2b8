"""Let go of what runs left behind: events, acts, reasoning and pictures, by age and by size.

What was said in a conversation stays, and so do the row of each run and its last event: whoever
follows an old run learns that it has ended.
"""

import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, select
from sqlalchemy.orm import Session

from core import artifacts, attachments
from core.devices import store as devices
from core.models import Artifact, ConversationMessage, Question, Run, RunAct, RunCheck, RunEvent
from core.runs.wire import TERMINAL
from core.setup import Instance
from core.tasks import keeping

logger = logging.getLogger(__name__)

BATCH = 200
GB = 1024**3
ATTACHED = "attachments"
BESIDE: tuple[type[RunAct | RunCheck | Question], ...] = (RunAct, RunCheck, Question)
SHOWN_OF_STEPS = frozenset({"reasoning", "steps"})
BEING_WRITTEN = timedelta(hours=1)
UNSENT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep let go of."""

    runs: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of runs now, and how much room its disk has left; `low`: no more pictures."""

    used_bytes: int
    pictures: int
    free_bytes: int
    low: bool


def sweep(instance: Instance, now: datetime, days: int | None, gb: float) -> Swept:
    """Let go of what is older than ``days``, then of the oldest runs' beyond ``gb`` gigabytes.

    Without ``days`` nothing goes for its age: nobody knows what day it is.
    """
    runs, files = _sweep_old(instance, now, days) if days is not None else (0, 0)
    excess = used_bytes(instance) - gb * GB
    while excess > 0 and (oldest := _oldest(instance, excess)):
        files += _forget(instance, list(oldest))
        runs += len(oldest)
        excess -= sum(oldest.values())
    more, others = keeping.forget_oldest(instance, excess)
    runs, files = runs + more, files + others
    files += artifacts.remove_strays(instance, now - BEING_WRITTEN)
    if runs or files:
        logger.info("retention: %s runs emptied, %s files removed", runs, files)
    return Swept(runs, files)


def _sweep_old(instance: Instance, now: datetime, days: int) -> tuple[int, int]:
    before, runs, files = now - timedelta(days=days), 0, 0
    for old in _too_old(instance, before):
        files += _forget(instance, old)
        runs += len(old)
    starts, pictures = keeping.forget_before(instance, before)
    devices.forget_old_names(instance.db, before)
    files += attachments.remove_unsent(instance, now - UNSENT)
    return runs + starts, files + pictures


def used_bytes(instance: Instance) -> int:
    """Say how much the files of runs take, and the events that could be let go of."""
    with instance.db.read() as session:
        files = session.scalar(select(func.coalesce(func.sum(Artifact.size), 0))) or 0
        events = select(func.coalesce(func.sum(func.length(RunEvent.data)), 0))
        return files + (session.scalar(events.where(_is_kept_for_a_time())) or 0)


def kept(instance: Instance) -> Kept:
    """Say what is kept of runs now, for people who decide how long that should be."""
    with instance.db.read() as session:
        shown = select(func.count()).where(Artifact.mime.startswith("image/"))
        pictures = session.scalar(shown) or 0
    free = artifacts.free_bytes(instance)
    return Kept(used_bytes(instance), pictures, free, artifacts.is_low(instance))


def _too_old(instance: Instance, before: datetime) -> Iterator[list[str]]:
    while True:
        with instance.db.read() as session:
            old = list(session.scalars(_full_runs().where(Run.ended < before).limit(BATCH)))
        if not old:
            return
        yield old


def _oldest(instance: Instance, excess: float) -> dict[str, int]:
    """Return the oldest runs that hold so many bytes, at most a batch, with what each holds."""
    found: dict[str, int] = {}
    with instance.db.read() as session:
        for run_id in session.scalars(_full_runs().limit(BATCH)):
            if excess <= 0:
                break
            found[run_id] = _size(session, run_id)
            excess -= found[run_id]
    return found


def _full_runs() -> Select[str]:
    """Choose ended runs that still have something to let go of, oldest first."""
    has_events = select(RunEvent.run_id).where(RunEvent.run_id == Run.id, _is_kept_for_a_time())
    has_files = select(Artifact.id).where(Artifact.run_id == Run.id)
    has_acts = select(RunAct.id).where(RunAct.run_id == Run.id)
    full = has_events.exists() | has_files.exists() | has_acts.exists()
    return select(Run.id).where(Run.ended.is_not(None), full).order_by(Run.ended, Run.id)


def _is_kept_for_a_time() -> ColumnElement[bool]:
    return RunEvent.name.not_in(TERMINAL)


def _size(session: Session, run_id: str) -> int:
    files = select(func.coalesce(func.sum(Artifact.size), 0)).where(Artifact.run_id == run_id)
    events = select(func.coalesce(func.sum(func.length(RunEvent.data)), 0))
    events = events.where(RunEvent.run_id == run_id, _is_kept_for_a_time())
    return (session.scalar(files) or 0) + (session.scalar(events) or 0)


def _forget(instance: Instance, run_ids: list[str]) -> int:
    with instance.db.write() as session:
        session.execute(delete(RunEvent).where(RunEvent.run_id.in_(run_ids), _is_kept_for_a_time()))
        for what in BESIDE:
            session.execute(delete(what).where(what.run_id.in_(run_ids)))
        mine = Artifact.run_id.in_(run_ids)
        gone = list(session.scalars(select(Artifact.id).where(mine)))
        said = select(ConversationMessage).where(ConversationMessage.run_id.in_(run_ids))
        for message in session.scalars(said):
            if SHOWN_OF_STEPS & message.extra.keys() or ATTACHED in message.extra:
                message.extra = _what_stays(message.extra, gone)
        session.execute(delete(Artifact).where(mine))
    artifacts.remove_files(instance, gone)
    return len(gone)


def _what_stays(extra: dict[str, Any], gone: Collection[str]) -> dict[str, Any]:
    """Give a message's extra without what was shown of steps; a file's name stays."""
    kept = {key: value for key, value in extra.items() if key not in SHOWN_OF_STEPS}
    if ATTACHED in kept:
        kept[ATTACHED] = [
            {**each, "gone": True} if each["id"] in gone else each for each in kept[ATTACHED]
        ]
    return kept
