"""The event logs of this process's runs: opened, flushed to the database, freed after the end."""

import logging
import threading
import time
from collections.abc import Callable

from core.db import Database
from core.errors import ConsoleError
from core.runs import store
from core.runs.log import Bell, Entry, EventLog
from core.trouble import Trouble

logger = logging.getLogger(__name__)

FLUSH_S = 0.05
AGAIN_S = 1.0  # where it did not work
KEEP_ENDED_S = 300


class EventLogs:
    """Every log of the process; one thread stores what was published, in batches."""

    def __init__(self, db: Database, boot: int) -> None:
        self.bell = Bell()
        self.boot = boot
        self._db = db
        self._logs: dict[str, EventLog] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._flusher: threading.Thread | None = None

    def start(self) -> None:
        """Begin to store in the background."""
        self._flusher = threading.Thread(target=self._flush_forever, name="events", daemon=True)
        self._flusher.start()

    def close(self) -> None:
        """Store what is left, and let every reader go."""
        self._stop.set()
        if self._flusher:
            self._flusher.join(timeout=5)
        try:
            self.flush()
        except ConsoleError as error:
            logger.error("the last events are lost: %s", error)
        self.bell.close()

    def open(self, run_id: str) -> EventLog:
        """Return the log of a run that this process carries out."""
        with self._lock:
            log = self._logs.get(run_id)
            if log is None:
                log = EventLog(run_id, self.boot, self.bell, self._older(run_id))
                self._logs[run_id] = log
            return log

    def read(self, run_id: str, after: int) -> list[Entry]:
        """Return what follows ``after``: from memory, or from the database for other runs."""
        with self._lock:
            log = self._logs.get(run_id)
        return log.read(after) if log else store.events(self._db, run_id, after)

    def flush(self) -> None:
        """Store everything that was published and not stored yet.

        Raises:
            DiskFull, DatabaseBusy: Not all could be stored; it is kept in memory.
        """
        with self._lock:
            logs = list(self._logs.values())
        for log in logs:
            with log.storing:
                entries = log.unstored()
                store.store_events(self._db, log.run_id, entries)
                log.mark_stored(entries)
            if log.ended_at is not None and time.monotonic() - log.ended_at > KEEP_ENDED_S:
                with self._lock:
                    self._logs.pop(log.run_id, None)

    def _older(self, run_id: str) -> Callable[[int, int], list[Entry]]:
        return lambda after, before: store.events(self._db, run_id, after, before)

    def _flush_forever(self) -> None:
        pause_s, trouble = FLUSH_S, Trouble(logger, "events could not be stored")
        while not self._stop.wait(pause_s):
            try:
                self.flush()
            except Exception as error:  # noqa: BLE001 - told; what failed is tried again
                trouble.happened(error)
                pause_s = AGAIN_S
            else:
                trouble.is_over()
                pause_s = FLUSH_S
