"""A run's event log: one list to append to, read by any number of readers with their own cursor.

Publishing costs the same for one reader and for two hundred: it appends and marks the bell;
a ticker rings for all readers at most every 40 ms, at once for events a person waits for.

Ids are integers that only grow. The high part is the start number of the console, so ids after
a crash stay above every id that could have been sent before it.
"""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.runs.events import Event
from core.runs.wire import TERMINAL, URGENT, wire

TICK_S = 0.04
MAX_EVENTS = 20_000
MAX_BYTES = 16 * 1024 * 1024
TRIM_STEP = 500
BOOT_SHIFT = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """One published event: ``data`` is the payload as JSON text, written once for all readers."""

    id: int
    name: str
    data: str

    @property
    def terminal(self) -> bool:
        """Whether nothing follows in this run."""
        return self.name in TERMINAL


class Bell:
    """Wakes every waiting reader, at most once a tick; shared by all logs of the process."""

    def __init__(self, tick_s: float = TICK_S) -> None:
        self._tick_s = tick_s
        self._rung = threading.Condition()
        self._marked = threading.Event()
        self._count = 0
        self._ticker: threading.Thread | None = None
        self._closed = False

    def mark(self) -> None:
        """Ring within a tick."""
        if self._ticker is None:
            self._start()
        if not self._marked.is_set():
            self._marked.set()

    def ring(self) -> None:
        """Ring now."""
        with self._rung:
            self._count += 1
            self._rung.notify_all()

    def count(self) -> int:
        """How often it has rung; hand it to `wait`, so that no ring is missed in between."""
        return self._count

    def wait(self, seen: int, timeout_s: float) -> int:
        """Wait until it has rung since ``seen``, or the time is up; returns the new count."""
        with self._rung:
            self._rung.wait_for(lambda: self._count != seen or self._closed, timeout_s)
            return self._count

    def close(self) -> None:
        """Wake everybody for the last time."""
        self._closed = True
        self._marked.set()
        self.ring()

    def _start(self) -> None:
        with self._rung:
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="bell", daemon=True)
                self._ticker.start()

    def _tick(self) -> None:
        while not self._closed:
            self._marked.wait()
            self._marked.clear()
            self.ring()
            time.sleep(self._tick_s)


class EventLog:
    """The log of one run; appended to by its runner alone, read by anybody."""

    def __init__(
        self, run_id: str, boot: int, bell: Bell, older: Callable[[int, int], list[Entry]]
    ) -> None:
        """Start empty.

        Args:
            run_id: Whose log it is.
            boot: Start number of the console, the high part of the ids.
            bell: Rung for new entries.
            older: Reads entries with ids in ``(after, before)`` back from where they are stored,
                for a reader that stands before what memory keeps.
        """
        self.run_id = run_id
        self.ended_at: float | None = None
        self.storing = threading.Lock()
        self._base = boot << BOOT_SHIFT
        self._bell = bell
        self._older = older
        self._entries: list[Entry] = []
        self._bytes = 0
        self._next = self._base + 1
        self._is_over = False
        self._lock = threading.RLock()
        self._unstored: list[Entry] = []

    def append(self, event: Event) -> Entry | None:
        """Publish an event; None when outsiders do not see this kind.

        Raises:
            RuntimeError: The log has ended; a run has exactly one end.
        """
        shown = wire(event)
        if shown is None:
            return None
        with self._lock:
            return self.publish(self.compose(*shown))

    def compose(self, name: str, payload: dict[str, Any]) -> Entry:
        """Give an event its id without publishing it, so that it can be stored first."""
        data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            if self._is_over:
                raise RuntimeError(f"run {self.run_id} has ended and takes no {name}")
            entry = Entry(self._next, name, data)
            self._next += 1
            self._is_over = entry.terminal
        return entry

    def withdraw(self, terminal: Entry) -> None:
        """Take back a composed end that could not be stored: the run has not ended yet."""
        with self._lock:
            self._next, self._is_over = terminal.id, False

    def publish(self, entry: Entry, stored: bool = False) -> Entry:
        """Show a composed entry to every reader."""
        with self._lock:
            self._entries.append(entry)
            self._bytes += len(entry.data)
            if not stored:
                self._unstored.append(entry)
            if entry.terminal:
                self.ended_at = time.monotonic()
            self._trim()
        if entry.name in URGENT:
            self._bell.ring()
        else:
            self._bell.mark()
        return entry

    def read(self, after: int, limit: int = 1000) -> list[Entry]:
        """Return what follows the entry ``after``, oldest first; 0 means from the beginning."""
        with self._lock:
            first = self._entries[0].id if self._entries else self._next
            if after >= first - 1:
                start = after - first + 1
                return self._entries[start : start + limit]
        return self._older(after, first)[:limit] or self.read(first - 1, limit)

    def unstored(self) -> list[Entry]:
        """Return what has been published and not stored yet; read it holding `storing`."""
        with self._lock:
            return list(self._unstored)

    def mark_stored(self, entries: Sequence[Entry]) -> None:
        """Forget that these, the oldest of `unstored`, were to be stored."""
        with self._lock:
            del self._unstored[: len(entries)]

    def _trim(self) -> None:
        if len(self._entries) <= MAX_EVENTS and self._bytes <= MAX_BYTES:
            return
        # what was not stored yet must stay: memory is the only place where it is
        kept = self._unstored[0].id if self._unstored else self._next
        oldest = self._entries[:TRIM_STEP]
        gone = [entry for entry in oldest if entry.id < kept]
        del self._entries[: len(gone)]
        self._bytes -= sum(len(entry.data) for entry in gone)
