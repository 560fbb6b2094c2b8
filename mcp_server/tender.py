"""Look after the phones between the calls that are made to them.

Phones that nobody uses are asked now and then how they do; one whose link is half open, which
adb takes for a good one, is connected anew; one whose helper does not run is shown as sick until
it does; one that is held keeps its screen on.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from core.db import Database
from core.devices import lease, store
from core.errors import ConsoleError
from mcp_server.slot import Slot
from mcp_server.threads import spawn

logger = logging.getLogger(__name__)

TEND_S = 5.0
CONDITION_S = 60.0
SILENT_CALLS = 2  # so many calls in a row without an answer make a link count as half open


class Tender:
    """Looks at every ready phone each few seconds, each in a thread of its own."""

    def __init__(
        self, db: Database, slots: Callable[[], list[Slot]], revive: Callable[[Slot], None]
    ) -> None:
        self.db = db
        self._slots = slots
        self._revive = revive
        self._awake: set[str] = set()
        self._asked: dict[str, float] = {}
        self._busy: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin; returns at once."""
        threading.Thread(target=self._round_forever, name="tender", daemon=True).start()

    def stop(self) -> None:
        """Look after nobody any more."""
        self._stopped.set()

    def lost(self, serial: str) -> None:
        """Forget what was done for a phone that is gone; its next start puts settings back."""
        with self._lock:
            self._awake.discard(serial)
            self._asked.pop(serial, None)

    def let_go(self, slot: Slot) -> None:
        """Give a phone its user's settings back, because we end."""
        if slot.phone.serial in self._awake and not slot.phone.link.silent:
            self._keep_awake(slot, False)

    def _round_forever(self) -> None:
        while not self._stopped.wait(TEND_S):
            try:
                self._round()
            except Exception:  # the thread must live: the next round may succeed
                logger.exception("phones were not looked after")

    def _round(self) -> None:
        held = set(lease.all_held(self.db))
        for slot in self._slots():
            with self._lock:
                if slot.phone.serial in self._busy:
                    continue
                self._busy.add(slot.phone.serial)
            tend = partial(self._tend, slot, slot.hardware_serial in held)
            spawn(tend, f"tend {slot.phone.serial}")  # one that hangs keeps no other waiting

    def _tend(self, slot: Slot, is_held: bool) -> None:
        serial = slot.phone.serial
        try:
            self._look_after(slot, is_held)
        except ConsoleError as error:
            logger.info("%s: not looked after: %s", serial, error)
        finally:
            with self._lock:
                self._busy.discard(serial)

    def _look_after(self, slot: Slot, is_held: bool) -> None:
        serial, now = slot.phone.serial, time.monotonic()
        server = slot.phone.server
        # a phone whose server cannot run at all is driven without it
        if slot.phone.link.silent >= SILENT_CALLS or (server.trouble and not server.is_out):
            self._revive(slot)
        elif is_held != (serial in self._awake):
            self._keep_awake(slot, is_held)
        elif not is_held and now - self._asked.setdefault(serial, now) > CONDITION_S:
            self._asked[serial] = now
            store.set_condition(self.db, serial, slot.phone.refresh())

    def _keep_awake(self, slot: Slot, on: bool) -> None:
        with self._lock:
            (self._awake.add if on else self._awake.discard)(slot.phone.serial)
        try:
            slot.phone.keep_screen(on)
        except ConsoleError as error:
            logger.warning("%s: screen not kept on (%s): %s", slot.phone.serial, on, error)
