"""Scroll until an element shows: to the end, then back to the beginning, within bounds."""

import time
from collections.abc import Sequence

from core.devices.base import Bounds
from core.errors import NotOnPage
from core.screen import selectors as words
from core.screen.screen import Screen
from core.screen.scrolls import BACK, forward, largest, shown
from core.steps.finding import Found, seek
from core.steps.hands import Touched
from core.steps.looking import Looking, take_note
from core.steps.record import Doing, Trace
from core.steps.schema import Selector

SWIPES = 30  # in one direction


class Scrolling:
    """One search on one phone."""

    def __init__(self, looking: Looking, wanted: Sequence[Selector], trace: Trace) -> None:
        self.looking = looking
        self.wanted = wanted
        self.trace = trace
        self.swipes = 0

    def run(self, patience_s: float) -> Doing[Found]:
        """Scroll until it shows.

        Raises:
            NotOnPage: It does not; it says whether both ends were reached.
        """
        until = time.monotonic() + patience_s
        now = self.looking.hands.look()
        found = seek(now, self.wanted)
        area = largest(now)
        if found is None and area is None:
            raise self._not_here(now, "Nothing on this screen scrolls.")
        reached = []
        for direction in _ways(area) if found is None and area is not None else ():
            now, found, ended = yield from self._go(now, direction, area or now.size.bounds, until)
            if found is not None:
                break
            reached.append(ended)
        if found is None:
            whole = "Looked through it from end to end." if all(reached) else "Time was over."
            raise self._not_here(now, whole)
        take_note(self.trace, Touched(now, found.element, found.selector, found.count), self.wanted)
        return found

    def _go(
        self, now: Screen, direction: str, area: Bounds, until: float
    ) -> Doing[tuple[Screen, Found | None, bool]]:
        """Scroll one way; the last value says whether the end was met."""
        for _ in range(SWIPES):
            if time.monotonic() > until:
                return now, None, False
            before, now = now, (yield from self._swipe(now, direction, area))
            found = seek(now, self.wanted)
            if found is not None:
                return now, found, False
            if shown(now.elements, area) == shown(before.elements, area):
                return now, None, True
        return now, None, False

    def _swipe(self, before: Screen, direction: str, area: Bounds) -> Doing[Screen]:
        yield from self.looking.pause(0, self.trace)
        self.looking.hands.scroll(direction, area)
        self.swipes += 1
        now = self.looking.hands.look()
        if shown(now.elements, area) != shown(before.elements, area):
            return now
        yield from self.looking.pause(self.looking.pace.load_s, self.trace)
        return self.looking.hands.look()

    def _not_here(self, now: Screen, detail: str) -> NotOnPage:
        self.trace.seen = now
        first = self.wanted[0]
        nearest = words.nearest(now, first.words)
        return NotOnPage(wanted=first.said, swipes=self.swipes, detail=detail, nearest=nearest)


def _ways(area: Bounds) -> tuple[str, str]:
    return forward(area), BACK[forward(area)]
