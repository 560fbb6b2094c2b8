"""Keep a run alive while it is carried: renew its lease, and say when its time is up.

While a person is asked the run's clock stands still; its lease is renewed all the same. A brain
that says nothing at all for `SILENCE_S` is given up: the longest call of a tool takes a tenth.
"""

import logging
import threading
import time
from collections.abc import Callable

from core.db import Database
from core.devices.lease import RENEW_S
from core.runs import store
from core.storing import PASSING

logger = logging.getLogger(__name__)

SILENCE_S = 300


class Pulse:
    """A thread that beats until it is stopped; ``stop_run`` gets the code of why the run ends."""

    def __init__(
        self, db: Database, run_id: str, limit_s: float, stop_run: Callable[[str], None]
    ) -> None:
        self._db = db
        self._run_id = run_id
        self._stop_run = stop_run
        self._left_s = limit_s
        self._since: float | None = time.monotonic()
        self._heard = time.monotonic()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._beat, name=f"pulse-{run_id}", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=RENEW_S)

    def heard(self) -> None:
        """Note that the brain is alive."""
        self._heard = time.monotonic()

    def stand_still(self) -> None:
        """Stop the clock, if it runs."""
        with self._changed:
            self._left_s, self._since = self.left_s, None

    def go_on(self) -> None:
        """Let the clock run again, if it stands."""
        with self._changed:
            self._since = self._since or time.monotonic()
            self.heard()
            self._changed.notify_all()

    @property
    def left_s(self) -> float:
        """Seconds until the run's time is up."""
        gone = time.monotonic() - self._since if self._since is not None else 0.0
        return self._left_s - gone

    def _beat(self) -> None:
        while True:
            with self._changed:
                pause = RENEW_S if self._since is None else min(RENEW_S, self.left_s)
                self._changed.wait_for(lambda: self._stopped, max(0.0, pause))
                if self._stopped:
                    return None
                why = self._over()
            if why or not self._alive():
                return self._stop_run(why or "lease_lost")

    def _over(self) -> str | None:
        """Say with a code that the run's time is up, or its brain silent for too long."""
        if self._since is None:
            return None
        if self.left_s <= 0:
            return "run_timeout"
        silent_s = time.monotonic() - self._heard
        return "provider_silent" if silent_s > SILENCE_S else None

    def _alive(self) -> bool:
        try:
            return store.keep_alive(self._db, self._run_id)
        except PASSING as error:
            logger.warning("run %s: the lease could not be renewed now: %s", self._run_id, error)
            return True
        except Exception:  # a busy database is no lost lease: the fence tells at the next act
            logger.exception("run %s: the lease could not be renewed now", self._run_id)
            return True
