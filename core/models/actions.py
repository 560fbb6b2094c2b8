"""A remembered group of steps, and the names it goes by."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import utc_now
from core.models.base import Base, Moment, ShortIdPk


class Action(Base):
    """A named, replayable list of steps; `core.memory.actions` checks it on every save.

    ``proved`` says that these very steps have led where they should, ``stale`` why they are only a
    hint any more; ``run_id`` is the run that they were learned from.
    """

    __tablename__ = "actions"
    __table_args__ = (Index("ix_actions_most_used", "uses", "updated"),)

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(100))
    aliases: Mapped[list[Any]] = mapped_column(default=list)
    app: Mapped[str] = mapped_column(String(200), default="", index=True)
    steps: Mapped[list[Any]] = mapped_column(default=list)
    uses: Mapped[int] = mapped_column(default=0)
    used: Mapped[datetime | None]
    run_id: Mapped[str] = mapped_column(String(16), default="", index=True)
    app_version: Mapped[str] = mapped_column(String(100), default="")
    proved: Mapped[bool] = mapped_column(default=False)
    stale: Mapped[str] = mapped_column(String(200), default="")
    successes: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class ActionName(Base):
    """A name or alias of an action without case and spaces; no two actions share one."""

    __tablename__ = "action_names"

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    action_id: Mapped[str] = mapped_column(ForeignKey("actions.id", ondelete="CASCADE"), index=True)
