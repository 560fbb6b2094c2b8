"""The executions of a task, phone by phone and step by step."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import utc_now
from core.models.base import Base, Moment, ShortIdPk


class TaskGroup(Base):
    """Runs of one task that were started together; it outlives the task, so it refers to none."""

    __tablename__ = "task_groups"
    __table_args__ = (Index("ix_task_groups_of_task", "task_id", "created"),)

    id: Mapped[ShortIdPk]
    task_id: Mapped[str] = mapped_column(String(16))
    revision: Mapped[int]
    name: Mapped[str] = mapped_column(String(100))
    cause: Mapped[str] = mapped_column(String(16), default="person")
    scheduled_for: Mapped[datetime | None]
    who: Mapped[str] = mapped_column(String(64), default="")
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class TaskRun(Base):
    """One execution of a task on one phone; not ``fixed`` it takes any that is free.

    ``number`` is its place in the group, which a run that is retried shares with the new one.
    ``error`` is in wire form, ``path`` the step at which it ended, ``seen`` the screen then.
    """

    __tablename__ = "task_runs"
    __table_args__ = (
        Index("ix_task_runs_waiting", "status", "not_before"),
        Index("ix_task_runs_of_task", "task_id", "created"),
        Index("ix_task_runs_by_status", "status", "created"),
        Index("ix_task_runs_by_phone", "hardware_serial", "created"),
    )

    id: Mapped[ShortIdPk]
    group_id: Mapped[str] = mapped_column(
        ForeignKey("task_groups.id", ondelete="CASCADE"), index=True
    )
    task_id: Mapped[str] = mapped_column(String(16))
    revision: Mapped[int]
    number: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(100))
    app: Mapped[str] = mapped_column(String(200), default="")
    row: Mapped[int | None]
    inputs: Mapped[dict[str, Any]] = mapped_column(default=dict)
    fixed: Mapped[bool] = mapped_column(default=True)
    serial: Mapped[str | None] = mapped_column(String(128))
    hardware_serial: Mapped[str | None] = mapped_column(String(128))
    status: Mapped[str] = mapped_column(String(16), default="queued")
    attempt: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[Moment]
    first: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(String(64), default="")
    alive_until: Mapped[datetime | None]
    stop_asked: Mapped[bool] = mapped_column(default=False)
    at: Mapped[str] = mapped_column(String(200), default="")
    values: Mapped[dict[str, Any]] = mapped_column(default=dict)
    error: Mapped[dict[str, Any] | None]
    path: Mapped[str] = mapped_column(String(200), default="")
    seen: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None] = mapped_column(index=True)


class TaskRunStep(Base):
    """What came of one step, as `StepRecord.wire` gives it; ``number`` counts as they ended."""

    __tablename__ = "task_run_steps"

    run_id: Mapped[str] = mapped_column(
        ForeignKey("task_runs.id", ondelete="CASCADE"), primary_key=True
    )
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    record: Mapped[dict[str, Any]] = mapped_column(default=dict)
    pictures: Mapped[list[Any]] = mapped_column(default=list)
    ended: Mapped[Moment]
