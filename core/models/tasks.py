"""A task as it is saved, each way it was saved before, and when it is due."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import utc_now
from core.ids import short_id
from core.models.base import Base, Moment, ShortIdPk


class Task(Base):
    """Saved steps with their inputs, targets and schedule; ``body`` is a `TaskSpec`.

    ``series`` is the run of due times that ``next_at`` belongs to, counted from ``anchor``; it is
    a new one whenever the schedule is changed or resumed.
    """

    __tablename__ = "tasks"

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(100))
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    revision: Mapped[int] = mapped_column(default=1)
    paused: Mapped[bool] = mapped_column(default=False)
    series: Mapped[str] = mapped_column(String(16), default=short_id)
    anchor: Mapped[Moment]
    next_at: Mapped[datetime | None] = mapped_column(index=True)
    failures: Mapped[int] = mapped_column(default=0)
    created_by: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]
    updated_by: Mapped[str] = mapped_column(String(64), default="")
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class TaskRevision(Base):
    """A task as it was saved once; none is ever changed."""

    __tablename__ = "task_revisions"

    task_id: Mapped[str] = mapped_column(
        ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    note: Mapped[str] = mapped_column(String(200), default="")
    who: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]


class TaskDue(Base):
    """A due time of a series that was taken, so that it is never taken twice."""

    __tablename__ = "task_dues"

    series: Mapped[str] = mapped_column(String(16), primary_key=True)
    scheduled_for: Mapped[datetime] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    group_id: Mapped[str | None] = mapped_column(String(16))
    created: Mapped[Moment]


class TaskProposal(Base):
    """A step of a task that was mended while it ran; a task only once a human accepts it."""

    __tablename__ = "task_proposals"

    id: Mapped[ShortIdPk]
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    revision: Mapped[int]
    run_id: Mapped[str] = mapped_column(String(16))
    index: Mapped[int] = mapped_column("step_index")
    before: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after: Mapped[dict[str, Any]] = mapped_column(default=dict)
    why: Mapped[str] = mapped_column(Text, default="")
    picture: Mapped[str] = mapped_column(String(200), default="")
    status: Mapped[str] = mapped_column(String(16), default="open")
    created: Mapped[Moment]
    decided: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(String(64), default="")
