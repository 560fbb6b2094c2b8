"""One call at a time on a phone: acts before looks before the live view.

The live view may take at most 30 % of the phone's time, so it pauses after each frame in
proportion to what the frame took.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from core.errors import PhoneFault

LIVE_SHARE = 0.3
WAIT_S = 15.0


class Need(IntEnum):
    """What a call is for; the lower goes first."""

    ACT = 0
    LOOK = 1
    LIVE = 2


class Gate:
    """Lets one thread at a phone; the thread that is in may enter again."""

    def __init__(self, serial: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self.serial = serial
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: list[tuple[Need, int]] = []
        self._tickets = 0
        self._inside: int | None = None
        self._live_after = 0.0

    @contextmanager
    def hold(self, need: Need, wait_s: float = WAIT_S) -> Iterator[None]:
        """Wait for the phone and keep it.

        Raises:
            PhoneFault: Others kept it for ``wait_s``; nothing was sent.
        """
        me = threading.get_ident()
        if self._inside == me:
            yield
            return
        self._enter(need, me, wait_s)
        began = self._clock()
        try:
            yield
        finally:
            self._leave(need, began)

    def _enter(self, need: Need, me: int, wait_s: float) -> None:
        deadline = self._clock() + wait_s
        with self._changed:
            self._tickets += 1
            ticket = (need, self._tickets)
            self._waiting.append(ticket)
            try:
                while not self._is_next(ticket):
                    left = deadline - self._clock()
                    if left <= 0:
                        detail = f"others kept it busy for {wait_s:g} s; nothing was sent."
                        raise PhoneFault(serial=self.serial, detail=detail)
                    self._changed.wait(min(left, self._pause(need)))
                self._inside = me
            finally:
                self._waiting.remove(ticket)

    def _is_next(self, ticket: tuple[Need, int]) -> bool:
        if self._inside is not None or min(self._waiting) != ticket:
            return False
        return ticket[0] != Need.LIVE or self._clock() >= self._live_after

    def _pause(self, need: Need) -> float:
        """Give how long to sleep before looking again by oneself."""
        rest = self._live_after - self._clock()
        return max(0.001, rest) if need == Need.LIVE and rest > 0 else WAIT_S

    def _leave(self, need: Need, began: float) -> None:
        with self._changed:
            now = self._clock()
            if need == Need.LIVE:
                self._live_after = now + (now - began) * (1 / LIVE_SHARE - 1)
            self._inside = None
            self._changed.notify_all()
