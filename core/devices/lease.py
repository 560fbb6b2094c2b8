"""Who holds a device: at most one agent, task or human, in the database, with a fence.

Keyed by hardware serial, so USB and Wi-Fi are one. The fence number grows by one at each take;
a write names its fence, so an owner whose lease lapsed is refused whether or not it knows.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.errors import DeviceBusy, LeaseLost
from core.models import Lease

Holder = Literal["agent", "task", "human"]

LEASE_S = 30
RENEW_S = 5
TOKEN_LEASE_S = 60
LONGEST_S = 3600  # what ends later was given while the clock was ahead, and keeps nobody out


@dataclass(frozen=True, slots=True)
class Claim:
    """Who wants a device: ``owner`` is the run's, user's or token's id; ``label`` is shown."""

    holder: Holder
    owner: str
    label: str


@dataclass(frozen=True, slots=True)
class Held:
    """A lease in force."""

    hardware_serial: str
    holder: str
    owner: str
    label: str
    fence: int
    since: datetime
    until: datetime


def take(session: Session, hardware_serial: str, claim: Claim, ttl_s: float = LEASE_S) -> int:
    """Take or prolong a lease inside a write transaction.

    Returns:
        The fence that writes must name; it grows only when the device changes hands.

    Raises:
        DeviceBusy: Somebody else holds it.
    """
    now = utc_now()
    row = session.get(Lease, hardware_serial)
    if row is None:
        row = Lease(hardware_serial=hardware_serial)
        session.add(row)
    elif row.owner == claim.owner and row.until > now:
        row.until = now + timedelta(seconds=ttl_s)
        return row.fence
    elif _is_held(row, now):
        raise DeviceBusy(serial=hardware_serial, holder=row.label)
    row.holder, row.owner, row.label = claim.holder, claim.owner, claim.label
    row.fence = (row.fence or 0) + 1
    row.since, row.until = now, now + timedelta(seconds=ttl_s)
    session.flush()
    return row.fence


def hand_over(session: Session, hardware_serial: str, claim: Claim, ttl_s: float) -> int:
    """Put a device into other hands, whoever holds it; the fence grows, so old writes fail."""
    row = session.get(Lease, hardware_serial)
    if row is not None:
        row.owner = None
        session.flush()
    return take(session, hardware_serial, claim, ttl_s)


def in_force(session: Session, hardware_serial: str) -> Lease | None:
    """Return a device's lease while somebody holds it."""
    row = session.get(Lease, hardware_serial)
    return row if row is not None and _is_held(row, utc_now()) else None


def renew(session: Session, owner: str, fence: int, ttl_s: float = LEASE_S) -> bool:
    """Prolong what ``owner`` holds; False when it lapsed or changed hands meanwhile."""
    now = utc_now()
    prolonged = session.execute(
        update(Lease)
        .where(Lease.owner == owner, Lease.fence == fence, Lease.until > now)
        .values(until=now + timedelta(seconds=ttl_s))
        .returning(Lease.hardware_serial)
    ).all()
    return bool(prolonged)


def release(session: Session, owner: str, hardware_serial: str | None = None) -> None:
    """Give back what ``owner`` holds, of one device or of all; the rows stay for their fences."""
    held = Lease.owner == owner
    if hardware_serial is not None:
        held &= Lease.hardware_serial == hardware_serial
    session.execute(
        update(Lease).where(held).values(holder=None, owner=None, label="", until=utc_now())
    )


def check(db: Database, hardware_serial: str, owner: str, fence: int) -> None:
    """Say whether a write by ``owner`` under ``fence`` may be sent now.

    Raises:
        LeaseLost: It lapsed, was released or changed hands.
    """
    with db.read() as session:
        row = session.get(Lease, hardware_serial)
    if row is None or (row.owner, row.fence) != (owner, fence) or row.until <= utc_now():
        raise LeaseLost(serial=hardware_serial)


def holder_of(db: Database, hardware_serial: str) -> Held | None:
    """Return the lease in force on a device, or None when it is free."""
    return all_held(db).get(hardware_serial)


def all_in_force(session: Session) -> list[Lease]:
    """Return every lease that keeps others out."""
    now = utc_now()
    rows = session.scalars(select(Lease).where(Lease.owner.is_not(None), Lease.until > now))
    return [row for row in rows if _is_held(row, now)]


def all_held(db: Database) -> dict[str, Held]:
    """Return every lease in force by hardware serial."""
    with db.read() as session:
        held = all_in_force(session)
    return {
        row.hardware_serial: Held(
            hardware_serial=row.hardware_serial,
            holder=row.holder or "agent",
            owner=row.owner or "",
            label=row.label,
            fence=row.fence,
            since=row.since,
            until=row.until,
        )
        for row in held
    }


def _is_held(row: Lease, now: datetime) -> bool:
    return row.owner is not None and now < row.until <= now + timedelta(seconds=LONGEST_S)
