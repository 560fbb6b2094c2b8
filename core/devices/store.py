"""Keep what was last seen of each device, and the addresses that the operator connected.

Only the MCP server writes states, since only it sees phones; the console reads.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.devices import identity, lease
from core.devices.base import Hardware, Size
from core.devices.identity import Seen
from core.devices.lease import Held
from core.errors import ConsoleError, DeviceOffline, NotFound, from_wire
from core.models import Address, Device
from core.words import DEFAULT_LANG, Lang

DeviceState = Literal["ready", "offline", "unauthorized", "connecting", "sick"]
SHOWN_FIRST = ("ready", "sick", "connecting", "unauthorized", "offline")


@dataclass(frozen=True, slots=True)
class Known:
    """What a caller needs to reach a device or to say why not."""

    serial: str
    hardware_serial: str
    state: str
    why: ConsoleError | None


def set_state(
    db: Database,
    serial: str,
    state: DeviceState,
    why: ConsoleError | None = None,
    *,
    known_only: bool = False,
) -> bool:
    """Note a device's state; ``since`` moves only when the state changes.

    Args:
        db: The database.
        serial: As adb names it.
        state: What it is now.
        why: What a reader is told about it.
        known_only: Leave out a device that is not known, because it was forgotten.

    Returns:
        Whether anything changed.
    """
    reason = json.dumps(why.wire()) if why else None
    with db.write() as session:
        row = session.get(Device, serial)
        if row is None and known_only:
            return False
        if row is None:
            row = Device(serial=serial, hardware_serial="", state=state, reason=reason)
            session.add(row)
            return True
        if (row.state, row.reason) == (state, reason):
            return False
        if row.state != state:
            row.since = utc_now()
        row.state, row.reason = state, reason
        return True


def set_hardware(db: Database, serial: str, hardware: Hardware, size: Size) -> str:
    """Note who a device is, once it told, and give it what is kept for that phone.

    Returns:
        The hardware serial under which the phone is held from now on.
    """
    with db.write() as session:
        decided = identity.identify(serial, hardware, map(_seen, _rows(session)))
        kept = _kept(session, serial, decided)
        session.execute(
            update(Device)
            .where(Device.serial == serial)
            .values(
                hardware_serial=decided,
                serialno=hardware.serial,
                mark=hardware.mark,
                model=hardware.model,
                android=hardware.android,
                battery=hardware.battery,
                storage_mb=hardware.storage_mb,
                width=size.width,
                height=size.height,
                **kept,
            )
        )
    return decided


def set_condition(db: Database, serial: str, hardware: Hardware) -> None:
    """Note how a device does: its battery and its free space."""
    with db.write() as session:
        session.execute(
            update(Device)
            .where(Device.serial == serial)
            .values(battery=hardware.battery, storage_mb=hardware.storage_mb)
        )


def edit(
    db: Database, serial: str, *, alias: str | None = None, tags: list[str] | None = None
) -> None:
    """Name a phone and sort it, however it is connected; what is None stays.

    Raises:
        NotFound: There is no such device.
    """
    values: dict[str, Any] = {} if alias is None else {"alias": alias.strip()}
    if tags is not None:
        values["tags"] = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    _change_card(db, serial, values)


def set_pin(db: Database, serial: str, encrypted: str | None) -> None:
    """Keep the PIN of a phone's lock, encrypted with the instance key; None forgets it.

    Raises:
        NotFound: There is no such device.
    """
    _change_card(db, serial, {"pin": encrypted})


def pin(db: Database, serial: str) -> str | None:
    """Give the encrypted PIN of a device, None when none is kept."""
    with db.read() as session:
        row = session.get(Device, serial)
        return row.pin if row else None


def twins(db: Database, serial: str) -> list[str]:
    """List the other phones that report the hardware serial of this one."""
    with db.read() as session:
        row = session.get(Device, serial)
        if row is None or not row.serialno:
            return []
        others = select(Device.hardware_serial).where(
            Device.serialno == row.serialno, Device.hardware_serial != row.hardware_serial
        )
        return sorted(set(session.scalars(others)))


def all_offline(db: Database) -> None:
    """Mark every device offline: nothing is known until adb tells."""
    with db.write() as session:
        session.execute(
            update(Device)
            .where(Device.state != "offline")
            .values(state="offline", reason=None, since=utc_now())
        )


def known(db: Database, serial: str) -> Known | None:
    """Find a device by the serial adb uses, or by its hardware serial."""
    with db.read() as session:
        row = session.get(Device, serial) or session.scalar(
            select(Device)
            .where(Device.hardware_serial == serial)
            .order_by(Device.state != "ready", Device.since.desc())
        )
        return _known(row) if row else None


def refusal(row: Device) -> ConsoleError:
    """Say why a device that is not ready cannot be used, in words for whoever asked for it."""
    return _why(row) or DeviceOffline(serial=row.serial, reason=f"It is {row.state}.")


def ready(db: Database) -> list[Known]:
    """List the devices that can be used now, one a phone."""
    return [_known(row) for row in _cards(db) if row.state == "ready"]


def listing(db: Database, lang: Lang = DEFAULT_LANG) -> list[dict[str, Any]]:
    """List all devices as the API shows them (CONTRACTS 2), one a phone, in the reader's words."""
    held = lease.all_held(db)
    return [_item(row, held.get(row.hardware_serial), lang) for row in _cards(db)]


