"""What waits for the runner, and what agents said: the durable messages."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, ConvId, Moment, RunId, ShortIdPk


class MessageIn(Base):
    """Something to be done by the runner, kept until it is finished."""

    __tablename__ = "messages_in"
    __table_args__ = (Index("ix_messages_in_due", "status", "created"),)

    id: Mapped[ShortIdPk]
    conv_id: Mapped[ConvId]
    run_id: Mapped[RunId]
    kind: Mapped[str] = mapped_column(String(16), default="chat")
    status: Mapped[str] = mapped_column(String(16), default="pending")
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    attempt: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    ended: Mapped[datetime | None]


class MessageOut(Base):
    """Something an agent said, in the order in which it is delivered."""

    __tablename__ = "messages_out"
    __table_args__ = (UniqueConstraint("in_reply_to", "attempt", "part"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    conv_id: Mapped[ConvId]
    run_id: Mapped[RunId]
    in_reply_to: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int]
    part: Mapped[int] = mapped_column(default=0)
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]
