"""Carry task runs: those whose phone is free, several at once."""

import logging
from collections.abc import Iterable

from core.devices.remote import RemotePhones
from core.setup import Instance
from core.tasks import line
from mcp_agent.crew import Crew
from mcp_agent.task_carrier import Mender, TaskCarrier

logger = logging.getLogger(__name__)

OWNER = "console"
PLACES = 24  # task runs at once on this host


class TaskRunner(Crew[TaskCarrier]):
    """The task runs of this process."""

    def __init__(
        self,
        instance: Instance,
        phones: RemotePhones,
        places: int = PLACES,
        owner: str = OWNER,
    ) -> None:
        super().__init__("task run")
        self.instance = instance
        self.phones = phones
        self.places = places
        self.owner = owner
        self.mender: Mender | None = None

    def stop(self, run_ids: Iterable[str]) -> None:
        """Tell runs to end; those that wait in line were ended in the database already."""
        with self._lock:
            carriers = [self._carriers[each] for each in run_ids if each in self._carriers]
        for carrier in carriers:
            carrier.stop()
        self.wake()

    def _sweep(self) -> None:
        db = self.instance.db
        with self._lock:
            carried = set(self._carriers)
        for run_id in line.close_orphans(db, self.owner, carried):
            logger.warning("task run %s: was interrupted", run_id)
        for run_id in line.expire(db):
            logger.info("task run %s: its phone was not free in time", run_id)
        self.changed()

    def _claim(self) -> tuple[str, TaskCarrier] | None:
        job = line.claim(self.instance.db, self.owner, self.places)
        if job is None:
            return None
        logger.info("task run %s: attempt %s on %s", job.run_id, job.attempt, job.serial)
        return job.run_id, TaskCarrier(
            self.instance, self.phones, job, lambda: self.changed(), self.mender
        )
