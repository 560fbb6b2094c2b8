"""The pictures of a run's steps: how the screen was before an act, and how it is after it.

The picture after one act is the picture before the next one, if that follows at once; else the
screen is looked at again, and what has not changed is kept once.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any

from core import artifacts
from core.devices.remote import RemotePhones
from core.errors import ConsoleError, DiskLow
from core.runs.events import Picture
from core.setup import Instance

logger = logging.getLogger(__name__)

LONGEST_PX = 800
AFTER_S, BEFORE_S = 3.0, 1.0
FRESH_S = 1.0

_taking = ThreadPoolExecutor(4, thread_name_prefix="thumbnail")


class StepPictures:
    """Takes and keeps the pictures of one run; used by the run's own thread alone.

    ``stop`` ends waiting for a phone; ``degraded`` is told what makes the run poorer.
    """

    def __init__(
        self,
        instance: Instance,
        run_id: str,
        stop: Future[None],
        degraded: Callable[[ConsoleError], None],
    ) -> None:
        self._instance = instance
        self._run_id = run_id
        self._stop = stop
        self._degraded = degraded
        self._phones = RemotePhones(
            instance.config.phonedeck_mcp_port, instance.loopback_secret, AFTER_S
        )
        self._data = b""
        self._address: str | None = None
        self._taken = 0.0

    def before(self, serial: str | None, may_look: bool) -> str | None:
        """Give the address of how the screen is before an act.

        Args:
            serial: The run's phone, if it has one.
            may_look: Whether the act waits for this; else only what was seen last is known.
        """
        if not may_look or (self._address and time.monotonic() - self._taken < FRESH_S):
            return self._address
        return self._look(serial, BEFORE_S)

    def after(self, serial: str | None) -> str | None:
        """Give the address of how the screen is after an act."""
        return self._look(serial, AFTER_S)

    def keep(self, picture: Picture) -> str | None:
        """Keep what a tool saw, and give its address."""
        return self._save(picture.data, picture.mime)

    def _look(self, serial: str | None, timeout_s: float) -> str | None:
        if serial is None:
            return None
        taking = _taking.submit(self._phones.screenshot, serial, LONGEST_PX)
        futures: set[Future[Any]] = {taking, self._stop}
        wait_for(futures, timeout_s, "FIRST_COMPLETED")
        if not taking.done():
            logger.info("run %s: the step's picture was not waited for", self._run_id)
            return None
        try:
            return self._save(taking.result(), "image/jpeg")
        except ConsoleError as error:
            logger.warning("run %s: no picture of step: %s", self._run_id, error)
            return None

    def _save(self, data: bytes, mime: str) -> str | None:
        if self._address is None or data != self._data:
            try:
                self._address = artifacts.save(self._instance, self._run_id, data, mime)
            except DiskLow as error:
                self._address = None
                self._degraded(error)
            except OSError as error:
                self._address = None
                logger.warning("run %s: a step's picture was not kept: %s", self._run_id, error)
        self._data, self._taken = data, time.monotonic()
        return self._address
