"""Task runs as they are kept: listed, shown, and laid out as a matrix."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from core.clock import iso
from core.db import Database
from core.errors import NotFound, from_wire
from core.models import Device, Task, TaskGroup, TaskRun, TaskRunStep
from core.steps.record import read_record
from core.tasks import groups
from core.words import Lang

PAGE = 50
OPEN = ("queued", "running")
STATUSES = ("queued", "running", "success", "partial", "failed", "stopped", "needs_human")


@dataclass(frozen=True, slots=True)
class Wish:
    """Which runs to list; what is empty is not asked for. Times are of the run's making."""

    task_id: str = ""
    group_id: str = ""
    serial: str = ""
    status: tuple[str, ...] = ()
    search: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: str | None = None


def listing(db: Database, wish: Wish, lang: Lang) -> dict[str, Any]:
    """Return one page of runs, newest first, as ``{items, next}``; without their steps."""
    query = _wished(wish)
    with db.read() as session:
        if wish.before:
            mark = row_of(session, wish.before)
            query = query.where(
                (TaskRun.created < mark.created)
                | ((TaskRun.created == mark.created) & (TaskRun.id < mark.id))
            )
        rows = _newest(session, query, wish.status)
        causes = _groups(session, {row.group_id for row in rows})
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    items = [_shown(row, causes[row.group_id], lang) for row in rows[:PAGE]]
    return {"items": items, "next": more}


def _newest(session: Session, query: Select[Any], statuses: Sequence[str]) -> list[TaskRun]:
    """Read a page and one more; each status by itself, since only so they are read in order."""
    query = query.order_by(TaskRun.created.desc(), TaskRun.id.desc()).limit(PAGE + 1)
    if not statuses:
        return list(session.scalars(query))
    found = [
        row for each in statuses for row in session.scalars(query.where(TaskRun.status == each))
    ]
    return sorted(found, key=lambda row: (row.created, row.id), reverse=True)[: PAGE + 1]


def get(db: Database, run_id: str, lang: Lang) -> dict[str, Any]:
    """Return a run with the steps of its last attempt, as the API shows it.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        row = row_of(session, run_id)
        group = session.get_one(TaskGroup, row.group_id)
        steps = session.scalars(
            select(TaskRunStep)
            .where(TaskRunStep.run_id == run_id, TaskRunStep.attempt == row.attempt)
            .order_by(TaskRunStep.number)
        ).all()
    shown = [_step(step, lang) for step in steps]
    return {
        **_shown(row, group, lang),
        "inputs": row.inputs,
        "values": row.values,
        "seen": row.seen,
        "steps": sorted(shown, key=lambda step: int(step["n"])),
    }


def check(db: Database, run_id: str) -> None:
    """Make sure that there is such a run.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        row_of(session, run_id)


def open_runs(db: Database, lang: Lang) -> list[dict[str, Any]]:
    """List what runs or waits now, oldest first, for whoever watches."""
    query = select(TaskRun).where(TaskRun.status.in_(OPEN)).order_by(TaskRun.created)
    with db.read() as session:
        rows = session.scalars(query.limit(groups.RUNS_MOST)).all()
        causes = _groups(session, {row.group_id for row in rows})
    return [_shown(row, causes[row.group_id], lang) for row in rows]


def group_listing(db: Database, task_id: str, before: str | None = None) -> dict[str, Any]:
    """Return one page of a task's groups, newest first, with how many runs stand how."""
    query = select(TaskGroup).where(TaskGroup.task_id == task_id)
    with db.read() as session:
        if before:
            mark = session.get(TaskGroup, before)
            if mark is not None:
                query = query.where(TaskGroup.created < mark.created)
        rows = session.scalars(query.order_by(TaskGroup.created.desc()).limit(PAGE + 1)).all()
        items = _tallied(session, rows[:PAGE])
    return {"items": items, "next": rows[PAGE - 1].id if len(rows) > PAGE else None}


def matrix(db: Database, task_id: str, group_id: str, lang: Lang) -> dict[str, Any]:
    """Lay a group's runs out: a cell a phone and row, the newest run of each; retries counted.

    Raises:
        NotFound: This task has no such group.
    """
    with db.read() as session:
        row = session.get(TaskGroup, group_id)
        if row is None or row.task_id != task_id:
            raise NotFound(kind="group", name=group_id)
        cells = [_shown(run, row, lang) for run in groups.latest(session, group_id)]
        [shown] = _tallied(session, [row])
        tries = dict(
            session.execute(
                select(TaskRun.number, func.count())
                .where(TaskRun.group_id == group_id)
                .group_by(TaskRun.number)
            ).all()
        )
    for cell in cells:
        cell["tries"] = tries[cell["number"]]
    return {**shown, "cells": cells}


