"""The pictures and files of runs."""

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment, ShortIdPk


class Artifact(Base):
    """A picture or file of a run or task run; its bytes lie in the artifacts folder by its id.

    Only what a person added has a ``name``; it has no run before its message is sent.
    """

    __tablename__ = "artifacts"

    id: Mapped[ShortIdPk]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="CASCADE"), index=True
    )
    task_run_id: Mapped[str | None] = mapped_column(
        ForeignKey("task_runs.id", ondelete="CASCADE"), index=True
    )
    mime: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(255), default="")
    size: Mapped[int]
    created: Mapped[Moment]
