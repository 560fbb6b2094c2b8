"""Addresses on the network that are to stay connected, whatever adb or the phone loses."""

import logging
import threading
from collections.abc import Callable, Mapping

from core.db import Database
from core.devices import store
from core.devices.adb import Adb
from core.errors import AdbDown, DeviceOffline
from core.storing import PASSING
from mcp_server.threads import spawn

logger = logging.getLogger(__name__)

RETRY_S = (0.5, 1.0, 2.0, 5.0, 10.0)
CONNECTED = ("device", "unauthorized", "authorizing")


class Addresses:
    """Each is connected again by a thread of its own, whenever adb has lost it.

    ``states`` gives what adb sees now, by serial, and ``changed`` is notified of each change;
    it also guards what is kept here.
    """

    def __init__(
        self,
        db: Database,
        adb: Adb,
        states: Callable[[], Mapping[str, str]],
        changed: threading.Condition,
    ) -> None:
        self.db = db
        self.adb = adb
        self._states = states
        self._changed = changed
        self._kept: set[str] = set()
        self._stopped = False

    def __contains__(self, address: str) -> bool:
        """Say whether an address is to stay connected."""
        return address in self._kept

    def keep(self, address: str) -> None:
        """Connect an address, now and whenever it is lost; returns at once."""
        with self._changed:
            if address in self._kept or self._stopped:
                return
            self._kept.add(address)
        spawn(lambda: self._stay_connected(address), f"address {address}")

    def let_go(self, address: str) -> None:
        """Connect an address no more; a link that is there stays."""
        with self._changed:
            self._kept.discard(address)
            self._changed.notify_all()

    def stop(self) -> None:
        """Connect nothing any more."""
        with self._changed:
            self._stopped = True
            self._kept.clear()
            self._changed.notify_all()

    def _stay_connected(self, address: str) -> None:
        tries, is_told = 0, False  # once told, one without a row is an old one that was let go of
        while address in self._kept:
            if self._states().get(address) in CONNECTED:
                tries = 0
            else:
                tries += 1
                try:
                    self._connect_again(address, tries, is_told)
                    is_told = True
                except PASSING as error:  # the next try tells it again
                    logger.warning("%s: its state was not stored: %s", address, error)
            pause = RETRY_S[min(tries, len(RETRY_S) - 1)]
            with self._changed:
                self._changed.wait_for(self._is_lost(address, tries), pause)

    def _is_lost(self, address: str, tries: int) -> Callable[[], bool]:
        """Wake early when a connected address is lost or let go."""
        return lambda: address not in self._kept or (tries == 0 and address not in self._states())

    def _connect_again(self, address: str, tries: int, is_told: bool) -> None:
        try:
            if tries > 2 and self._states().get(address) == "offline":
                self.adb.disconnect(address)  # else adb says "already connected" for ever
            self.adb.connect(address)
        except (DeviceOffline, AdbDown) as error:
            known_only = is_told or address not in self._kept
            if store.set_state(self.db, address, "offline", error, known_only=known_only):
                logger.info("%s: %s", address, error)
