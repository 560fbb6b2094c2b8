"""The line of task runs: who is next on which phone, and how each ends.

A run is begun once: claiming it, taking the phone's lease and counting the attempt are one
transaction. What was open when its process died is closed as interrupted, never begun again.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.devices import lease
from core.devices.lease import LEASE_S
from core.errors import ConsoleError, DeviceBusy, DeviceOffline, Interrupted, NoDevice
from core.models import Device, Task, TaskRun, TaskRunStep
from core.steps.record import StepRecord
from core.tasks.yard import Job, Specs, Yard

AGAIN_S = 2.0
FAILED = ("failed", "needs_human")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended; ``error`` is why, at ``path``, with the screen ``seen`` then."""

    status: str
    values: dict[str, str] = field(default_factory=dict)
    error: ConsoleError | None = None
    path: str = ""
    seen: str = ""


def claim(db: Database, owner: str, places: int) -> Job | None:
    """Take the first run whose phone is free, with the phone; None when none can begin now."""
    with db.read() as session:  # a look each second must not hold up whoever writes
        due = TaskRun.not_before <= utc_now()
        if (
            session.scalar(select(TaskRun.id).where(TaskRun.status == "queued", due).limit(1))
            is None
        ):
            return None
    with db.write() as session:
        return Yard(session, owner, places).begin_next()


def put_step(
    db: Database, job: Job, number: int, record: StepRecord, pictures: list[dict[str, Any]]
) -> None:
    """Keep what came of a step."""
    with db.write() as session:
        session.add(
            TaskRunStep(
                run_id=job.run_id,
                attempt=job.attempt,
                number=number,
                record=record.wire(),
                pictures=pictures,
            )
        )


def at(db: Database, run_id: str, path: str) -> None:
    """Note which step a run is at."""
    with db.write() as session:
        session.execute(update(TaskRun).where(TaskRun.id == run_id).values(at=path))


def keep_alive(db: Database, job: Job) -> str | None:
    """Prolong a run's lease; says with a code when the run has to end."""
    with db.write() as session:
        row = session.get(TaskRun, job.run_id)
        if row is None or row.status != "running" or row.stop_asked:
            return "stopped"
        if session.get(Task, job.task_id) is None:
            return "stopped"
        row.alive_until = utc_now() + timedelta(seconds=LEASE_S)
        return None if lease.renew(session, job.run_id, job.fence) else "lease_lost"


def finish(db: Database, job: Job, outcome: Outcome) -> str:
    """Write down how an attempt ended and free the phone; says how the run stands now.

    A failed one waits for its next attempt, when its policy allows one more; one of which nothing
    was done yet (``queued``) goes back into the line.
    """
    with db.write() as session:
        row = session.get(TaskRun, job.run_id)
        if row is not None and row.attempt != job.attempt:
            return row.status  # another attempt has the phone now
        lease.release(session, job.run_id)
        if row is None or row.status != "running":
            return "stopped"
        if row.stop_asked and outcome.status in ("queued", "failed"):
            outcome = Outcome("stopped", outcome.values, path=outcome.path)
        if outcome.status == "queued":
            row.attempt -= 1
            return _line_up(row, outcome, AGAIN_S)
        if outcome.status == "failed" and job.attempt <= job.spec.policy.retries:
            return _line_up(row, outcome, job.spec.policy.retry_after_s)
        _end(row, outcome)
        _count(session, job, outcome.status)
        return row.status


def stop(db: Database, run_id: str) -> list[str]:
    """End a run that waits; gives it back when it runs, and is to be told."""
    with db.write() as session:
        return _stop(session, select(TaskRun).where(TaskRun.id == run_id))


def stop_all(db: Database, *, group_id: str = "", task_id: str = "") -> list[str]:
    """Stop every open run of a group or a task; gives those that run now."""
    with db.write() as session:
        return stop_in(session, group_id=group_id, task_id=task_id)


def stop_in(session: Session, *, group_id: str = "", task_id: str = "") -> list[str]:
    """Do what `stop_all` does, as part of something larger."""
    query = select(TaskRun).where(TaskRun.status.in_(("queued", "running")))
    query = query.where(TaskRun.group_id == group_id if group_id else TaskRun.task_id == task_id)
    return _stop(session, query)


