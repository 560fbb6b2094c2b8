"""What a run asks a person, and how it was answered."""

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment, RunId, ShortIdPk


class Question(Base):
    """Something that a run asks a person; `core.runs.questions` says how it is closed.

    ``act`` and ``scene`` bind an approval to what it allows; ``used`` says that it was used up.
    """

    __tablename__ = "questions"

    id: Mapped[ShortIdPk]
    run_id: Mapped[RunId]
    kind: Mapped[str] = mapped_column(String(16))
    title: Mapped[str] = mapped_column(String(200), default="")
    text: Mapped[str] = mapped_column(Text)
    options: Mapped[list[Any]] = mapped_column(default=list)
    act: Mapped[str] = mapped_column(Text, default="")
    scene: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str] = mapped_column(String(16), default="open", index=True)
    value: Mapped[str | None] = mapped_column(Text)
    answered_by: Mapped[str] = mapped_column(String(64), default="")
    used: Mapped[bool] = mapped_column(default=False)
    created: Mapped[Moment]
    expires_at: Mapped[datetime]
    closed: Mapped[datetime | None]
