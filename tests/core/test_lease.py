"""At most one holder a device, and a fence that only grows."""

import pytest

from core.devices import lease
from core.devices.lease import Claim
from core.errors import DeviceBusy, LeaseLost
from core.setup import Instance

RUN = Claim("agent", "run1", "AI · 打开设置")
PERSON = Claim("human", "human:u1", "wang")


def take(instance: Instance, claim: Claim, ttl_s: float = 30) -> int:
    with instance.db.write() as session:
        return lease.take(session, "HW1", claim, ttl_s)


def test_a_held_device_refuses_others_and_names_the_holder(instance: Instance) -> None:
    take(instance, RUN)

    with pytest.raises(DeviceBusy, match="AI · 打开设置"):
        take(instance, PERSON)


def test_a_lapsed_owner_is_refused_though_it_never_learned_of_it(instance: Instance) -> None:
    stale = take(instance, RUN, ttl_s=-1)
    fresh = take(instance, PERSON)

    with pytest.raises(LeaseLost):
        lease.check(instance.db, "HW1", RUN.owner, stale)
    lease.check(instance.db, "HW1", PERSON.owner, fresh)
    assert fresh == stale + 1


def test_renewing_prolongs_only_what_is_still_held(instance: Instance) -> None:
    fence = take(instance, RUN)

    with instance.db.write() as session:
        held = lease.renew(session, RUN.owner, fence)
        lease.release(session, RUN.owner)
        released = lease.renew(session, RUN.owner, fence)

    assert (held, released) == (True, False)


def test_the_same_owner_keeps_its_fence_and_a_release_frees_the_device(instance: Instance) -> None:
    first, again = take(instance, PERSON), take(instance, PERSON)

    with instance.db.write() as session:
        lease.release(session, PERSON.owner, "HW1")

    assert first == again
    assert lease.holder_of(instance.db, "HW1") is None
    assert take(instance, RUN) == first + 1
