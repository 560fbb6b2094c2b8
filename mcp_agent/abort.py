"""Say "stop" to a run from any thread, and be heard at once.

Whoever blocks (a model's stream, a tool call) registers what ends its waiting; there is no
polling, so a stop is as quick as the thing it stops.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Abort:
    """A flag that is raised once, with a reason, and then calls everybody who waits."""

    def __init__(self) -> None:
        self.reason = ""
        self._raised = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []

    def set(self, reason: str) -> None:
        """Raise the flag; only the first reason counts."""
        with self._lock:
            if self._raised.is_set():
                return
            self.reason = reason
            self._raised.set()
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def is_set(self) -> bool:
        """Say whether somebody said stop."""
        return self._raised.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Sleep, but not through a stop; True when there was one."""
        return self._raised.wait(timeout_s)

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """Have ``callback`` called when the flag is raised meanwhile, or is up already."""
        with self._lock:
            self._callbacks.append(callback)
        if self.is_set():
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)
