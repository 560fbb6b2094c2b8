"""Proposals to change a step of a task: made while a run went on, decided by a human.

A proposal is worth something once its run went well with it; until somebody accepts it the task
stays as it was, and later runs try the newest one that worked before a model is asked again.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import NotFound, ProposalStale
from core.models import TaskProposal, TaskRun, TaskRunStep
from core.tasks import store
from core.tasks.schema import TaskSpec
from core.tasks.store import Task

WELL = ("success", "partial")
PAGE = 50


@dataclass(frozen=True, slots=True)
class New:
    """What a mender proposes for the step at ``index`` of a task's revision."""

    task_id: str
    revision: int
    run_id: str
    index: int
    before: dict[str, Any]
    after: dict[str, Any]
    why: str = ""
    picture: str = ""


def add(db: Database, new: New) -> str:
    """Keep a proposal, and return its id."""
    fields = {name: getattr(new, name) for name in New.__slots__}
    with db.write() as session:
        row = TaskProposal(**fields)
        session.add(row)
        session.flush()
        return row.id


def worked(db: Database, task_id: str, index: int, before: dict[str, Any]) -> dict[str, Any] | None:
    """Give the newest open proposal for this very step with which a run went well."""
    query = (
        select(TaskProposal)
        .join(TaskRun, TaskRun.id == TaskProposal.run_id)
        .where(
            TaskProposal.task_id == task_id,
            TaskProposal.index == index,
            TaskProposal.status == "open",
            TaskRun.status.in_(WELL),
        )
        .order_by(TaskProposal.created.desc())
    )
    with db.read() as session:
        found = (row for row in session.scalars(query) if row.before == before)
        row = next(found, None)
        return dict(row.after) if row else None


def listing(db: Database, task_id: str) -> dict[str, Any]:
    """List a task's newest proposals, those that wait first.

    Raises:
        NotFound: There is no such task.
    """
    store.get(db, task_id)
    query = select(TaskProposal).where(TaskProposal.task_id == task_id)
    with db.read() as session:
        rows = session.scalars(query.order_by(TaskProposal.created.desc()).limit(PAGE)).all()
        items = [_shown(session, row) for row in rows]
    return {"items": sorted(items, key=lambda each: each["status"] != "open"), "next": None}


def decide(db: Database, task_id: str, proposal_id: str, who: str, *, accept: bool) -> Task:
    """Take a proposal into the task as a new revision, or turn it down.

    Raises:
        NotFound: There is none of that id.
        ProposalStale: It was decided before, or the task's step is another one by now.
    """
    with db.read() as session:
        row = session.get(TaskProposal, proposal_id)
        if row is None or row.task_id != task_id:
            raise NotFound(kind="proposal", name=proposal_id)
        status, index, before, after = row.status, row.index, row.before, row.after
    task = store.get(db, task_id)
    if status != "open":
        raise ProposalStale
    if accept:
        task = store.change(
            db,
            task_id,
            _with(task.spec, index, before, after),
            task.revision,
            who,
            f"heal: {index + 1}",
        )
    with db.write() as session:
        row = session.get_one(TaskProposal, proposal_id)
        row.status = "accepted" if accept else "rejected"
        row.decided, row.decided_by = utc_now(), who
    return task


def _with(spec: TaskSpec, index: int, before: dict[str, Any], after: dict[str, Any]) -> TaskSpec:
    steps = list(spec.steps)
    if index >= len(steps) or steps[index] != before:
        raise ProposalStale
    steps[index] = after
    return spec.model_copy(update={"steps": steps})


def _shown(session: Session, row: TaskProposal) -> dict[str, Any]:
    run = session.get(TaskRun, row.run_id)
    return {
        "proposal_id": row.id,
        "task_id": row.task_id,
        "run_id": row.run_id,
        "revision": row.revision,
        "path": f"steps.{row.index}",
        "before": row.before,
        "after": row.after,
        "why": row.why,
        "proved": run is not None and run.status in WELL,
        "pictures": {"before": row.picture or None, "after": _picture_after(session, row)},
        "status": row.status,
        "created": iso(row.created),
        "decided": iso(row.decided) if row.decided else None,
        "decided_by": row.decided_by,
    }


def _picture_after(session: Session, row: TaskProposal) -> str | None:
    """Find the picture that was taken once the mended step had been done."""
    steps = session.scalars(
        select(TaskRunStep)
        .where(TaskRunStep.run_id == row.run_id)
        .order_by(TaskRunStep.attempt.desc(), TaskRunStep.number.desc())
    )
    path = f"steps.{row.index}"
    for step in steps:
        record = step.record
        if record.get("path") == path and record.get("status") == "ok" and step.pictures:
            return str(step.pictures[-1]["url"])
    return None
