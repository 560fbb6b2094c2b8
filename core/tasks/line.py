"""The line of task runs: who is next on which phone, and how each ends.

A run is begun once: claiming it, taking the phone's lease and counting the attempt are one
transaction. What was open when its process died is closed as interrupted, never begun again.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.devices import lease
from core.devices.lease import LEASE_S, Claim
from core.errors import ConsoleError, DeviceBusy, DeviceOffline, Interrupted, NoDevice
from core.models import Device, Lease, Task, TaskGroup, TaskRevision, TaskRun, TaskRunStep
from core.steps.record import StepRecord
from core.tasks.schema import TaskSpec
from core.words import Lang, phrase

LOOKED_AT = 500
AGAIN_S = 2.0
FAILED = ("failed", "needs_human")


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is carried from now on."""

    run_id: str
    task_id: str
    group_id: str
    revision: int
    cause: str
    serial: str
    hardware_serial: str
    fence: int
    attempt: int
    first: int
    inputs: dict[str, str]
    app: str
    spec: TaskSpec


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
        yard = _Yard(session, owner, places)
        return next(yard.jobs(), None)


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
        specs = _Specs(session)
        late = [
            row
            for row in waiting
            if now - (row.not_before if row.attempt else row.created)
            > timedelta(seconds=specs.of(row).policy.queue_s)
        ]
        for row in late:
            _end(row, Outcome("failed", error=_why_not(session, row)))
        return [row.id for row in late]


class _Specs:
    """The tasks that waiting runs belong to, read once each."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.known: dict[tuple[str, int], TaskSpec] = {}

    def of(self, row: TaskRun) -> TaskSpec:
        key = (row.task_id, row.revision)
        if key not in self.known:
            kept = self.session.get_one(TaskRevision, key)
            self.known[key] = TaskSpec.model_validate(kept.body)
        return self.known[key]


class _Yard:
    """What runs now, and which of those that wait may begin."""

    def __init__(self, session: Session, owner: str, places: int) -> None:
        self.session = session
        self.owner = owner
        self.now = utc_now()
        self.specs = _Specs(session)
        running = session.execute(
            select(TaskRun.group_id, TaskRun.app).where(TaskRun.status == "running")
        ).all()
        self.free_places = places - len(running)
        self.of_group = Counter(group_id for group_id, _ in running)
        self.of_app = Counter(app for _, app in running if app)
        self.held = set(
            session.scalars(
                select(Lease.hardware_serial).where(
                    Lease.owner.is_not(None), Lease.until > self.now
                )
            )
        )

    def jobs(self) -> Iterator[Job]:
        """Begin those that may, one after the other."""
        if self.free_places <= 0:
            return
        waiting = (
            select(TaskRun)
            .where(TaskRun.status == "queued", TaskRun.not_before <= self.now)
            .order_by(TaskRun.created, TaskRun.number)
            .limit(LOOKED_AT)
        )
        for row in self.session.scalars(waiting):
            if self._may_begin(row):
                phone = self._phone(row)
                if phone is not None:
                    yield self._begin(row, phone)

    def _may_begin(self, row: TaskRun) -> bool:
        policy = self.specs.of(row).policy
        if self.of_group[row.group_id] >= policy.parallel:
            return False
        if policy.per_app is not None and row.app and self.of_app[row.app] >= policy.per_app:
            return False
        if not policy.stagger_s:
            return True
        last = self.session.scalar(
            select(func.max(TaskRun.started)).where(TaskRun.group_id == row.group_id)
        )
        return last is None or self.now - last >= timedelta(seconds=policy.stagger_s)

    def _phone(self, row: TaskRun) -> Device | None:
        """Find the run's phone, or any, if it can be used now."""
        known = Device.hardware_serial != ""
        query = select(Device).where(Device.state == "ready", known).order_by(Device.serial)
        if row.fixed:
            mine = (Device.hardware_serial == row.hardware_serial) | (Device.serial == row.serial)
            query = query.where(mine)
        taken = self.held if row.fixed else self.held | self._had(row)
        return next(
            (each for each in self.session.scalars(query) if each.hardware_serial not in taken),
            None,
        )

    def _had(self, row: TaskRun) -> set[str]:
        """Name the phones that the group's other runs took, where each is to take another one."""
        if row.row is not None:
            return set()
        others = select(TaskRun.hardware_serial).where(
            TaskRun.group_id == row.group_id, TaskRun.number != row.number
        )
        return {each for each in self.session.scalars(others) if each}

    def _begin(self, row: TaskRun, phone: Device) -> Job:
        group = self.session.get_one(TaskGroup, row.group_id)
        lang: Lang = "en" if group.lang == "en" else "zh"
        label = phrase("holder.task", lang, title=row.name)
        hardware_serial = phone.hardware_serial
        row.fence = lease.take(self.session, hardware_serial, Claim("task", row.id, label))
        row.serial, row.hardware_serial = phone.serial, hardware_serial
        row.status, row.owner, row.attempt = "running", self.owner, row.attempt + 1
        row.started, row.alive_until = self.now, self.now + timedelta(seconds=LEASE_S)
        row.at, row.error, row.path, row.seen, row.values = "", None, "", "", {}
        return Job(
            run_id=row.id,
            task_id=row.task_id,
            group_id=row.group_id,
            revision=row.revision,
            cause=group.cause,
            serial=phone.serial,
            hardware_serial=hardware_serial,
            fence=row.fence,
            attempt=row.attempt,
            first=row.first,
            inputs={name: str(value) for name, value in row.inputs.items()},
            app=row.app,
            spec=self.specs.of(row),
        )


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
