"""Threads whose end is heard of: one that fails leaves its traceback in the log."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)


def spawn(work: Callable[[], None], name: str) -> None:
    """Do something in a thread of its own, which holds up no exit; returns at once."""

    def guarded() -> None:
        try:
            work()
        except Exception:  # outermost of its thread: nobody else would hear of it
            logger.exception("%s ended unexpectedly", name)

    threading.Thread(target=guarded, name=name, daemon=True).start()
