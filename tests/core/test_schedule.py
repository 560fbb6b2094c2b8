"""Cron, intervals and single moments, also on the days on which a zone changes its clock."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from pydantic import ValidationError

from core.schedule import MISSED_MOST, Schedule, following, passed, times, upcoming

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def due(schedule: Schedule, after: str, count: int) -> list[str]:
    found = islice(times(schedule, utc(after), EPOCH), count)
    return [each.strftime("%m-%d %H:%M") for each in found]


@pytest.mark.parametrize(
    ("zone", "after", "expected"),
    [
        # the gap: 02:30 is not there on 8 March in New York, and right after it on that day
        ("America/New_York", "2026-03-07T12:00", ["03-08 07:00", "03-09 06:30"]),
        ("Europe/Berlin", "2026-03-28T12:00", ["03-29 01:00", "03-30 00:30"]),
        ("Asia/Shanghai", "2026-03-07T12:00", ["03-07 18:30", "03-08 18:30"]),
    ],
)
def test_a_time_in_the_spring_gap_is_due_right_after_it(
    zone: str, after: str, expected: list[str]
) -> None:
    assert due(Schedule(cron="30 2 * * *", zone=zone), after, 2) == expected


def test_a_time_that_autumn_has_twice_is_due_once() -> None:
    plan = Schedule(cron="30 1 * * *", zone="America/New_York")

    assert due(plan, "2026-10-31T12:00", 2) == ["11-01 05:30", "11-02 06:30"]


def test_every_half_hour_goes_on_through_both_hours_of_autumn() -> None:
    plan = Schedule(cron="*/30 * * * *", zone="America/New_York")

    assert due(plan, "2026-11-01T05:00", 4) == [
        "11-01 05:30",
        "11-01 06:00",
        "11-01 06:30",
        "11-01 07:00",
    ]


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 8 * * 1-5", ["11-30 08:00", "12-01 08:00"]),  # 30 November 2026 is a Monday
        ("0 8 * * 0", ["12-06 08:00", "12-13 08:00"]),
        ("0 8 13 * 5", ["12-04 08:00", "12-11 08:00"]),  # either of both days
        ("@daily", ["11-30 00:00", "12-01 00:00"]),
        ("@weekly", ["12-06 00:00", "12-13 00:00"]),
        ("0 8 L * *", ["11-30 08:00", "12-31 08:00"]),
    ],
)
def test_cron_means_what_it_means_elsewhere(cron: str, expected: list[str]) -> None:
    assert due(Schedule(cron=cron), "2026-11-29T23:00", 2) == expected


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "nonsense",
        "* * * *",
        "* * * * * *",
        "61 * * * *",
        "0 0 30 2 *",
        "0 21-5 * * *",
        "@reboot",
    ],
)
def test_nonsense_is_refused_when_it_is_written(cron: str) -> None:
    with pytest.raises(ValidationError, match="cron"):
        Schedule(cron=cron)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", ""])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(ValidationError, match="time zone"):
        Schedule(cron="@daily", zone=zone)


def test_one_way_of_saying_when_is_enough() -> None:
    with pytest.raises(ValidationError, match="give one of"):
        Schedule(cron="@daily", every_s=60)
    with pytest.raises(ValidationError, match="give one of"):
        Schedule()


def test_an_interval_is_counted_from_its_beginning_however_late_one_looks() -> None:
    plan = Schedule(every_s=3600)

    assert due(plan, "2026-01-01T02:15", 2) == ["01-01 03:00", "01-01 04:00"]
    assert following(plan, EPOCH, EPOCH) == EPOCH + timedelta(hours=1)


def test_a_single_moment_comes_once() -> None:
    plan = Schedule.model_validate({"at": "2026-03-01T08:00:00+08:00"})

    assert due(plan, "2026-02-28T12:00", 3) == ["03-01 00:00"]
    assert following(plan, utc("2026-03-01T00:00"), EPOCH) is None


def test_a_long_absence_gives_the_last_due_times_and_no_more() -> None:
    plan = Schedule(cron="* * * * *")
    since, until = utc("2016-01-01T00:00"), utc("2026-01-01T00:00")

    found = passed(plan, since, until, EPOCH)

    assert len(found) == MISSED_MOST
    assert (found[0], found[-1]) == (until - timedelta(minutes=23), until)


def test_what_passed_includes_both_ends_and_nothing_before() -> None:
    plan = Schedule(cron="0 * * * *")

    found = passed(plan, utc("2026-01-01T03:00"), utc("2026-01-01T05:00"), EPOCH)

    assert [each.hour for each in found] == [3, 4, 5]
    assert len(upcoming(plan, EPOCH, EPOCH)) == 3
