"""Let go of what task runs left behind, a start of a task at a time, oldest first."""

from datetime import datetime

from sqlalchemy import Select, delete, func, select

from core import artifacts
from core.models import Artifact, TaskDue, TaskGroup, TaskRun
from core.setup import Instance
from core.tasks.runs import OPEN

BATCH = 50


def forget_before(instance: Instance, before: datetime) -> tuple[int, int]:
    """Forget starts that are older, with their runs, steps and pictures.

    Returns:
        How many starts, and how many files.
    """
    with instance.db.write() as session:
        session.execute(delete(TaskDue).where(TaskDue.scheduled_for < before))
    return _forget_all(instance, _ended().where(TaskGroup.created < before))


def forget_oldest(instance: Instance, excess: float) -> tuple[int, int]:
    """Forget the oldest starts whose pictures take so many bytes together; gives as above."""
    sizes = (
        select(TaskGroup.id, func.sum(Artifact.size))
        .join(TaskRun, TaskRun.group_id == TaskGroup.id)
        .join(Artifact, Artifact.task_run_id == TaskRun.id)
        .where(TaskGroup.id.in_(_ended()))
        .group_by(TaskGroup.id)
        .order_by(TaskGroup.created)
    )
    chosen: list[str] = []
    with instance.db.read() as session:
        for group_id, size in session.execute(sizes):
            if excess <= 0:
                break
            chosen.append(group_id)
            excess -= size
    return _forget_all(instance, _ended().where(TaskGroup.id.in_(chosen)))


def _forget_all(instance: Instance, query: Select[str]) -> tuple[int, int]:
    groups = files = 0
    while True:
        with instance.db.write() as session:
            ids = list(session.scalars(query.limit(BATCH)))
            runs = select(TaskRun.id).where(TaskRun.group_id.in_(ids))
            gone = list(session.scalars(select(Artifact.id).where(Artifact.task_run_id.in_(runs))))
            session.execute(delete(Artifact).where(Artifact.id.in_(gone)))
            session.execute(delete(TaskGroup).where(TaskGroup.id.in_(ids)))
        artifacts.remove_files(instance, gone)
        groups, files = groups + len(ids), files + len(gone)
        if len(ids) < BATCH:
            return groups, files


def _ended() -> Select[str]:
    open_runs = select(TaskRun.id).where(TaskRun.group_id == TaskGroup.id, TaskRun.status.in_(OPEN))
    return select(TaskGroup.id).where(~open_runs.exists()).order_by(TaskGroup.created)
