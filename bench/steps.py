"""What a step costs us beside the phone's own calls: finding, acting, proving, taking notes.

The phones are the dumps of `bench.screen`. Each look gives a screen that differs from the one
before, so that nothing is remembered; once with the screens read beforehand, once with reading.
Then the second run of a job against its first.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, cycle
from typing import Any

from bench import _second_run
from bench import screen as dumps
from bench.figure import Figure, median_of
from core.devices.base import Observation
from core.screen import screen
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.checks import parse_steps
from core.steps.finding import find
from core.steps.hands import Touched, Wanted
from core.steps.looking import Pace
from core.steps.ranking import ranked
from core.steps.record import StepRecord
from core.steps.runner import Runner, Setting
from core.steps.schema import Steps

ROUNDS = 3
GOAL_MS = 5.0
TIMES = 3
TOUCHED = 3
AT_ONCE = Pace(0.0, 0.0, 0.0, (0.0,), (0.0,), 0.0, 0.0)

Look = Callable[[], Screen]


class Still:
    """Hands on a page that is drawn by ``look`` and touched without effect."""

    serial = "bench"

    def __init__(self, look: Look) -> None:
        self.look = look

    def begin(self, path: str) -> None:
        """Do nothing: no act of it is judged."""

    def tap(self, wanted: Wanted) -> Touched:
        """Find on a fresh screen, as every act does."""
        now = self.look()
        found = find(now, wanted.selectors)
        return Touched(now, found.element, found.selector, found.count)


def figures() -> Iterator[Figure]:
    """Measure processor time a step, over all pages and on the largest."""
    pages = [
        (dump.seen, steps) for dump in dumps.pages() if (steps := _steps(screen.read(dump.seen)))
    ]
    largest = max(pages, key=lambda page: len(page[0].xml))
    yield Figure("steps.pages", len(pages), "dumps")
    for name, look in (("own", _kept), ("with_reading", _read)):
        mean = median_of(ROUNDS, lambda look=look: _a_step(pages, look))  # type: ignore[misc]
        yield Figure(f"steps.{name}", mean, "ms", GOAL_MS, 1.0)
    yield Figure("steps.largest", median_of(ROUNDS, lambda: _a_step([largest], _kept)), "ms")
    yield from _second_run.figures()


def _steps(page: Screen) -> Steps | None:
    """Touch, check and read what is on a page, by id, words and path; None where little is."""
    pressed = [_keys(page, each) for each in page.elements if each.clickable]
    named = [keys for keys in pressed if keys][:TOUCHED]
    texts = (each.node.get("text") for each in page.elements if each.node and each.kind == "text")
    title = next((text for text in texts if text.strip() and '"' not in text), "")
    if not named or not title or len(title) > 100:
        return None
    rows: list[dict[str, Any]] = [{"type": "click", "selector": keys} for keys in named]
    rows += [
        {"type": "wait_for", "selector": {"textContains": title[:2]}},
        {"type": "assert", "selector": {"xpath": f'//*[@text="{title}"]'}},
        {"type": "extract", "selector": {"text": title}, "into": "title"},
    ]
    return parse_steps([{"type": "repeat", "times": TIMES, "steps": rows}])


def _keys(page: Screen, element: Element) -> dict[str, Any]:
    named = ranked(page, element)
    return named[0].given if named else {}


def _kept(seen: Observation) -> Look:
    turns = cycle([screen.read(_at(seen, tick)) for tick in (1, 2)])
    return lambda: next(turns)


def _read(seen: Observation) -> Look:
    ticks = count()
    return lambda: screen.read(_at(seen, next(ticks)))


def _at(seen: Observation, tick: int) -> Observation:
    """Give a page as it is after so many ticks: a text more, in a corner."""
    end = f'<node text="{tick}" class="android.view.View" package="clock" bounds="[0,0][9,9]" />'
    return replace(seen, xml=seen.xml.replace("</hierarchy>", f"{end}</hierarchy>"))


def _a_step(pages: list[tuple[Observation, Steps]], look: Callable[[Observation], Look]) -> float:
    spent, done = 0.0, 0
    for seen, steps in pages:
        hands: Any = Still(look(seen))
        setting = Setting(threading.Event(), lambda name: (name, ()), pace=AT_ONCE)
        begun = time.thread_time()
        told = [e for e in Runner(hands, setting).run(steps) if isinstance(e, StepRecord)]
        spent += time.thread_time() - begun
        done += sum(each.status == "ok" for each in told)
    return spent * 1000 / done
