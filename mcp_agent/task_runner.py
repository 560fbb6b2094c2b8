"""Carry task runs: those whose phone is free, a thread each, several at once.

Nothing polls to learn of a start in this process: it wakes the runner. The slow look is for
phones that become free, and for what another process wrote.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable

from core.devices.remote import RemotePhones
from core.setup import Instance
from core.tasks import line
from core.tasks.yard import Job
from mcp_agent.task_carrier import INTERRUPTED, Mender, TaskCarrier

logger = logging.getLogger(__name__)

OWNER = "console"
PLACES = 24  # task runs at once on this host
LOOK_S = 1.0
SWEEP_S = 10.0
SHUTDOWN_S = 6.0


class TaskRunner:
    """The task runs of this process; ``changed`` is called when one starts, advances or ends."""

    def __init__(
        self,
        instance: Instance,
        phones: RemotePhones,
        places: int = PLACES,
        owner: str = OWNER,
    ) -> None:
        self.instance = instance
        self.phones = phones
        self.places = places
        self.owner = owner
        self.changed: Callable[[], None] = lambda: None
        self.mender: Mender | None = None
        self._carriers: dict[str, TaskCarrier] = {}
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._closing = threading.Event()
        self._dispatcher: threading.Thread | None = None
        self._swept = 0.0

    def begin(self) -> None:
        """Close what a crash left open, then start to work."""
        self._sweep()
        self._dispatcher = threading.Thread(target=self._dispatch, name="tasks", daemon=True)
        self._dispatcher.start()

    def wake(self) -> None:
        """Look for runs now: some were put in line."""
        self._news.set()
        self.changed()

    def stop(self, run_ids: Iterable[str]) -> None:
        """Tell runs to end; those that wait in line were ended in the database already."""
        with self._lock:
            carriers = [self._carriers[each] for each in run_ids if each in self._carriers]
        for carrier in carriers:
            carrier.stop()
        self.wake()

    def shutdown(self) -> None:
        """End every run of this process as interrupted, and work no more."""
        self._closing.set()
        self._news.set()
        with self._lock:
            carriers = list(self._carriers.values())
        for carrier in carriers:
            carrier.stop(INTERRUPTED)
        until = time.monotonic() + SHUTDOWN_S
        while self._carriers and time.monotonic() < until:
            time.sleep(0.01)
        if self._dispatcher is not None:
            self._dispatcher.join(timeout=LOOK_S + 1)

    def _dispatch(self) -> None:
        while not self._closing.is_set():
            self._news.clear()
            try:
                while self._carry_next():
                    pass
                if time.monotonic() - self._swept > SWEEP_S:
                    self._sweep()
            except Exception:  # the thread must live: what could not be claimed is tried again
                logger.exception("the line of task runs could not be read")
            self._news.wait(LOOK_S)

    def _sweep(self) -> None:
        db = self.instance.db
        with self._lock:
            carried = set(self._carriers)
        for run_id in line.close_orphans(db, self.owner, carried):
            logger.warning("task run %s: was interrupted", run_id)
        for run_id in line.expire(db):
            logger.info("task run %s: its phone was not free in time", run_id)
        self._swept = time.monotonic()
        self.changed()

    def _carry_next(self) -> bool:
        """Claim a run and start its thread; False when none can begin."""
        with self._lock:
            if self._closing.is_set():
                return False
            job = line.claim(self.instance.db, self.owner, self.places)
            if job is None:
                return False
            carrier = TaskCarrier(
                self.instance, self.phones, job, lambda: self.changed(), self.mender
            )
            self._carriers[job.run_id] = carrier
        name = f"task-{job.run_id}"
        threading.Thread(target=self._carry, args=(job, carrier), name=name, daemon=True).start()
        return True

    def _carry(self, job: Job, carrier: TaskCarrier) -> None:
        logger.info("task run %s: attempt %s on %s", job.run_id, job.attempt, job.serial)
        try:
            carrier.run()
        except Exception:  # it could not even be ended: the next sweep does
            logger.exception("task run %s: could not be ended", job.run_id)
        finally:
            with self._lock:
                self._carriers.pop(job.run_id, None)
            self._news.set()  # whoever waits for the phone is next
