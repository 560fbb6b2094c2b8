"""What the memory earned over time: kept by the hour, given by the days of a reader's zone."""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.models import EarnedHour

DAYS = 30


@dataclass(frozen=True, slots=True)
class Earned:
    """Runs that were told of something and how they ended, what they saved, and replays."""

    succeeded: int = 0
    failed: int = 0
    replays: int = 0
    steps_saved: int = 0
    tokens_saved: int = 0

    def __add__(self, other: "Earned") -> "Earned":
        mine, theirs = asdict(self), asdict(other)
        return Earned(**{name: mine[name] + theirs[name] for name in mine})


def note(session: Session, earned: Earned, now: datetime | None = None) -> None:
    """Count something into the present hour; a write that goes on is alone with it."""
    hour = (now or utc_now()).replace(minute=0, second=0, microsecond=0)
    row = session.get(EarnedHour, hour)
    if row is None:
        session.add(EarnedHour(hour=hour, **asdict(earned)))
        return
    for name, value in asdict(_of(row) + earned).items():
        setattr(row, name, value)


def days(db: Database, zone: ZoneInfo, now: datetime, most: int = DAYS) -> list[dict[str, Any]]:
    """Give the last days by the calendar of a zone, today last, also those without anything.

    Returns:
        ``{day, succeeded, failed, replays, steps_saved, tokens_saved}`` each; ``day`` is a date.
    """
    today = now.astimezone(zone).date()
    shown = [today - timedelta(days=back) for back in reversed(range(most))]
    sums: dict[date, Earned] = dict.fromkeys(shown, Earned())
    begin = datetime.combine(shown[0], time(), zone).astimezone(UTC)
    with db.read() as session:
        for row in session.scalars(select(EarnedHour).where(EarnedHour.hour >= begin)):
            day = row.hour.astimezone(zone).date()
            sums[day] = sums.get(day, Earned()) + _of(row)
    return [{"day": day.isoformat(), **asdict(sums[day])} for day in shown]


def _of(row: EarnedHour) -> Earned:
    return Earned(row.succeeded, row.failed, row.replays, row.steps_saved, row.tokens_saved)
