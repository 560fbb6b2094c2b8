"""Keep a run alive while it is carried: renew its lease, and say when its time is up."""

import logging
import threading
import time
from collections.abc import Callable

from core.db import Database
from core.devices.lease import RENEW_S
from core.runs import store
from core.runs.store import RunRecord

logger = logging.getLogger(__name__)


class Pulse:
    """A thread that beats until it is stopped; ``stop_run`` gets the code of why the run ends."""

    def __init__(
        self, db: Database, record: RunRecord, limit_s: float, stop_run: Callable[[str], None]
    ) -> None:
        self.deadline = time.monotonic() + limit_s
        self._db = db
        self._record = record
        self._stop_run = stop_run
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._beat, name=f"pulse-{record.run_id}", daemon=True
        )

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more."""
        self._stopped.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=RENEW_S)

    def _beat(self) -> None:
        while not self._stopped.wait(max(0.0, min(RENEW_S, self.deadline - time.monotonic()))):
            if time.monotonic() >= self.deadline:
                return self._stop_run("run_timeout")
            if not self._alive():
                return self._stop_run("lease_lost")
        return None

    def _alive(self) -> bool:
        try:
            return store.keep_alive(self._db, self._record)
        except Exception:  # a busy database is no lost lease: the fence tells at the next act
            logger.exception("run %s: the lease could not be renewed now", self._record.run_id)
            return True
