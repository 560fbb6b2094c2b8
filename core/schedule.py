"""Say when something on a schedule is due: cron with an IANA zone, an interval, or once.

The one place that reads cron. A wall time that a zone skips in spring is due right after the gap,
one that it has twice in autumn is due once; docs/decisions/0026 tells the choice.
"""

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError
from pydantic import AwareDatetime, Field, field_validator, model_validator

from core.clock import utc_now
from core.steps.schema import Strict

SHORT = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
FIELDS = 5
FIRST_YEAR, LAST_YEAR = 1970, 9998  # in UTC it may be a day more or less
MISSED_MOST = 24
SHOWN = 3
LOOK_BACK = timedelta(hours=1)


def known_zone(name: str) -> ZoneInfo:
    """Return a zone by its IANA name.

    Raises:
        ValueError: There is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"there is no time zone {name}") from error


class Schedule(Strict):
    """One of: ``cron`` in a ``zone``, ``every_s`` seconds, or once ``at`` a moment."""

    cron: str | None = Field(default=None, max_length=200)
    zone: str = Field(default="UTC", max_length=64)
    every_s: int | None = Field(default=None, ge=1, le=366 * 86_400)
    at: AwareDatetime | None = None

    @field_validator("zone")
    @classmethod
    def _is_known(cls, zone: str) -> str:
        return known_zone(zone).key

    @field_validator("cron")
    @classmethod
    def _reads(cls, cron: str | None) -> str | None:
        if cron is None:
            return None
        expression = SHORT.get(cron.strip().lower(), cron)
        if len(expression.split()) != FIELDS:
            raise ValueError(f"cron has five fields, or is one of {', '.join(SHORT)}")
        try:
            next(CronSim(expression, utc_now()))
        except (CronSimError, StopIteration) as error:
            raise ValueError(f"cron {cron!r} names no time: {error}") from error
        return cron.strip()

    @field_validator("at")
    @classmethod
    def _is_in_reach(cls, at: datetime | None) -> datetime | None:
        if at is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
            raise ValueError(f"at lies between the years {FIRST_YEAR} and {LAST_YEAR}")
        return at

    @model_validator(mode="after")
    def _is_one(self) -> "Schedule":
        if sum(given is not None for given in (self.cron, self.every_s, self.at)) != 1:
            raise ValueError("give one of cron, every_s and at")
        return self


def following(schedule: Schedule, after: datetime, anchor: datetime) -> datetime | None:
    """Say when something is due next, in UTC.

    Args:
        schedule: How often.
        after: The moment after which.
        anchor: When the series began; intervals are counted from there.

    Returns:
        None when nothing comes any more.
    """
    return next(times(schedule, after, anchor), None)


def times(schedule: Schedule, after: datetime, anchor: datetime) -> Iterator[datetime]:
    """Go through all due times after a moment, in UTC."""
    if schedule.at is not None:
        at = schedule.at.astimezone(UTC)
        yield from [at] if at > after else []
    elif schedule.every_s is not None:
        every = timedelta(seconds=schedule.every_s)
        rounds = max(0, (after - anchor) // every) + 1
        while True:
            yield anchor + rounds * every
            rounds += 1
    else:
        cron = schedule.cron or ""
        begun = after.astimezone(ZoneInfo(schedule.zone))
        for due in CronSim(SHORT.get(cron.lower(), cron), begun):
            yield due.astimezone(UTC)


def upcoming(schedule: Schedule, after: datetime, anchor: datetime) -> list[datetime]:
    """Give the next few due times, for a form."""
    return list(islice(times(schedule, after, anchor), SHOWN))


def passed(
    schedule: Schedule, since: datetime, until: datetime, anchor: datetime
) -> list[datetime]:
    """Give the last due times from ``since`` to ``until``, both included, at most `MISSED_MOST`.

    A long absence is not gone through minute by minute: it looks back further and further.
    """
    back = LOOK_BACK
    while True:
        begin = max(since, until - back)
        found = deque[datetime](maxlen=MISSED_MOST)
        for due in times(schedule, begin - timedelta(microseconds=1), anchor):
            if due > until:
                break
            found.append(due)
        if len(found) == MISSED_MOST or begin == since:
            return list(found)
        back *= 4
