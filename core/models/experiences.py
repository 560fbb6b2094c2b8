"""A remembered recipe, the index that finds it, and what was thought of it."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import utc_now
from core.ids import short_id
from core.models.base import Base, Moment


class Experience(Base):
    """How a kind of job goes, in words; ``pairs`` counts the pairs of signs of its ``task``.

    The number is what the index points to; outsiders see the ``id``. ``steps`` and ``tokens`` are
    those of the run that taught it, against which the savings of later runs are counted. The
    ``screens`` are those on which it acted, `core.memory.screens`. ``edition`` is that of the rules
    under which it was kept, ``by_hand`` says that a person put it into other words.
    """

    __tablename__ = "experiences"
    __table_args__ = (Index("ix_experiences_earned", "app", "hits", "steps_saved", "tokens_saved"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(16), default=short_id, unique=True)
    task: Mapped[str] = mapped_column(Text)
    recipe: Mapped[str] = mapped_column(Text)
    app: Mapped[str] = mapped_column(String(200), default="")
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    run_id: Mapped[str] = mapped_column(String(16), default="")
    pairs: Mapped[int]
    package: Mapped[str] = mapped_column(String(200), default="")
    app_version: Mapped[str] = mapped_column(String(100), default="")
    proved: Mapped[bool] = mapped_column(default=False)
    stale: Mapped[str] = mapped_column(String(200), default="")
    steps: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(default=0)
    hits: Mapped[int] = mapped_column(default=0)
    successes: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    steps_saved: Mapped[int] = mapped_column(default=0)
    tokens_saved: Mapped[int] = mapped_column(default=0)
    audited: Mapped[datetime | None] = mapped_column(index=True)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    screens: Mapped[list[Any]] = mapped_column(default=list, deferred=True)
    edition: Mapped[int] = mapped_column(default=0)
    by_hand: Mapped[bool] = mapped_column(default=False)


class ExperienceGram(Base):
    """A pair of signs and an experience whose task has it; `core.memory.index` keeps it.

    There is no foreign key: its index would be half the cost of keeping an experience.
    """

    __tablename__ = "experience_grams"
    __table_args__ = ({"sqlite_with_rowid": False},)

    gram: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)


class GramCount(Base):
    """How many experiences have a pair of signs; under 0 stands how many there are at all."""

    __tablename__ = "gram_counts"

    gram: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    rows: Mapped[int]


class ExperienceAudit(Base):
    """What was thought of an experience, and what a person said to it.

    ``action`` is ``keep`` or ``pending``, and once a person decided ``kept`` or ``deleted``; or
    ``anew`` where it was only put into other words. The row outlives the experience, whose label or
    package is ``app``. ``mark`` tells what exactly was judged, ``by`` who judged.
    """

    __tablename__ = "experience_audit"
    __table_args__ = (Index("ix_experience_audit_queue", "action", "score", "number"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(16), default=short_id, unique=True)
    experience_id: Mapped[str] = mapped_column(String(16), index=True)
    task: Mapped[str] = mapped_column(Text)
    app: Mapped[str] = mapped_column(String(200), default="")
    action: Mapped[str] = mapped_column(String(16))
    score: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    evidence: Mapped[list[Any]] = mapped_column(default=list)
    mark: Mapped[str] = mapped_column(String(32))
    by: Mapped[str] = mapped_column(String(100))
    created: Mapped[Moment]
    decided: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(String(100), default="")