def last_of(db: Database, task_ids: list[str], lang: Lang) -> dict[str, dict[str, Any]]:
    """Give the newest group of each task, for their list."""
    newest = (
        select(TaskGroup.id)
        .where(TaskGroup.task_id == Task.id)
        .order_by(TaskGroup.created.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(TaskGroup).where(
        TaskGroup.id.in_(select(newest).select_from(Task).where(Task.id.in_(task_ids)))
    )
    with db.read() as session:
        rows = session.scalars(query).all()
        return {shown["task_id"]: shown for shown in _tallied(session, rows)}


def row_of(session: Session, run_id: str) -> TaskRun:
    """Find a run's row.

    Raises:
        NotFound: There is none of that id.
    """
    row = session.get(TaskRun, run_id)
    if row is None:
        raise NotFound(kind="run", name=run_id)
    return row


def _wished(wish: Wish) -> Select[Any]:
    query = select(TaskRun)
    if wish.task_id:
        query = query.where(TaskRun.task_id == wish.task_id)
    if wish.group_id:
        query = query.where(TaskRun.group_id == wish.group_id)
    if wish.serial:
        named = select(Device.hardware_serial).where(Device.serial == wish.serial)
        query = query.where(
            TaskRun.hardware_serial == func.coalesce(named.scalar_subquery(), wish.serial)
        )
    if wish.search:
        query = query.where(TaskRun.name.contains(wish.search, autoescape=True))
    if wish.since:
        query = query.where(TaskRun.created >= wish.since)
    if wish.until:
        query = query.where(TaskRun.created <= wish.until)
    return query


def _groups(session: Session, ids: set[str]) -> dict[str, TaskGroup]:
    return {row.id: row for row in session.scalars(select(TaskGroup).where(TaskGroup.id.in_(ids)))}


def _tallied(session: Session, rows: Sequence[TaskGroup]) -> list[dict[str, Any]]:
    """Show groups, with how many of their places stand how; a place is its newest run."""
    place = (TaskRun.group_id, TaskRun.number)
    age = func.row_number().over(partition_by=place, order_by=TaskRun.created.desc())
    wanted = TaskRun.group_id.in_([row.id for row in rows])
    newest = (
        select(TaskRun.group_id, TaskRun.status, TaskRun.ended, age.label("age"))
        .where(wanted)
        .subquery()
    )
    found = session.execute(
        select(newest.c.group_id, newest.c.status, func.count(), func.max(newest.c.ended))
        .where(newest.c.age == 1)
        .group_by(newest.c.group_id, newest.c.status)
    ).all()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    ended: dict[str, datetime] = {}
    for group_id, status, count, last in found:
        counts[group_id][status] = count
        if last is not None:
            ended[group_id] = max(last, ended.get(group_id, last))
    return [_group(row, counts[row.id], ended.get(row.id)) for row in rows]


def _group(row: TaskGroup, counts: dict[str, int], ended: datetime | None) -> dict[str, Any]:
    is_open = any(status in OPEN for status in counts)
    return {
        "group_id": row.id,
        "task_id": row.task_id,
        "name": row.name,
        "revision": row.revision,
        "cause": row.cause,
        "who": row.who,
        "scheduled_for": iso(row.scheduled_for) if row.scheduled_for else None,
        "created": iso(row.created),
        "ended": iso(ended) if ended and not is_open else None,
        "counts": counts,
        "runs": sum(counts.values()),
    }


def _shown(row: TaskRun, group: TaskGroup, lang: Lang) -> dict[str, Any]:
    error = from_wire(row.error) if row.error else None
    spent = row.ended - row.started if row.ended and row.started else None
    return {
        "run_id": row.id,
        "task_id": row.task_id,
        "group_id": row.group_id,
        "name": row.name,
        "revision": row.revision,
        "cause": group.cause,
        "who": group.who,
        "number": row.number,
        "row": row.row,
        "serial": row.serial,
        "hardware_serial": row.hardware_serial,
        "status": row.status,
        "attempt": row.attempt,
        "at": row.at,
        "path": row.path,
        "error": error.body(lang) if error else None,
        "created": iso(row.created),
        "not_before": iso(row.not_before),
        "started": iso(row.started) if row.started else None,
        "ended": iso(row.ended) if row.ended else None,
        "ms": round(spent.total_seconds() * 1000) if spent is not None else None,
    }


def _step(row: TaskRunStep, lang: Lang) -> dict[str, Any]:
    shown = read_record(row.record).shown(lang)
    return {
        **shown,
        "ended": iso(row.ended),
        **({"pictures": row.pictures} if row.pictures else {}),
    }
