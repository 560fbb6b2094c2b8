"""The one thread on which asynchronous clients live: the model's HTTP and the MCP connections.

A client of theirs belongs to the event loop that made it, so there is one loop for the whole
process, and cancelling a call really ends it.
"""

import atexit
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Generic, TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from mcp_agent.abort import Abort

T = TypeVar("T")

_lock = threading.Lock()
_running: AbstractContextManager[BlockingPortal] | None = None
_portal: BlockingPortal | None = None


def portal() -> BlockingPortal:
    """Return the way into the loop's thread, starting it at the first call."""
    global _running, _portal
    with _lock:
        if _portal is None:
            _running = start_blocking_portal(name="agent-io")
            _portal = _running.__enter__()
            atexit.register(close)
        return _portal


def close() -> None:
    """End the thread; whatever still runs on it is cancelled."""
    global _running, _portal
    with _lock:
        running, gone, _running, _portal = _running, _portal, None, None
    if running is not None and gone is not None:
        gone.start_task_soon(gone.stop, True)
        running.__exit__(None, None, None)


def call(
    abort: Abort, deadline_s: float, function: Callable[..., Awaitable[T]], *args: Any
) -> T | None:
    """Run a coroutine on the loop and wait for it.

    Returns:
        Its result; None when a stop ended the waiting (the coroutine is cancelled).

    Raises:
        TimeoutError: It took longer than ``deadline_s``; it is cancelled too.
    """
    future: Future[T] = portal().start_task_soon(function, *args)
    with abort.calling(future.cancel):
        try:
            return future.result(timeout=deadline_s)
        except CancelledError:
            return None
        except TimeoutError:
            future.cancel()
            raise


class Held(Generic[T]):
    """An asynchronous context manager that is held open on the loop.

    It is entered and left in one task, since anyio closes only where it opened.
    """

    def __init__(self, manager: AbstractAsyncContextManager[T]) -> None:
        self._manager = manager
        self._ready: Future[T] = Future()
        self._done = anyio.Event()
        self._task: Future[None] | None = None

    def enter(self, abort: Abort, deadline_s: float) -> T | None:
        """Open it, or return None when a stop came first.

        Raises:
            TimeoutError: It took longer than ``deadline_s``.
        """
        self._task = portal().start_task_soon(self._hold)
        self._task.add_done_callback(lambda _task: self._ready.cancel())
        with abort.calling(self._task.cancel):
            try:
                return self._ready.result(timeout=deadline_s)
            except CancelledError:
                return None
            except TimeoutError:
                self._task.cancel()
                raise

    def leave(self, deadline_s: float) -> None:
        """Close it; what went wrong inside meanwhile is raised here."""
        if self._task is None or self._task.cancelled():
            return
        portal().start_task_soon(self._done.set)
        try:
            self._task.result(timeout=deadline_s)
        except TimeoutError:
            self._task.cancel()
            raise

    async def _hold(self) -> None:
        try:
            async with self._manager as thing:
                self._ready.set_result(thing)
                await self._done.wait()
        except Exception as error:  # whoever waits for it to open gets it, whatever it is
            if self._ready.done():
                raise
            self._ready.set_exception(error)