def close_orphans(db: Database, owner: str, carried: set[str]) -> list[str]:
    """Close runs whose process is gone: an attempt that may have acted is not begun again."""
    now = utc_now()
    gone = (TaskRun.owner == owner) | (TaskRun.alive_until < now)
    query = select(TaskRun).where(TaskRun.status == "running", gone)
    with db.write() as session:
        rows = [row for row in session.scalars(query) if row.id not in carried]
        for row in rows:
            _end(row, Outcome("failed", error=Interrupted(), path=row.at))
            lease.release(session, row.id)
        return [row.id for row in rows]


def expire(db: Database) -> list[str]:
    """Close runs that have waited for their phone too long."""
    now = utc_now()
    with db.write() as session:
        waiting = session.scalars(
            select(TaskRun).where(TaskRun.status == "queued", TaskRun.not_before <= now)
        ).all()
        specs = Specs(session)
        waits = _Waits(session, now)
        late = [
            row
            for row in waiting
            if now - waits.since(row) > timedelta(seconds=specs.of(row).policy.queue_s)
        ]
        for row in late:
            _end(row, Outcome("failed", error=_why_not(session, row)))
        return [row.id for row in late]


class _Waits:
    """Since when runs wait; behind others of its own group a run waits for nothing yet."""

    def __init__(self, session: Session, now: datetime) -> None:
        self.session = session
        self.now = now
        self.active: dict[str, datetime | None] = {}

    def since(self, row: TaskRun) -> datetime:
        begun = row.not_before if row.attempt else row.created
        if row.fixed and not self._could_have_it(row):
            return begun
        return max(begun, self._went_on(row.group_id) or begun)

    def _could_have_it(self, row: TaskRun) -> bool:
        """Say whether a run's phone is there and free, or serves the same group."""
        mine = (Device.hardware_serial == row.hardware_serial) | (Device.serial == row.serial)
        ready = select(Device.serial).where(mine, Device.state == "ready")
        if self.session.scalar(ready.limit(1)) is None:
            return False
        held = lease.in_force(self.session, row.hardware_serial or "")
        holder = self.session.get(TaskRun, held.owner) if held and held.owner else None
        return held is None or (holder is not None and holder.group_id == row.group_id)

    def _went_on(self, group_id: str) -> datetime | None:
        """Say when something was last done for a group: now, while one of its runs goes on."""
        if group_id not in self.active:
            mine = (TaskRun.group_id == group_id) & TaskRun.started.is_not(None)
            running = select(TaskRun.id).where(mine, TaskRun.status == "running").limit(1)
            ended = select(func.max(TaskRun.ended)).where(mine)
            goes_on = self.session.scalar(running) is not None
            self.active[group_id] = self.now if goes_on else self.session.scalar(ended)
        return self.active[group_id]


def _stop(session: Session, query: Any) -> list[str]:
    running: list[str] = []
    for row in session.scalars(query):
        if row.status == "queued":
            _end(row, Outcome("stopped"))
        elif row.status == "running":
            row.stop_asked = True
            running.append(row.id)
    return running


def _line_up(row: TaskRun, outcome: Outcome, after_s: float) -> str:
    row.status, row.not_before = "queued", utc_now() + timedelta(seconds=after_s)
    row.alive_until, row.at = None, ""
    _note(row, outcome)
    return row.status


def _end(row: TaskRun, outcome: Outcome) -> None:
    row.status, row.ended, row.alive_until, row.at = outcome.status, utc_now(), None, ""
    _note(row, outcome)


def _note(row: TaskRun, outcome: Outcome) -> None:
    row.values, row.path, row.seen = dict(outcome.values), outcome.path, outcome.seen
    row.error = outcome.error.wire() if outcome.error else None


def _count(session: Session, job: Job, status: str) -> None:
    """Count failures in a row of a schedule, and pause it when they are too many."""
    task = session.get(Task, job.task_id)
    if task is None or job.cause != "schedule":
        return
    if status in FAILED:
        task.failures += 1
        if 0 < job.spec.policy.pause_after <= task.failures:
            task.paused, task.next_at = True, None
    elif status in ("success", "partial"):
        task.failures = 0


def _why_not(session: Session, row: TaskRun) -> ConsoleError:
    held = lease.in_force(session, row.hardware_serial) if row.hardware_serial else None
    if held is not None:
        return DeviceBusy(serial=row.serial, holder=held.label)
    if row.fixed:
        return DeviceOffline(serial=row.serial, reason="")
    return NoDevice(detail="No phone was free in time.")