def card(db: Database, serial: str) -> list[str]:
    """List every name that adb has for one phone, found by any of them or its hardware serial."""
    with db.read() as session:
        return [row.serial for row in _of_card(session, serial)]


def forget(db: Database, serial: str) -> None:
    """Drop a phone by all its names, what is kept for it, and its addresses."""
    with db.write() as session:
        serials = [serial, *(row.serial for row in _of_card(session, serial))]
        session.execute(delete(Device).where(Device.serial.in_(serials)))
        session.execute(delete(Address).where(Address.address.in_(serials)))


def forget_old_names(db: Database, before: datetime) -> int:
    """Drop network names under which a phone has not come since then, while it has another one.

    A phone whose port changes each day would have hundreds of them after a year. An address that
    is connected at each start goes only when its phone is here by another name.
    """
    with db.write() as session:
        rows = [row for row in _rows(session) if row.hardware_serial]
        rows.sort(key=lambda row: (row.state == "offline", -row.since.timestamp()))
        here = {row.hardware_serial for row in rows if row.state != "offline"}
        wanted = set(session.scalars(select(Address.address)))
        seen: set[str] = set()
        old = []
        for row in rows:
            gone = row.state == "offline" and row.since < before
            other = here if row.serial in wanted else seen
            if gone and row.hardware_serial in other and identity.is_network(row.serial):
                old.append(row.serial)
            seen.add(row.hardware_serial)
        session.execute(delete(Device).where(Device.serial.in_(old)))
        session.execute(delete(Address).where(Address.address.in_(old)))
        return len(old)


def remember_address(db: Database, address: str) -> None:
    """Keep a network address, to be connected again at each start."""
    with db.write() as session:
        if session.get(Address, address) is None:
            session.add(Address(address=address))


def addresses(db: Database) -> list[str]:
    """List the addresses that the operator connected."""
    with db.read() as session:
        return list(session.scalars(select(Address.address).order_by(Address.created)))


def _cards(db: Database) -> list[Device]:
    """Choose one row a phone: USB and Wi-Fi are one, and the row that works is shown."""
    with db.read() as session:
        rows = _rows(session)
    chosen: dict[str, Device] = {}
    for row in rows:
        phone = row.hardware_serial or row.serial
        if phone not in chosen or _rank(row) < _rank(chosen[phone]):
            chosen[phone] = row
    return list(chosen.values())


def _rank(row: Device) -> tuple[int, bool]:
    """Order the names of one phone: what works first, then the cable."""
    order = SHOWN_FIRST.index(row.state) if row.state in SHOWN_FIRST else len(SHOWN_FIRST)
    return order, identity.is_network(row.serial)


def _of_card(session: Session, serial: str) -> list[Device]:
    row = session.get(Device, serial)
    phone = (row.hardware_serial or None) if row else serial
    if phone is None:
        return [row] if row else []
    found = select(Device).where(Device.hardware_serial == phone).order_by(Device.serial)
    return list(session.scalars(found))


def _change_card(db: Database, serial: str, values: dict[str, Any]) -> None:
    with db.write() as session:
        rows = _of_card(session, serial)
        if not rows:
            raise NotFound(kind="device", name=serial)
        for row in rows:
            for name, value in values.items():
                setattr(row, name, value)


def _kept(session: Session, serial: str, hardware_serial: str) -> dict[str, Any]:
    """Give what is kept for a phone that now comes by another name."""
    known = select(Device).where(Device.hardware_serial == hardware_serial, Device.serial != serial)
    other = session.scalars(known.order_by(Device.since.desc())).first()
    return {"alias": other.alias, "tags": other.tags, "pin": other.pin} if other else {}


def _rows(session: Session) -> list[Device]:
    return list(session.scalars(select(Device).order_by(Device.serial)))


def _seen(row: Device) -> Seen:
    # rows of before this was kept have their serial only as the decision made of it
    serialno = row.serialno or row.hardware_serial
    return Seen(row.serial, row.hardware_serial, serialno, row.mark)


def _known(row: Device) -> Known:
    return Known(row.serial, row.hardware_serial or row.serial, row.state, _why(row))


def _why(row: Device) -> ConsoleError | None:
    return from_wire(json.loads(row.reason)) if row.reason else None


def _item(row: Device, held: Held | None, lang: Lang) -> dict[str, Any]:
    why = _why(row)
    words = why.words(lang) if why else None
    return {
        "serial": row.serial,
        "hardware_serial": row.hardware_serial,
        "alias": row.alias,
        "tags": row.tags,
        "model": row.model,
        "android": row.android,
        "state": row.state,
        "reason": f"{words.message} {words.hint}".strip() if words else None,
        "since": iso(row.since),
        "lease": _lease(held) if held else None,
        "battery": row.battery,
        "storage_mb": row.storage_mb,
        "has_pin": row.pin is not None,
        "width": row.width,
        "height": row.height,
    }


def _lease(held: Held) -> dict[str, Any]:
    return {
        "holder": held.holder,
        "label": held.label,
        "since": iso(held.since),
        "until": iso(held.until),
    }
