"""Let a person carry steps out on a phone, and tell the page each as it ends: JSON, a line each.

The page is heard of by its socket: when it goes, the steps end within a second. The person's hold
is prolonged for as long as steps go on.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, cast

from core.errors import ConsoleError, StreamsFull
from core.steps.lines import Asked, Began, Ended, Shot, StepLine
from core.steps.record import StepRecord
from core.words import Lang
from web.console import Console, console
from web.errors import reader_lang
from web.stream import NO_CACHE, watch_socket

KIND = "application/x-ndjson"
PROLONG_S = 8.0


class Hold:
    """A person's hold of a phone while steps go on; set once nobody looks any more."""

    def __init__(self, here: Console, prolong: Callable[[], int]) -> None:
        self.here = here
        self.gone = watch_socket()
        self.prolong = prolong
        self.fence = prolong()
        self._until = time.monotonic() + PROLONG_S

    def is_set(self) -> bool:
        """Say whether to stop; keeps the phone in the person's hands until then."""
        if time.monotonic() > self._until:
            self._until = time.monotonic() + PROLONG_S
            self.prolong()  # refused when somebody took the phone; the last line says so
        return self.here.stopping.is_set() or self.gone()

    def wait(self, timeout: float) -> bool:
        """Wait a while."""
        return self.here.stopping.wait(timeout) or self.is_set()


class Lines(Iterator[bytes]):
    """What is told of a run of steps; closing it, also before its first line, ends the run.

    A plain iterator and no response: a response's body would be read whole by the API's checks.
    """

    def __init__(self, here: Console, told: Iterator[StepLine], lang: Lang) -> None:
        self.here = here
        self.told = told
        self.lang = lang
        self.waiting = [next(told)]  # what can be refused at once is an answer, not a stream
        self._open = True

    def __next__(self) -> bytes:
        while True:
            try:
                line = self.waiting.pop() if self.waiting else next(self.told)
            except ConsoleError as error:  # the answer has begun, so its last line says it
                line = Ended("failed", {}, error)
            if shown := _shown(line, self.lang):
                return json.dumps(shown, ensure_ascii=False).encode() + b"\n"

    def close(self) -> None:
        """Let go of the steps and of the stream's place."""
        if self._open:
            self._open = False
            cast(Generator[StepLine, None, None], self.told).close()
            self.here.live_places.release()


def steps_stream(
    serial: str, asked: Asked, owner: str, prolong: Callable[[], int]
) -> tuple[Lines, int, dict[str, str]]:
    """Carry steps out for a person and give what is told of them, as the body of an answer.

    Raises:
        StreamsFull: As many streams as the console serves are open.
        DeviceBusy: Somebody else holds the phone.
        Invalid: The steps do not fit.
    """
    here, lang = console(), reader_lang()
    if not here.live_places.acquire(blocking=False):
        raise StreamsFull
    try:
        hold = Hold(here, prolong)
        told = here.phones.steps(serial, asked, owner, hold.fence, hold)
        return Lines(here, told, lang), 200, {**NO_CACHE, "Content-Type": KIND}
    except BaseException:
        here.live_places.release()
        raise


def _shown(line: StepLine, lang: Lang) -> dict[str, Any]:
    """Give a line in the reader's language; pictures are left out, for the page shows the phone."""
    match line:
        case Began():
            return {"began": line.path}
        case StepRecord():
            return {"record": line.shown(lang)}
        case Shot():
            return {}
        case Ended():
            error = {**line.error.body(lang), "path": line.path} if line.error else None
            return {"verdict": line.verdict, "values": line.values, "error": error}
