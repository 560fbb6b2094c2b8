"""What the memory earned, by the hour."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base


class EarnedHour(Base):
    """How runs that were told of memories ended within an hour, what they saved, and replays.

    An hour begins at its full UTC hour, so that every reader's days can be summed from hours;
    where a zone lies half an hour beside them, that half counts to the day before.
    """

    __tablename__ = "earned_hours"

    hour: Mapped[datetime] = mapped_column(primary_key=True)
    succeeded: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    replays: Mapped[int] = mapped_column(default=0)
    steps_saved: Mapped[int] = mapped_column(default=0)
    tokens_saved: Mapped[int] = mapped_column(default=0)
