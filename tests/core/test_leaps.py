"""A clock that is set, by hand or by the network, neither stops nor deletes anything."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from core import leaps
from core.clock import utc_now
from core.devices import lease
from core.devices.lease import Claim
from core.errors import DeviceBusy
from core.leaps import Leaps
from core.models import AuthSession, Lease
from core.people import sessions, users
from core.setup import Instance

HOUR, YEARS = timedelta(hours=1), timedelta(days=3650)


def test_a_clock_that_is_set_leaps_and_a_machine_that_sleeps_does_not() -> None:
    begun = wall = utc_now()
    steady = 100.0
    watch = Leaps(lambda: wall, lambda: steady)

    seen = []
    for by, slept_s in ((HOUR, 3600.0), (HOUR, 0.0), (-2 * HOUR, 0.0), (timedelta(), 0.0)):
        wall, steady = wall + by, steady + slept_s
        seen.append(watch.look())

    assert seen == [None, HOUR, -2 * HOUR, None]
    assert wall == begun


def test_a_start_knows_that_the_clock_went_back_or_on_by_days(instance: Instance) -> None:
    now = utc_now()
    first = leaps.is_odd(instance.db, now)
    leaps.note(instance.db, now)

    odd = [leaps.is_odd(instance.db, now + by) for by in (HOUR, -2 * HOUR, YEARS, -YEARS)]

    assert not first
    assert odd == [False, True, True, True]


def test_a_lease_that_was_given_while_the_clock_was_ahead_keeps_nobody_out(
    instance: Instance,
) -> None:
    run, person = Claim("agent", "r1", "a run"), Claim("human", "u1", "a person")
    with instance.db.write() as session:
        fence = lease.take(session, "HW1", run)
        session.execute(update(Lease).values(until=utc_now() + YEARS))

    lease.check(instance.db, "HW1", "r1", fence)  # its owner, which renews it, writes on
    held = lease.holder_of(instance.db, "HW1")
    with instance.db.write() as session:
        renewed = lease.renew(session, "r1", fence)
        with pytest.raises(DeviceBusy):
            lease.take(session, "HW1", person)
        session.execute(update(Lease).values(until=utc_now() + YEARS))
        taken = lease.take(session, "HW1", person)

    assert held is None
    assert (renewed, taken) == (True, fence + 1)


def test_a_session_that_was_begun_while_the_clock_was_ahead_has_run_out(
    instance: Instance,
) -> None:
    user_id = users.create_user(instance.db, "anna", "correct horse", "admin")
    secret, _ = sessions.begin(instance.db, user_id, "", "")
    before = sessions.find(instance.db, secret)

    with instance.db.write() as session:
        session.execute(update(AuthSession).values(expires=utc_now() + YEARS))

    assert before is not None
    assert sessions.find(instance.db, secret) is None
