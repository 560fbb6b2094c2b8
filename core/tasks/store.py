"""Keep tasks: every save is a revision, and nobody's save is overwritten unseen."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from core import schedule
from core.clock import iso, utc_now
from core.db import Database
from core.errors import Invalid, NotFound, TaskChanged
from core.ids import short_id
from core.models import Task as Row
from core.models import TaskRevision
from core.steps.checks import misfit
from core.tasks import line
from core.tasks.checks import check
from core.tasks.schema import TaskSpec

logger = logging.getLogger(__name__)

PAGE = 50
REVISIONS_PAGE = 50


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it is now; ``next_at`` is when it is due, None when it is not or is paused."""

    task_id: str
    spec: TaskSpec
    revision: int
    paused: bool
    next_at: datetime | None
    anchor: datetime
    failures: int
    created: datetime
    created_by: str
    updated: datetime
    updated_by: str

    def shown(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        plan = self.spec.schedule
        coming = (
            [self.next_at, *schedule.upcoming(plan, self.next_at, self.anchor)][: schedule.SHOWN]
            if plan and self.next_at
            else []
        )
        return {
            "task_id": self.task_id,
            **self.spec.body,
            "revision": self.revision,
            "paused": self.paused,
            "failures": self.failures,
            "next": [iso(moment) for moment in coming],
            "created": iso(self.created),
            "created_by": self.created_by,
            "updated": iso(self.updated),
            "updated_by": self.updated_by,
        }


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of tasks; ``unreadable`` names by id those that another version wrote."""

    tasks: list[Task]
    unreadable: dict[str, str]
    next: str | None


def create(db: Database, spec: TaskSpec, who: str) -> Task:
    """Save a new task.

    Raises:
        Invalid: It does not fit; ``path`` names the place.
    """
    check(db, spec)
    with db.write() as session:
        row = Row(created_by=who, revision=0)
        session.add(row)
        _save(session, row, spec, who, "")
        return as_task(row)


def change(
    db: Database, task_id: str, spec: TaskSpec, revision: int, who: str, note: str = ""
) -> Task:
    """Save a task anew, on top of the revision that the person saw.

    Raises:
        NotFound: There is none of that id.
        Invalid: It does not fit; ``path`` names the place.
        TaskChanged: Somebody saved it meanwhile; nothing was changed.
    """
    get(db, task_id)
    check(db, spec)
    with db.write() as session:
        row = row_of(session, task_id)
        if row.revision != revision:
            raise TaskChanged(who=row.updated_by, revision=row.revision)
        if row.body != spec.body:
            _save(session, row, spec, who, note)
        return as_task(row)


def get(db: Database, task_id: str) -> Task:
    """Return a task.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return as_task(row_of(session, task_id))


def listing(db: Database, search: str = "", before: str | None = None) -> Listed:
    """Return one page of tasks, last changed first."""
    query = select(Row).order_by(Row.updated.desc(), Row.id.desc())
    with db.read() as session:
        if search:
            query = query.where(Row.name.contains(search, autoescape=True))
        if before:
            mark = row_of(session, before)
            query = query.where(
                (Row.updated < mark.updated) | ((Row.updated == mark.updated) & (Row.id < mark.id))
            )
        rows = session.scalars(query.limit(PAGE + 1)).all()
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    listed = Listed([], {}, more)
    for row in rows[:PAGE]:
        try:
            listed.tasks.append(as_task(row))
        except Invalid as error:
            logger.error("task %s %r cannot be read: %s", row.id, row.name, error)
            listed.unreadable[row.id] = row.name
    return listed


def remove(db: Database, task_id: str) -> list[str]:
    """Forget a task with its revisions, and stop its runs; what came of them stays.

    Returns:
        The runs that are carried now, and are to be told.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        row = row_of(session, task_id)
        running = line.stop_in(session, task_id=task_id)
        session.delete(row)
        return running


def pause(db: Database, task_id: str, paused: bool) -> Task:
    """Stop or begin to follow a task's schedule; it goes on from now, nothing is made up for.

    Raises:
        NotFound: There is none of that id.
        Invalid: It has no schedule.
    """
    with db.write() as session:
        row = row_of(session, task_id)
        if not row.body.get("schedule"):
            raise Invalid(path="schedule", detail="This task has no schedule.")
        if row.paused != paused:
            row.paused, row.failures = paused, 0
            arm(row, as_spec(row.body))
        return as_task(row)


def revisions(db: Database, task_id: str, before: int | None = None) -> dict[str, Any]:
    """List a task's revisions, newest first.

    Raises:
        NotFound: There is no such task.
    """
    with db.read() as session:
        row_of(session, task_id)
        query = select(TaskRevision).where(TaskRevision.task_id == task_id)
        if before:
            query = query.where(TaskRevision.number < before)
        found = session.scalars(
            query.order_by(TaskRevision.number.desc()).limit(REVISIONS_PAGE + 1)
        ).all()
    items = [_revision(each) for each in found[:REVISIONS_PAGE]]
    more = str(items[-1]["revision"]) if len(found) > REVISIONS_PAGE else None
    return {"items": items, "next": more}


def revision(db: Database, task_id: str, number: int) -> dict[str, Any]:
    """Return a task as it was at a revision.

    Raises:
        NotFound: There is no such task or revision.
    """
    with db.read() as session:
        newest = row_of(session, task_id).revision
        row = session.get(TaskRevision, (task_id, number)) if number <= newest else None
        if row is None:
            raise NotFound(kind="revision", name=str(number))
        return {**_revision(row), "task": row.body}


def as_spec(body: dict[str, Any]) -> TaskSpec:
    """Read what was stored.

    Raises:
        Invalid: Another version wrote it, and it fits this one no more.
    """
    try:
        return TaskSpec.model_validate(body)
    except ValidationError as error:
        raise misfit(error, "task") from error


def row_of(session: Session, task_id: str) -> Row:
    """Find a task's row.

    Raises:
        NotFound: There is none of that id.
    """
    row = session.get(Row, task_id)
    if row is None:
        raise NotFound(kind="task", name=task_id)
    return row


def as_task(row: Row) -> Task:
    """Take a row out of its session."""
    return Task(
        task_id=row.id,
        spec=as_spec(row.body),
        revision=row.revision,
        paused=row.paused,
        next_at=row.next_at,
        anchor=row.anchor,
        failures=row.failures,
        created=row.created,
        created_by=row.created_by,
        updated=row.updated,
        updated_by=row.updated_by,
    )


def arm(row: Row, spec: TaskSpec) -> None:
    """Begin a new series of due times from now on."""
    now = utc_now()
    row.series, row.anchor = short_id(), now
    follows = spec.schedule is not None and not row.paused
    row.next_at = schedule.following(spec.schedule, now, now) if follows and spec.schedule else None


def _save(session: Session, row: Row, spec: TaskSpec, who: str, note: str) -> None:
    body = spec.body
    planned = (row.body or {}).get("schedule")
    row.name, row.body, row.revision = spec.name, body, row.revision + 1
    row.updated, row.updated_by = utc_now(), who
    if planned != body["schedule"] or row.revision == 1:
        row.paused, row.failures = False, 0
        arm(row, spec)
    session.flush()
    session.add(TaskRevision(task_id=row.id, number=row.revision, body=body, note=note, who=who))
    session.flush()


def _revision(row: TaskRevision) -> dict[str, Any]:
    return {
        "revision": row.number,
        "who": row.who,
        "note": row.note,
        "created": iso(row.created),
    }
