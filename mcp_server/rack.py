"""Hold the phones: follow what adb sees, find out who each one is, keep addresses connected.

The only place that opens phones. What it sees goes into the database at once, so the console
shows a state with its reason and age. It outlives the adb server, which may be restarted.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.db import Database
from core.devices import store
from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.live import Live
from core.errors import (
    AdbDown,
    ConsoleError,
    DeviceLost,
    DeviceOffline,
    DeviceUnauthorized,
    NotFound,
    PhoneFault,
)

logger = logging.getLogger(__name__)

RETRY_S = (0.2, 0.5, 1.0, 2.0)
ADDRESS_RETRY_S = (0.5, 1.0, 2.0, 5.0, 10.0)
SERVER_MISSING_S = 10.0
SICK_RETRY_S = 5.0
READY_S = 20.0
DEFAULT_PORT = 5555


@dataclass(frozen=True, slots=True)
class Slot:
    """A phone that is ready, with its live view."""

    phone: AndroidPhone
    live: Live
    hardware_serial: str


class Rack:
    """Every phone of this instance; safe for threads."""

    def __init__(self, db: Database, addresses: Iterable[str] = ()) -> None:
        self.db = db
        self.adb = Adb()
        self._addresses = dict.fromkeys(addresses)
        self._states: dict[str, str] = {}
        self._slots: dict[str, Slot] = {}
        self._probing: set[str] = set()
        self._changed = threading.Condition()
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin to follow the phones; returns at once."""
        store.all_offline(self.db)
        if not self.adb.is_running():
            self.adb.start_server()
        self._spawn(self._track, "adb tracker")
        for address in [*self._addresses, *store.addresses(self.db)]:
            self._keep(address)

    def stop(self) -> None:
        """Let go of every phone."""
        self._stopped.set()
        self.adb.stop_tracking()
        with self._changed:
            slots, self._slots = list(self._slots.values()), {}
            self._changed.notify_all()
        for slot in slots:
            slot.live.close()
            slot.phone.close()

    def close_views(self) -> None:
        """End every live view, so that nobody waits for a frame."""
        with self._changed:
            slots = list(self._slots.values())
        for slot in slots:
            slot.live.close()

    def slot(self, serial: str) -> Slot:
        """Give a phone that is ready, by adb's serial or its own.

        Raises:
            NotFound: There is no such device.
            DeviceOffline: It is known and cannot be used now; the words say why.
        """
        found = self._find(serial)
        if found is not None:
            return found
        known = store.known(self.db, serial)
        if known is None:
            there = ", ".join(each.serial for each in store.ready(self.db))
            raise NotFound(kind="device", name=serial, known=f"Ready now: {there or 'none'}.")
        raise known.why or DeviceOffline(serial=serial, reason=f"It is {known.state}.")

    def connect(self, address: str) -> str:
        """Connect to a phone on the network, wait until it is ready and return its serial.

        Raises:
            DeviceOffline: It does not answer.
            AdbDown: There is no adb server.
            PhoneFault: It answers and cannot be driven.
        """
        address = address if ":" in address else f"{address}:{DEFAULT_PORT}"
        self.adb.connect(address)
        store.remember_address(self.db, address)
        self._keep(address)
        with self._changed:
            self._changed.wait_for(lambda: address in self._slots, READY_S)
        self.slot(address)
        return address

    def _find(self, serial: str) -> Slot | None:
        with self._changed:
            if serial in self._slots:
                return self._slots[serial]
            same = (slot for slot in self._slots.values() if slot.hardware_serial == serial)
            return next(same, None)

    def _track(self) -> None:
        """Follow adb's list until the end, whatever happens to the server."""
        missing_since: float | None = None
        tries = 0
        while not self._stopped.is_set():
            try:
                for states in self.adb.track():
                    missing_since, tries = None, 0
                    self._note(states)
            except DeviceLost as lost:
                logger.info("adb server: %s", lost.details.get("detail"))
            if self._stopped.is_set():
                return
            self._note({}, AdbDown())
            missing_since = missing_since or time.monotonic()
            if time.monotonic() - missing_since > SERVER_MISSING_S:
                self.adb.start_server()
                missing_since = None
            self._stopped.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1

    def _note(self, states: dict[str, str], why: ConsoleError | None = None) -> None:
        """Compare what adb sees now with what it saw before."""
        with self._changed:
            before, self._states = self._states, states
            self._changed.notify_all()
        for serial in before.keys() - states.keys():
            self._drop(serial, "offline", why or DeviceOffline(serial=serial, reason=""))
        for serial, state in states.items():
            if state == "device":
                self._probe(serial)
            elif before.get(serial) != state:
                self._drop(serial, *_meaning(serial, state))

    def _drop(self, serial: str, state: store.DeviceState, why: ConsoleError) -> None:
        with self._changed:
            slot = self._slots.pop(serial, None)
            self._changed.notify_all()
        if store.set_state(self.db, serial, state, why):
            logger.info("%s: %s, %s", serial, state, why)
        if slot is not None:
            slot.live.close()
            slot.phone.close()

    def _probe(self, serial: str) -> None:
        with self._changed:
            if serial in self._slots or serial in self._probing:
                return
            self._probing.add(serial)
        self._spawn(lambda: self._get_ready(serial), f"probe {serial}")

    def _get_ready(self, serial: str) -> None:
        store.set_state(self.db, serial, "connecting")
        try:
            while not self._stopped.is_set() and self._states.get(serial) == "device":
                try:
                    self._admit(serial)
                    return
                except ConsoleError as error:
                    logger.warning("%s: not usable, trying again: %s", serial, error)
                    store.set_state(self.db, serial, "sick", error)
                self._stopped.wait(SICK_RETRY_S)
        finally:
            with self._changed:
                self._probing.discard(serial)

    def _admit(self, serial: str) -> None:
        """Find out who the phone is, and make it usable.

        Raises:
            PhoneFault: It does not let itself be driven.
        """
        phone = AndroidPhone(self.adb.link(serial))
        try:
            hardware = phone.hardware()
            phone.start()
            size = phone.size()
        except PhoneFault:
            phone.close()
            raise
        store.set_hardware(self.db, serial, hardware, size)
        slot = Slot(phone, Live(phone), hardware.serial or serial)
        with self._changed:
            if self._stopped.is_set() or self._states.get(serial) != "device":
                phone.close()
                return
            self._slots[serial] = slot
            store.set_state(self.db, serial, "ready")
            self._changed.notify_all()
        logger.info("%s: ready, %s, Android %s", serial, hardware.model, hardware.android)

    def _keep(self, address: str) -> None:
        """Connect an address, now and whenever it is lost."""
        with self._changed:
            known = self._addresses.get(address)
            self._addresses[address] = True
        if not known:
            self._spawn(lambda: self._stay_connected(address), f"address {address}")

    def _stay_connected(self, address: str) -> None:
        tries = 0
        while not self._stopped.is_set():
            if self._states.get(address) in ("device", "unauthorized", "authorizing"):
                tries = 0
            else:
                tries += 1
                self._connect_again(address, tries)
            pause = ADDRESS_RETRY_S[min(tries, len(ADDRESS_RETRY_S) - 1)]
            with self._changed:
                self._changed.wait_for(self._is_lost(address, tries), pause)

    def _is_lost(self, address: str, tries: int) -> Callable[[], bool]:
        """Wake early when a connected address is lost or the rack stops."""
        return lambda: self._stopped.is_set() or (tries == 0 and address not in self._states)

    def _connect_again(self, address: str, tries: int) -> None:
        try:
            if tries > 2 and self._states.get(address) == "offline":
                self.adb.disconnect(address)  # else adb says "already connected" for ever
            self.adb.connect(address)
        except (DeviceOffline, AdbDown) as error:
            if store.set_state(self.db, address, "offline", error):
                logger.info("%s: %s", address, error)

    def _spawn(self, work: Callable[[], None], name: str) -> None:
        def guarded() -> None:
            try:
                work()
            except Exception:  # outermost of its thread: nobody else would hear of it
                logger.exception("%s ended unexpectedly", name)

        threading.Thread(target=guarded, name=name, daemon=True).start()


def _meaning(serial: str, state: str) -> tuple[store.DeviceState, ConsoleError]:
    """Translate adb's word for a state that is not ``device``."""
    if state == "unauthorized":
        return "unauthorized", DeviceUnauthorized(serial=serial)
    if state in ("connecting", "authorizing"):
        return "connecting", DeviceOffline(serial=serial, reason="")
    if state == "offline":
        return "offline", DeviceOffline(serial=serial, reason="")
    return "sick", PhoneFault(serial=serial, detail=f"adb says: {state}.")
