"""Hold the phones: follow what adb sees, and find out who each one is.

The only place that opens phones. What it sees goes into the database at once, so the console
shows a state with its reason and age. It outlives the adb server, which may be restarted.
"""

import logging
import threading
import time
from collections.abc import Iterable
from functools import partial

from cryptography.fernet import Fernet, InvalidToken

from core.db import Database
from core.devices import doctor, identity, store
from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.complaints import complaint
from core.devices.finding import Finding
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
from core.storing import PASSING, until_stored
from mcp_server.addresses import Addresses
from mcp_server.slot import Slot
from mcp_server.tender import Tender
from mcp_server.threads import spawn

logger = logging.getLogger(__name__)

RETRY_S = (0.2, 0.5, 1.0, 2.0)
SERVER_MISSING_S = 10.0
SICK_RETRY_S = (2.0, 5.0, 10.0, 30.0)
READY_S = 20.0
GONE_S = 3.0
DEFAULT_PORT = 5555


class Rack:
    """Every phone of this instance; safe for threads."""

    def __init__(
        self, db: Database, addresses: Iterable[str] = (), fernet: Fernet | None = None
    ) -> None:
        self.db = db
        self.fernet = fernet
        self.adb = Adb()
        self._wanted = tuple(addresses)
        self._tender = Tender(db, self._ready, self._revive)
        self._states: dict[str, str] = {}
        self._slots: dict[str, Slot] = {}
        self._probing: set[str] = set()
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._addresses = Addresses(db, self.adb, lambda: self._states, self._changed)

    def start(self) -> None:
        """Begin to follow the phones; returns at once."""
        store.all_offline(self.db)
        if not self.adb.is_running():
            self.adb.start_server()
        spawn(self._track, "adb tracker")
        self._tender.start()
        for address in [*self._wanted, *store.addresses(self.db)]:
            self._addresses.keep(address)

    def stop(self) -> None:
        """Let go of every phone."""
        self._stopped.set()
        self._tender.stop()
        self._addresses.stop()
        self.adb.stop_tracking()
        with self._changed:
            slots, self._slots = list(self._slots.values()), {}
            self._changed.notify_all()
        for slot in slots:
            slot.live.close()
            self._tender.let_go(slot)
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
        other = self._find(known.hardware_serial) if known else None
        if other is not None:
            return other  # its cable was pulled, and Wi-Fi is there
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
        self._addresses.keep(address)
        self._wait_ready(address)
        return address

    def pair(self, address: str, code: str) -> None:
        """Pair with a phone that shows a code; it is connected by its address afterwards."""
        self.adb.pair(address, code)

    def reconnect(self, serial: str) -> str:
        """Open the link to a phone anew, wait until it is ready and return adb's name of it.

        Raises:
            NotFound: There is no such device.
            ConsoleError: It did not come back; the words say why.
        """
        known = store.known(self.db, serial)
        if known is None:
            raise NotFound(kind="device", name=serial)
        logger.info("%s: reconnecting", known.serial)
        why = DeviceOffline(serial=known.serial, reason="")
        store.set_state(self.db, known.serial, "connecting", why)  # or refuse, on a full disk
        self._drop(known.serial, "connecting", why)
        self._link_anew(known.serial)
        if known.serial in self._addresses:
            self.adb.connect(known.serial)
        if self._states.get(known.serial) == "device":
            self._probe(known.serial)
        self._wait_ready(known.serial)
        return known.serial

    def forget(self, serial: str) -> None:
        """Let go of a phone and of all that is kept for it; one on a cable is met anew.

        Raises:
            NotFound: There is no such device.
        """
        serials = store.card(self.db, serial)
        if not serials:
            raise NotFound(kind="device", name=serial)
        for each in serials:
            why = DeviceOffline(serial=each, reason="")
            store.set_state(self.db, each, "offline", why)  # or refuse, on a full disk
            self._addresses.let_go(each)
            if identity.is_network(each):
                self._disconnect(each)
            self._drop(each, "offline", why)
        store.forget(self.db, serial)
        for each in serials:
            if self._states.get(each) == "device" and not identity.is_network(each):
                self._probe(each)

    def examine(self, serial: str) -> list[Finding]:
        """Look for what hampers a phone that is ready."""
        phone = self.slot(serial).phone
        return doctor.examine(phone, store.twins(self.db, phone.serial))

    def _disconnect(self, serial: str) -> None:
        """End a network link, and wait until adb has told so: it is met anew until then."""
        self.adb.disconnect(serial)
        with self._changed:
            self._changed.wait_for(lambda: serial not in self._states, GONE_S)

    def _wait_ready(self, serial: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: serial in self._slots, READY_S)
        self.slot(serial)

    def _link_anew(self, serial: str) -> None:
        """End the link that adb has, so that it makes another one."""
        if serial in self._addresses or identity.is_network(serial):
            self._disconnect(serial)  # it is connected again by its address
        else:
            self.adb.reconnect(serial)

    def _ready(self) -> list[Slot]:
        """List the slots in use: one a phone, by cable where there is one."""
        with self._changed:
            slots = list(self._slots.values())
        slots.sort(key=lambda slot: identity.is_network(slot.phone.serial), reverse=True)
        return list({slot.hardware_serial: slot for slot in slots}.values())

    def _find(self, serial: str) -> Slot | None:
        """Find a phone by any of its names: there is one gate a phone, so one slot is used."""
        with self._changed:
            named = self._slots.get(serial)
        hardware_serial = named.hardware_serial if named else serial
        return next((s for s in self._ready() if s.hardware_serial == hardware_serial), None)

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
            gone = why or DeviceOffline(serial=serial, reason="")
            self._drop(serial, "offline", gone, known_only=True)
        for serial, state in states.items():
            if state == "device":
                self._probe(serial)
            elif before.get(serial) != state:
                self._drop(serial, *_meaning(serial, state))

    def _drop(
        self,
        serial: str,
        state: store.DeviceState,
        why: ConsoleError,
        *,
        known_only: bool = False,
    ) -> None:
        with self._changed:
            slot = self._slots.pop(serial, None)
            self._changed.notify_all()
        if self._put(serial, state, why, known_only=known_only):
            logger.info("%s: %s, %s", serial, state, why)
        if slot is not None:
            self._tender.lost(serial)
            slot.live.close()
            slot.phone.close()

    def _put(
        self,
        serial: str,
        state: store.DeviceState,
        why: ConsoleError | None = None,
        *,
        known_only: bool = False,
    ) -> bool:
        """Write down a state, once there is room; else nobody would follow the phone any more."""

        def tell(error: ConsoleError) -> None:
            logger.error("%s: that it is %s waits to be stored: %s", serial, state, error)

        put = partial(store.set_state, self.db, serial, state, why, known_only=known_only)
        return until_stored(put, self._stopped.wait, tell)

    def _probe(self, serial: str, *, is_sick: bool = False) -> None:
        with self._changed:
            if serial in self._slots or serial in self._probing:
                return
            self._probing.add(serial)
        spawn(lambda: self._get_ready(serial, is_sick=is_sick), f"probe {serial}")

    def _get_ready(self, serial: str, *, is_sick: bool = False) -> None:
        tries = 0
        try:
            if not is_sick and self._states.get(serial) == "device":
                self._put(serial, "connecting")
            while not self._stopped.is_set() and self._states.get(serial) == "device":
                try:
                    self._admit(serial)
                    return
                except PASSING as error:
                    logger.warning("%s: waits to be stored: %s", serial, error)
                except ConsoleError as error:
                    if self._states.get(serial) != "device":
                        return  # the tracker has said why
                    logger.warning("%s: not usable, trying again: %s", serial, error)
                    self._put(serial, "sick", error, known_only=True)
                self._stopped.wait(SICK_RETRY_S[min(tries, len(SICK_RETRY_S) - 1)])
                tries += 1
        finally:
            with self._changed:
                self._probing.discard(serial)

    def _admit(self, serial: str) -> None:
        """Find out who the phone is, and make it usable.

        Raises:
            PhoneFault: It does not let itself be driven.
            DiskFull, DatabaseBusy: That it is ready could not be stored.
        """
        phone = AndroidPhone(self.adb.link(serial), partial(self._pin, serial))
        try:
            hardware = phone.hardware()
            phone.start()
            size = phone.upright()
            hardware_serial = store.set_hardware(self.db, serial, hardware, size)
            with self._changed:
                if self._stopped.is_set() or self._states.get(serial) != "device":
                    phone.close()
                    return
                store.set_state(self.db, serial, "ready")
                self._slots[serial] = Slot(phone, Live(phone), hardware_serial)
                self._changed.notify_all()
        except ConsoleError:
            phone.close()
            raise
        logger.info("%s: ready, %s, Android %s", serial, hardware.model, hardware.android)

    def _pin(self, serial: str) -> str | None:
        """Give the PIN that is kept for a phone."""
        kept = store.pin(self.db, serial)
        if not kept or self.fernet is None:
            return None
        try:
            return self.fernet.decrypt(kept.encode()).decode()
        except InvalidToken:
            logger.warning("%s: its PIN was kept under another instance key", serial)
            return None

    def _revive(self, slot: Slot) -> None:
        """Start anew with a phone that adb takes for a good one, and that is not."""
        serial, trouble = slot.phone.serial, slot.phone.server.trouble
        if trouble is not None:
            self._drop(serial, "sick", trouble)
            self._probe(serial, is_sick=True)  # its reason stays until it is well
            return
        reason = "Its link takes calls and answers none, so it is connected anew."
        self._drop(serial, "offline", DeviceOffline(serial=serial, reason=reason))
        self._link_anew(serial)


def _meaning(serial: str, state: str) -> tuple[store.DeviceState, ConsoleError]:
    """Translate adb's word for a state that is not ``device``; a remark may stand behind it."""
    word = state.split(" (")[0].split(";")[0].strip()
    if word == "unauthorized":
        return "unauthorized", DeviceUnauthorized(serial=serial)
    if word in ("connecting", "authorizing"):
        return "connecting", DeviceOffline(serial=serial, reason="")
    if word == "offline":
        return "offline", DeviceOffline(serial=serial, reason="")
    known = complaint(serial, state)
    return "sick", known or PhoneFault(serial=serial, detail=f"adb says: {state}.")
