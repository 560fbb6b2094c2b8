"""A thread of messages between a person and an agent."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from core.clock import utc_now
from core.models.base import Base, ConvId, Moment, ShortIdPk
from core.models.people import User


class Conversation(Base):
    """A thread of messages between a person and an agent; without owner it is everybody's."""

    __tablename__ = "conversations"

    id: Mapped[ShortIdPk]
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    owner: Mapped[User | None] = relationship(lazy="joined")
    title: Mapped[str] = mapped_column(String(200), default="")
    serial: Mapped[str | None] = mapped_column(String(128))
    continuation: Mapped[str | None] = mapped_column(Text)
    tokens: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class ConversationMessage(Base):
    """One message; ``extra`` holds what is shown with it and never sent back to a model.

    ``replaced_by`` names the run whose prompt an edit put in its place.
    """

    __tablename__ = "conversation_messages"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    conv_id: Mapped[ConvId]
    run_id: Mapped[str | None] = mapped_column(String(16))
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    replaced_by: Mapped[str | None] = mapped_column(String(16))
    extra: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]
