"""Notice that the wall clock leapt: set right after a start, or by hand.

Held against a clock that only runs forward and goes on while the machine sleeps, so that a laptop
which wakes has seen no leap; at a start, against the time that was noted last. A machine without a
battery for its clock starts years early or late, and is set right later.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from core.clock import iso, utc_now
from core.db import Database
from core.models import AppMeta

LEAST = timedelta(seconds=5)
NOTED, DOUBTED = "clock_seen", "clock_doubted_until"
DOUBT = timedelta(days=1)  # for so long a clock that leapt far is not believed
BACK, ON = timedelta(hours=1), timedelta(days=3)  # further is odd between two notes


def steady_s() -> float:
    """Return seconds that nobody can set."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Leaps:
    """Compares the two clocks at each look."""

    def __init__(
        self, wall: Callable[[], datetime] = utc_now, steady: Callable[[], float] = steady_s
    ) -> None:
        self._wall = wall
        self._steady = steady
        self._apart = self._now_apart()

    def look(self) -> timedelta | None:
        """Say how far it leapt since the last look, forward or back; None when it did not."""
        apart = self._now_apart()
        by, self._apart = apart - self._apart, apart
        return by if abs(by) >= LEAST else None

    def _now_apart(self) -> datetime:
        return self._wall() - timedelta(seconds=self._steady())


def note(db: Database, now: datetime) -> None:
    """Keep what time it is."""
    with db.write() as session:
        session.merge(AppMeta(key=NOTED, value=iso(now)))


def is_odd(db: Database, now: datetime) -> bool:
    """Say whether the clock went back since the last note, or on by days."""
    with db.read() as session:
        row = session.get(AppMeta, NOTED)
    return row is not None and not -BACK <= now - datetime.fromisoformat(row.value) <= ON


def doubt(db: Database, until: datetime) -> None:
    """Keep until when the clock is not believed, by that very clock; a restart does not end it."""
    with db.write() as session:
        session.merge(AppMeta(key=DOUBTED, value=iso(until)))


def doubt_left(db: Database, now: datetime) -> timedelta:
    """Say for how long the clock is still not believed; nothing when it is."""
    with db.read() as session:
        row = session.get(AppMeta, DOUBTED)
    left = datetime.fromisoformat(row.value) - now if row is not None else timedelta()
    return max(timedelta(), min(left, DOUBT))
