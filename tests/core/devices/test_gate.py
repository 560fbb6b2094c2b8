"""One call at a time on a phone, the important ones first."""

import threading
import time

import pytest

from core.devices.gate import LIVE_SHARE, Gate, Need
from core.errors import PhoneFault


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_acts_go_before_looks_and_looks_before_live() -> None:
    gate = Gate()
    order: list[Need] = []

    def enter(need: Need) -> None:
        with gate.hold(need):
            order.append(need)

    with gate.hold(Need.LOOK):
        threads = [
            threading.Thread(target=enter, args=(need,))
            for need in (Need.LIVE, Need.LOOK, Need.ACT)
        ]
        for count, thread in enumerate(threads, 1):
            thread.start()
            wait_for_waiting(gate, count)
    for thread in threads:
        thread.join(5)

    assert order == [Need.ACT, Need.LOOK, Need.LIVE]


def test_the_thread_that_has_the_phone_may_enter_again() -> None:
    gate = Gate()

    with gate.hold(Need.ACT), gate.hold(Need.LOOK):
        entered = True

    assert entered


def test_whoever_waits_too_long_is_told_that_nothing_was_sent() -> None:
    gate = Gate("s1")
    done = threading.Event()

    def keep() -> None:
        with gate.hold(Need.ACT):
            done.wait(5)

    keeper = threading.Thread(target=keep)
    keeper.start()
    while gate._inside is None:
        time.sleep(0.001)
    with pytest.raises(PhoneFault, match="nothing was sent"), gate.hold(Need.ACT, wait_s=0.01):
        pass
    done.set()
    keeper.join(5)

    with gate.hold(Need.ACT, wait_s=0.01):
        pass


def test_the_live_view_rests_in_proportion_to_what_it_took() -> None:
    clock = Clock()
    gate = Gate(clock=clock)

    with gate.hold(Need.LIVE):
        clock.now += 0.3

    used_to_rest = gate._live_after - clock.now
    assert used_to_rest == pytest.approx(0.3 / LIVE_SHARE - 0.3)
    with gate.hold(Need.ACT, wait_s=0):
        pass


def wait_for_waiting(gate: Gate, count: int) -> None:
    end = time.monotonic() + 5
    while len(gate._waiting) < count:
        assert time.monotonic() < end
        time.sleep(0.001)
