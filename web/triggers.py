"""When the console's jobs come again."""

from datetime import datetime

from apscheduler.triggers.interval import IntervalTrigger


class Every(IntervalTrigger):  # type: ignore[misc]  # APScheduler says no types
    """Comes again and again; what passed meanwhile is not gone through one by one.

    The scheduler asks for each time that has passed: after a leap of the clock by a year the tick's
    alone are thirty million.
    """

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """Give the next time: never one that has passed already."""
        following: datetime | None = super().get_next_fire_time(previous_fire_time, now)
        if following is not None and following < now:
            following = super().get_next_fire_time(None, now)
        return following
