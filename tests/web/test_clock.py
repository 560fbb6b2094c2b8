"""What the console does by the clock."""

from datetime import UTC, timedelta

import pytest
from sqlalchemy import update

from core import leaps
from core.clock import utc_now
from core.errors import DiskFull
from core.leaps import Leaps
from core.models import Run
from core.runs import store
from tests.full_disk import room_for_none
from tests.web.conftest import Browser
from tests.web.test_agent_api import run_to_its_end
from web.clock import Clock
from web.console import Console
from web.triggers import Every

YEARS = timedelta(days=3650)


def test_old_runs_are_emptied_as_the_settings_say_and_their_readers_still_see_an_end(
    operator: Browser, admin: Browser, console: Console
) -> None:
    run_id, _ = run_to_its_end(operator)
    with console.instance.db.write() as session:
        session.execute(update(Run).values(ended=utc_now() - timedelta(days=8)))
    before = len(store.events(console.instance.db, run_id, 0))

    console.clock.sweep()
    kept = len(store.events(console.instance.db, run_id, 0))
    admin.put("/api/agent/config", json={"agent_retention_days": 7})
    console.clock.sweep()

    assert before == kept > 1
    assert [entry.name for entry in store.events(console.instance.db, run_id, 0)] == ["error"]
    assert console.clock.due()["retention"] < utc_now() + timedelta(minutes=5)


def test_a_clock_that_is_set_back_stops_no_job(console: Console) -> None:
    wall = utc_now() + YEARS
    watch = Leaps(lambda: wall)
    clock = Clock(console.instance, console.phones, lambda: None, watch)
    clock.start()
    scheduler = clock._scheduler
    for job in scheduler.get_jobs():  # as they are planned by a clock that is years ahead
        scheduler.modify_job(job.id, next_run_time=wall)

    wall = utc_now()
    clock.look_at_clock()

    due, soon = clock.due(), utc_now() + timedelta(days=1, hours=1)
    clock.stop()
    assert {"tasks", "retention", "audit", "audit-made-up"} == set(due)
    assert all(at < soon for at in due.values()), due


def test_nothing_goes_for_its_age_by_a_clock_that_has_just_leapt(
    operator: Browser, console: Console, caplog: pytest.LogCaptureFixture
) -> None:
    run_id, _ = run_to_its_end(operator)
    with console.instance.db.write() as session:
        session.execute(update(Run).values(ended=utc_now() - timedelta(days=40)))
    wall = utc_now()
    clock = Clock(console.instance, console.phones, lambda: None, Leaps(lambda: wall))

    wall += YEARS
    clock.look_at_clock()
    clock.sweep()
    kept = len(store.events(console.instance.db, run_id, 0))
    console.clock.sweep()  # which has seen no leap

    assert kept > len(store.events(console.instance.db, run_id, 0)) == 1
    assert "nothing goes for its age for 1 day" in caplog.text


def test_a_restart_does_not_make_a_doubted_clock_believed(
    operator: Browser, console: Console
) -> None:
    run_id, _ = run_to_its_end(operator)
    leaps.note(console.instance.db, utc_now() - YEARS)
    with console.instance.db.write() as session:
        session.execute(update(Run).values(ended=utc_now() - YEARS))
    before = len(store.events(console.instance.db, run_id, 0))

    for _ in range(2):  # the first one's sweep notes the time that may be wrong
        clock = Clock(console.instance, console.phones, lambda: None)
        clock.start()
        clock.sweep()
        clock.stop()

    assert len(store.events(console.instance.db, run_id, 0)) == before > 1


def test_what_could_not_be_stored_after_a_leap_is_stored_at_a_later_look(
    console: Console,
) -> None:
    wall = utc_now()
    clock = Clock(console.instance, console.phones, lambda: None, Leaps(lambda: wall))

    wall += YEARS
    with room_for_none(console.instance.db), pytest.raises(DiskFull):
        clock.look_at_clock()
    before = leaps.doubt_left(console.instance.db, utc_now())
    clock.look_at_clock()

    assert not before
    assert leaps.doubt_left(console.instance.db, utc_now()) > timedelta(hours=23)


def test_a_leap_by_years_does_not_go_through_all_their_seconds() -> None:
    now = utc_now()
    tick = Every(seconds=1, start_date=now, timezone=UTC)

    usual = tick.get_next_fire_time(now, now)
    late = tick.get_next_fire_time(now, now + YEARS)

    assert usual == now + timedelta(seconds=1)
    assert late == now + YEARS
