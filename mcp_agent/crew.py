"""Carry what waits, a thread each, and find it at once when somebody tells of it.

Nothing polls to learn of a start in this process: it wakes the crew. The slow look is the net for
what another process wrote or left behind, and for phones that become free.
"""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from core.errors import Interrupted
from core.trouble import Trouble

logger = logging.getLogger(__name__)

LOOK_S = 1.0
SWEEP_S = 10.0
SHUTDOWN_S = 6.0


class Carrying(Protocol):
    """One thing under way; `run` belongs to its thread, `stop` may be called from any."""

    def run(self) -> object:
        """Carry it to its end."""

    def stop(self, why: str = ...) -> None:
        """Tell it to end; ``why`` is the code of an error."""


C = TypeVar("C", bound=Carrying)


class Crew(ABC, Generic[C]):
    """The carriers of this process, by the id of the run that each carries.

    ``changed`` is called when one starts, advances or ends; ``what`` names the runs in the log.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.changed: Callable[[], None] = lambda: None
        self._carriers: dict[str, C] = {}
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._closing = threading.Event()
        self._dispatcher: threading.Thread | None = None

    @abstractmethod
    def _claim(self) -> tuple[str, C] | None:
        """Take what can begin now; None when nothing can. Called under the lock."""

    @abstractmethod
    def _sweep(self) -> None:
        """Close what nobody carries any more."""

    def _look_after(self) -> None:
        """Do what is due for those under way."""

    def _done(self, carrier: C) -> None:
        """Take note, on its own thread, of a carrier that has come to its end."""

    def begin(self) -> None:
        """Close what a crash left open, then start to work."""
        self._sweep()
        self._dispatcher = threading.Thread(target=self._dispatch, name=self.what, daemon=True)
        self._dispatcher.start()

    def wake(self) -> None:
        """Look for work now, and say that something is another than before."""
        self._news.set()
        self.changed()

    def shutdown(self) -> None:
        """End everything of this process as interrupted, and work no more."""
        self._closing.set()
        self._news.set()
        with self._lock:
            carriers = list(self._carriers.values())
        for carrier in carriers:
            carrier.stop(Interrupted.code)
        until = time.monotonic() + SHUTDOWN_S
        while self._carriers and time.monotonic() < until:
            time.sleep(0.01)
        if self._dispatcher is not None:
            self._dispatcher.join(timeout=LOOK_S + 1)

    def _dispatch(self) -> None:
        swept = time.monotonic()
        trouble = Trouble(logger, f"{self.what}s: what waits could not be read")
        while not self._closing.is_set():
            self._news.clear()
            try:
                self._look_after()
                while self._carry_next():
                    pass
                if time.monotonic() - swept > SWEEP_S:
                    self._sweep()
                    swept = time.monotonic()
                trouble.is_over()
            except Exception as error:  # noqa: BLE001 - told; what waits is tried again
                trouble.happened(error)
            self._news.wait(LOOK_S)

    def _carry_next(self) -> bool:
        """Claim one and start its thread; False when none can begin."""
        with self._lock:
            if self._closing.is_set():
                return False
            claimed = self._claim()
            if claimed is None:
                return False
            run_id, carrier = claimed
            self._carriers[run_id] = carrier
        threading.Thread(
            target=self._carry, args=claimed, name=f"{self.what}-{run_id}", daemon=True
        ).start()
        return True

    def _carry(self, run_id: str, carrier: C) -> None:
        try:
            carrier.run()
            self._done(carrier)
        except Exception:  # it could not even be ended: the next sweep does
            logger.exception("%s %s: could not be ended", self.what, run_id)
        finally:
            with self._lock:
                self._carriers.pop(run_id, None)
            self._news.set()  # whoever waits for its place is next
