"""Tell of what goes wrong again and again: at first, then once a minute, and when it is over.

A full disk lets every write fail, many times a second; a log that says so each time holds nothing
else after an hour.
"""

import logging
import time

from core.errors import ConsoleError

AGAIN_S = 60.0


class Trouble:
    """One thing that is tried for ever; used by the thread that tries it."""

    def __init__(self, logger: logging.Logger, what: str) -> None:
        """Begin without trouble.

        Args:
            logger: Where it is told.
            what: What does not go, as the beginning of a line: "events could not be stored".
        """
        self._logger = logger
        self._what = what
        self._times = 0
        self._told = 0.0

    def happened(self, error: Exception) -> None:
        """Note that it went wrong, and tell of it unless that was done a moment ago."""
        self._times += 1
        now = time.monotonic()
        if self._times > 1 and now - self._told < AGAIN_S:
            return
        self._told = now
        if isinstance(error, ConsoleError):
            self._logger.error("%s (%s times): %s", self._what, self._times, error)
        else:
            self._logger.error("%s (%s times)", self._what, self._times, exc_info=error)

    def is_over(self) -> None:
        """Note that it went well."""
        if self._times:
            self._logger.warning("%s: over after %s times", self._what, self._times)
        self._times = 0
