"""Keep what was last seen of each device, and the addresses that the operator connected.

Only the MCP server writes states, since only it sees phones; the console reads.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.devices import lease
from core.devices.base import Hardware, Size
from core.devices.lease import Held
from core.errors import ConsoleError, DeviceOffline, from_wire
from core.models import Address, Device
from core.words import DEFAULT_LANG, Lang

DeviceState = Literal["ready", "offline", "unauthorized", "connecting", "sick"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a caller needs to reach a device or to say why not."""

    serial: str
    hardware_serial: str
    state: str
    why: ConsoleError | None


def set_state(
    db: Database, serial: str, state: DeviceState, why: ConsoleError | None = None
) -> bool:
    """Note a device's state; ``since`` moves only when the state changes.

    Returns:
        Whether anything changed.
    """
    reason = json.dumps(why.wire()) if why else None
    with db.write() as session:
        row = session.get(Device, serial)
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


def set_hardware(db: Database, serial: str, hardware: Hardware, size: Size) -> None:
    """Note who a device is, once it told."""
    with db.write() as session:
        session.execute(
            update(Device)
            .where(Device.serial == serial)
            .values(
                hardware_serial=hardware.serial or serial,
                model=hardware.model,
                android=hardware.android,
                battery=hardware.battery,
                width=size.width,
                height=size.height,
            )
        )


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


def forget(db: Database, serial: str) -> None:
    """Drop a device and its address."""
    with db.write() as session:
        session.execute(delete(Device).where(Device.serial == serial))
        session.execute(delete(Address).where(Address.address == serial))


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
        if phone not in chosen or (row.state == "ready" and chosen[phone].state != "ready"):
            chosen[phone] = row
    return list(chosen.values())


def _rows(session: Session) -> list[Device]:
    return list(session.scalars(select(Device).order_by(Device.serial)))


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
