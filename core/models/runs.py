"""One agent execution: its secret, what it said, did and proved."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import utc_now
from core.models.base import Base, ConvId, Moment, RunId, ShortIdPk


class Run(Base):
    """One agent execution; ``slot`` says whether it holds one of the platform's slots."""

    __tablename__ = "runs"
    # the history by status and by phone, in order and without a sort
    __table_args__ = (
        Index("ix_runs_status_created", "status", "created"),
        Index("ix_runs_serial_created", "serial", "created"),
    )

    id: Mapped[ShortIdPk]
    conv_id: Mapped[ConvId]
    serial: Mapped[str | None] = mapped_column(String(128))
    hardware_serial: Mapped[str | None] = mapped_column(String(128))
    mode: Mapped[str] = mapped_column(String(16), default="chat")
    channel: Mapped[str] = mapped_column(String(32), default="phone")
    provider: Mapped[str] = mapped_column(String(32), default="")
    autonomy: Mapped[str] = mapped_column(String(16), default="confirm_risky")
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    prompt: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(16), default="queued")
    slot: Mapped[bool] = mapped_column(default=False, index=True)
    fence: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(String(64), default="")
    alive_until: Mapped[datetime | None]
    acted: Mapped[bool] = mapped_column(default=False)
    look_first: Mapped[bool] = mapped_column(default=False)
    standing: Mapped[str] = mapped_column(Text, default="")
    step: Mapped[int] = mapped_column(default=0)
    max_steps: Mapped[int] = mapped_column(default=40)
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    ended: Mapped[datetime | None]


class RunToken(Base):
    """A run's bearer secret; it names the conversation and is dead when none runs."""

    __tablename__ = "run_tokens"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    conv_id: Mapped[ConvId]
    created: Mapped[Moment]


class RunEvent(Base):
    """One published event, in its wire form; ids only grow, see `core.runs.log`."""

    __tablename__ = "run_events"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(16))
    data: Mapped[str] = mapped_column(Text)


class RunCheck(Base):
    """A check that a run stated, as canonical JSON, and whether the screen met it."""

    __tablename__ = "run_checks"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    stated: Mapped[str] = mapped_column(String(2048), primary_key=True)
    met: Mapped[bool]
    stale: Mapped[bool] = mapped_column(default=False)
    seen: Mapped[str] = mapped_column(Text)
    created: Mapped[Moment]


class RunAct(Base):
    """An act of a run that went well, as the step that does the same."""

    __tablename__ = "run_acts"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[RunId]
    app: Mapped[str] = mapped_column(String(200), default="")
    step: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]


class RunLesson(Base):
    """What an ended run has still to teach, as `mcp_agent.lessons` writes it."""

    __tablename__ = "run_lessons"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    body: Mapped[dict[str, Any]]
    credited: Mapped[bool] = mapped_column(default=False)
    tries: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
