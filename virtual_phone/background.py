"""What runs on after the shell that started it with ``&`` has ended."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Background:
    """The commands that run on, held so that none is collected before its end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[object]] = set()

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Let something run on."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def cancel(self) -> None:
        """End what runs."""
        for task in self._tasks:
            task.cancel()

    def _finished(self, task: asyncio.Future[object]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.info("a background command ended: %r", error)
