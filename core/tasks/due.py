"""Start what is due: each due time once, also when nobody was there to see it pass.

Taking a due time, putting its runs in line and naming the next one are one transaction, so a
crash neither loses a run nor starts one twice.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core import schedule
from core.db import Database
from core.errors import ConsoleError, Invalid
from core.models import Task, TaskDue, TaskGroup, TaskRun
from core.tasks import groups, store
from core.tasks.groups import Place, Plan, Start
from core.tasks.schema import TaskSpec

logger = logging.getLogger(__name__)

#: A due time that is older was missed: the console was not there.
GRACE = timedelta(seconds=60)
AT_ONCE = 100
WAITS_MOST = timedelta(hours=2)  # more than any task waits before its next attempt
CAUSE = "schedule"


def take(db: Database, now: datetime) -> list[str]:
    """Put the runs of what is due in line; gives their groups."""
    due = select(Task).where(Task.next_at <= now, Task.paused.is_(False)).order_by(Task.next_at)
    with db.read() as session:
        rows = session.scalars(due.limit(AT_ONCE)).all()
    started: list[str] = []
    for row in rows:
        try:
            started += _take_one(db, row.id, store.as_spec(row.body), now)
        except Invalid as error:
            _set_aside(db, row.id, error)
    return started


def bring_forward(db: Database, now: datetime) -> int:
    """Have what a clock that was ahead has put off be due at its time; says how much that is."""
    later = select(Task).where(Task.next_at > now, Task.paused.is_(False))
    queued = (TaskRun.status == "queued") & (TaskRun.not_before > now + WAITS_MOST)
    with db.write() as session:
        rows = session.scalars(select(TaskRun).where(queued)).all()
        for run in rows:
            run.not_before = now
        count = len(rows)
        for row in session.scalars(later):
            row.anchor = min(row.anchor, now)
            count += _is_brought_forward(row, now)
    return count


def _is_brought_forward(row: Task, now: datetime) -> bool:
    try:
        plan = store.as_spec(row.body).schedule
    except Invalid:  # the look at what is due sets it aside
        return False
    soonest = schedule.following(plan, now, row.anchor) if plan is not None else None
    if soonest is None or row.next_at is None or soonest >= row.next_at:
        return False
    row.next_at = soonest
    return True


def _set_aside(db: Database, task_id: str, error: Invalid) -> None:
    """Pause a task that cannot be read, so that it keeps no other from its time."""
    logger.error("task %s is paused, since it cannot be read: %s", task_id, error)
    with db.write() as session:
        session.execute(update(Task).where(Task.id == task_id).values(paused=True))


def _take_one(db: Database, task_id: str, spec: TaskSpec, now: datetime) -> list[str]:
    plan, error = _planned(db, spec)
    with db.write() as session:
        row = session.get(Task, task_id)
        if row is None or row.paused or row.next_at is None or row.next_at > now:
            return []  # somebody saved, paused or took it meanwhile
        if spec.schedule is None or row.body != spec.body:
            return []  # the next look reads it as it is now
        passed = schedule.passed(spec.schedule, row.next_at, now, row.anchor)
        row.next_at = schedule.following(spec.schedule, now, row.anchor)
        wanted = _wanted(passed, spec, now)
        started = [_start(session, row, moment, plan, error) for moment in wanted]
    missed = len(passed) - len(wanted)
    if missed:
        logger.info("task %s: %s due times passed without a run", task_id, missed)
    return [each for each in started if each]


def _planned(db: Database, spec: TaskSpec) -> tuple[Plan, ConsoleError | None]:
    """Work out the runs; when there can be none, one that says why takes their place."""
    try:
        return groups.plan_of(db, spec, Start()), None
    except ConsoleError as error:
        return Plan("", 0, (Place(None, None, None, {}),)), error


def _wanted(passed: list[datetime], spec: TaskSpec, now: datetime) -> list[datetime]:
    """Choose among due times by what the task says of missed ones."""
    match spec.policy.missed:
        case "all":
            return passed
        case "skip":
            return [each for each in passed[-1:] if now - each <= GRACE]
        case _:
            return passed[-1:]


def _start(
    session: Session, row: Task, moment: datetime, plan: Plan, error: ConsoleError | None
) -> str | None:
    """Put one due time's runs in line, unless it was taken, or the last one's still wait."""
    if session.get(TaskDue, (row.series, moment)) is not None:
        return None
    taken = TaskDue(series=row.series, scheduled_for=moment, task_id=row.id)
    session.add(taken)
    if row.body["policy"]["missed"] != "all" and _still_waits(session, row):
        logger.info("task %s: not due again while its last runs wait in line", row.id)
        return None
    started = groups.put(session, row, plan, Start(), CAUSE, moment)
    taken.group_id = started.group_id
    if error is not None:
        for run_id in started.run_ids:
            run = session.get_one(TaskRun, run_id)
            run.status, run.error, run.ended = "failed", error.wire(), run.created
    return started.group_id


def _still_waits(session: Session, row: Task) -> bool:
    waiting = (
        select(TaskRun.id)
        .join(TaskGroup, TaskGroup.id == TaskRun.group_id)
        .where(
            TaskGroup.task_id == row.id,
            TaskGroup.cause == CAUSE,
            TaskRun.status == "queued",
            TaskRun.attempt == 0,
        )
    )
    return session.scalar(waiting.limit(1)) is not None
