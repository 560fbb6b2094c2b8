"""Look until there is something to act on, and after an act until it shows.

Waiting is done in small pieces, so that a stop is heard at once and whoever drives the runner
may do something else in between.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import (
    ElementGone,
    NotInTime,
    PhoneFault,
    RunOver,
    ScreenUnreadable,
    Untouchable,
)
from core.screen import selectors as words
from core.screen.screen import Screen
from core.steps.finding import Found, seek
from core.steps.hands import Hands, Stop, Touched, Wanted
from core.steps.nags import Nag, spot
from core.steps.ranking import ranked
from core.steps.record import Doing, Trace, Waiting
from core.steps.schema import Selector

NAGS_MOST = 5  # in one step
UNTOLD = ("thin", "off", "locked", "offline")  # what is not listed here may still be shown
#: An act that ends so was not sent.
NOT_YET = (ElementGone, Untouchable)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the runner waits for what, in seconds.

    Args:
        slice_s: A stop is heard at least this often.
        poll_s: Between two looks.
        alone_s: For the first selector alone, since an app shows its parts one by one.
        patient_s: After a touch: an app may think before it shows anything.
        brisk_s: After a finger moved: the screen moved with it, or is at its end.
        load_s: At the end of a list, which may load more.
        retry_s: Before a step is tried again, longer each time.
    """

    slice_s: float = 0.2
    poll_s: float = 0.3
    alone_s: float = 1.0
    patient_s: tuple[float, ...] = (0.15, 0.3, 0.5)
    brisk_s: tuple[float, ...] = (0.15,)
    load_s: float = 0.5
    retry_s: float = 1.0


class Looking:
    """The runner's patience with one phone."""

    def __init__(self, hands: Hands, stop: Stop, nags: Sequence[Nag], pace: Pace) -> None:
        self.hands = hands
        self.stop = stop
        self.nags = nags
        self.pace = pace

    def pause(self, seconds: float, trace: Trace) -> Doing[None]:
        """Wait.

        Raises:
            RunOver: A stop came.
        """
        until = time.monotonic() + seconds
        while True:
            if self.stop.is_set():
                raise RunOver
            yield Waiting(trace.path)
            left = until - time.monotonic()
            if left <= 0:
                return
            self.stop.wait(min(left, self.pace.slice_s))

    def act(
        self,
        press: Callable[[Wanted], T],
        wanted: Sequence[Selector],
        patience_s: float,
        trace: Trace,
    ) -> Doing[T]:
        """Act as soon as what is wanted is there; the act itself looks for it.

        Raises:
            ElementGone: It did not come.
            Untouchable: It came and could not be touched.
        """
        begun = time.monotonic()
        while True:
            if self.stop.is_set():
                raise RunOver
            waited = time.monotonic() - begun
            last = waited >= patience_s
            try:
                return press(Wanted(self._so_far(wanted, waited, last), last))
            except NOT_YET:
                if last:
                    raise
            yield from self.pause(min(self.pace.poll_s, patience_s), trace)
            self.clear(trace)

    def seek(
        self, wanted: Sequence[Selector], patience_s: float, trace: Trace, *, clear: bool = True
    ) -> Doing[Found | None]:
        """Look until something is there; None when it did not come."""
        begun = time.monotonic()
        while True:
            now = trace.seen = self.hands.look()
            waited = time.monotonic() - begun
            last = waited >= patience_s
            found = seek(now, self._so_far(wanted, waited, last))
            if found is not None:
                take_note(trace, Touched(now, found.element, found.selector, found.count), wanted)
                return found
            if last:
                return None
            yield from self.pause(min(self.pace.poll_s, patience_s), trace)
            if clear:
                self.clear(trace)

    def until_gone(
        self, wanted: Sequence[Selector], patience_s: float, trace: Trace
    ) -> Doing[Found | None]:
        """Look until nothing of it is there; gives what still is when the time is over.

        Raises:
            NotInTime: The screen told too little to say that it is gone.
        """
        begun = time.monotonic()
        while True:
            now = trace.seen = self.hands.look()
            found = seek(now, wanted)
            if found is None and now.state not in UNTOLD:
                return None
            if time.monotonic() - begun >= patience_s:
                if found is None:
                    raise not_in_time(now, wanted, patience_s, gone=True)
                return found
            yield from self.pause(min(self.pace.poll_s, patience_s), trace)

    def clear(self, trace: Trace) -> None:
        """Press away what lies over the screen and was not asked for, by the rules."""
        if sum(note.code == "closed" for note in trace.notes) >= NAGS_MOST:
            return
        try:
            now = trace.seen = self.hands.look()
            spotted = spot(now, self.nags)
            named = ranked(now, spotted[1])[:1] if spotted else []
            if spotted is None or not named:
                return
            self.hands.tap(Wanted(tuple(named)))
        except (*NOT_YET, ScreenUnreadable):  # it went by itself; the search goes on either way
            return
        trace.note("closed", what=f"{spotted[0].name} ({spotted[1].label})")

    def _so_far(
        self, wanted: Sequence[Selector], waited: float, last: bool
    ) -> tuple[Selector, ...]:
        """Choose the selectors that count after so much time."""
        return tuple(wanted) if last or waited >= self.pace.alone_s else tuple(wanted[:1])

    def prove(self, before: Screen, trace: Trace, *, brisk: bool = False) -> Doing[None]:
        """Look whether an act changed anything; the act is done, whatever this finds."""
        try:
            for pause_s in self.pace.brisk_s if brisk else self.pace.patient_s:
                yield from self.pause(pause_s, trace)
                if self.hands.look().fingerprint != before.fingerprint:
                    return
        except PhoneFault as error:
            trace.note("unproved", reason=str(error))
            return
        trace.note("unchanged")


def take_note(trace: Trace, touched: Touched, wanted: Sequence[Selector]) -> None:
    """Note where something was found and by which selector."""
    trace.seen, trace.selector = touched.screen, touched.selector
    if touched.count > 1:
        trace.note("several", count=touched.count)
    if touched.selector != wanted[0]:
        trace.note("alternative", selector=touched.selector.said)


def not_in_time(
    now: Screen, wanted: Sequence[Selector], patience_s: float, *, gone: bool
) -> NotInTime:
    """Say that waiting was in vain."""
    said, nearest = wanted[0].said, words.nearest(now, wanted[0].words)
    until = " to be gone" if gone else ""
    return NotInTime(wanted=said, until=until, timeout_s=f"{patience_s:g}", nearest=nearest)
