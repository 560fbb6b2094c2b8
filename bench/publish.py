"""What it costs a run to publish an event, with 1, 50 and 200 pages watching.

Ours is the log with a cursor a page; it is held against a queue a page. Both have as many
threads waiting for events. Only the publisher's own processor time counts.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator

from bench.figure import Figure, median_of
from core.runs.events import TextDelta
from core.runs.log import Bell, EventLog
from core.runs.wire import wire

EVENTS = 2_000
ROUNDS = 3
READERS = (1, 50, 200)
GOAL_AT_200 = 0.1
#: A log must cost the same for 200 pages as for one; the rest is noise of the machine.
GOAL_FLAT = 3.0


def figures() -> Iterator[Figure]:
    """Measure both, for each number of readers."""
    ours: dict[int, float] = {}
    for readers in READERS:
        ours[readers] = median_of(ROUNDS, lambda n=readers: _log(n))  # type: ignore[misc]
        queues = median_of(ROUNDS, lambda n=readers: _queues(n))  # type: ignore[misc]
        goal = GOAL_AT_200 if readers == READERS[-1] else None
        yield Figure(f"publish.{readers}_readers", ours[readers], "µs", queues, goal)
    yield Figure("publish.flat", ours[READERS[-1]], "µs", ours[READERS[0]], GOAL_FLAT)


def _log(readers: int) -> float:
    bell = Bell()
    log = EventLog("bench", 0, bell, lambda after, before: [])
    over = threading.Event()

    def read() -> None:
        after = 0
        while not over.is_set():
            heard = bell.count()
            entries = log.read(after)
            after = entries[-1].id if entries else after
            if not entries:
                bell.wait(heard, 0.5)

    def end() -> None:
        over.set()
        bell.close()

    return _timed(read, readers, lambda at: log.append(TextDelta(f"piece {at}")), end)


def _queues(readers: int) -> float:
    queues: list[queue.Queue[tuple[str, object] | None]] = [queue.Queue() for _ in range(readers)]
    free = iter(queues)

    def read() -> None:
        mine = next(free)
        while mine.get() is not None:
            pass

    def publish(at: int) -> None:
        shown = wire(TextDelta(f"piece {at}"))
        for each in queues:
            each.put(shown)

    def end() -> None:
        for each in queues:
            each.put(None)

    return _timed(read, readers, publish, end)


def _timed(
    read: Callable[[], None],
    readers: int,
    publish: Callable[[int], object],
    end: Callable[[], None],
) -> float:
    """Return the publisher's processor time an event, in microseconds."""
    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    begun = time.thread_time()
    for at in range(EVENTS):
        publish(at)
    spent = time.thread_time() - begun
    end()
    for thread in threads:
        thread.join()
    return spent / EVENTS * 1e6
