"""The rows of runs: started, claimed, kept alive and ended, each in one transaction.

A start writes run, inbox row, slot and lease together, so there is nothing in between that a
crash could leave. An end releases slot and lease and stores the last event before anyone reads
it: whoever has read it can start the next run.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import exists, insert, select, update
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.devices import lease
from core.devices import store as devices
from core.errors import ConversationBusy, NoDevice, NotFound
from core.models import AppMeta, Device, MessageIn, Run, RunEvent
from core.runs import editing, following, proof, questions, saying, teaching
from core.runs.log import Entry
from core.runs.record import Ending, RunRecord, RunRequest, record_of
from core.runs.slots import OPEN, claim_of, take_slot

ALIVE_S = lease.LEASE_S


def start(db: Database, request: RunRequest, slots: int) -> RunRecord:
    """Accept a run: conversation, run, inbox row, slot and lease in one transaction.

    Raises:
        NotFound: The conversation, or an attachment, does not exist.
        NoDevice: The device is not known.
        DeviceOffline: It is known and not ready.
        DeviceBusy: Somebody else holds it.
        SlotBusy: Every slot is taken.
        ConversationBusy: A run of the conversation is going on.
        Invalid: What it replaces is not the beginning of a run of the conversation.
    """
    with db.write() as session:
        conv = saying.place(session, request)
        device = _ready_device(session, request.serial)
        run = Run(
            conv_id=conv.id,
            serial=device.serial,
            hardware_serial=device.hardware_serial or device.serial,
            mode=request.mode,
            channel=request.channel,
            provider=request.provider,
            autonomy=request.autonomy,
            lang=request.lang,
            prompt=request.prompt,
            owner=request.owner,
            max_steps=request.max_steps,
            alive_until=utc_now() + timedelta(seconds=ALIVE_S),
        )
        session.add(run)
        session.flush()
        run.fence = lease.take(session, run.hardware_serial or device.serial, claim_of(run))
        take_slot(session, run, slots)
        _refuse_second(session, run)
        if request.replaces is not None:
            editing.replace(session, conv, request.replaces, run)
        saying.ask(session, run, request.attachments)
        conv.updated, conv.serial = utc_now(), device.serial
        return record_of(run)


def begin(db: Database, run_id: str) -> RunRecord | None:
    """Mark a queued run as running, with a fresh lease; None when it has ended meanwhile.

    Raises:
        DeviceBusy: Its lease lapsed while it waited and somebody else took the device.
    """
    with db.write() as session:
        run = _run(session, run_id)
        if run.status != "queued":
            return None
        if run.hardware_serial:
            run.fence = lease.take(session, run.hardware_serial, claim_of(run))
        run.status, run.slot = "running", True
        run.alive_until = utc_now() + timedelta(seconds=ALIVE_S)
        return record_of(run)


def keep_alive(db: Database, run_id: str) -> bool:
    """Renew a run's claim on life and on its device; False when the lease is lost.

    While a person has the phone there is no lease to renew.
    """
    with db.write() as session:
        run = _run(session, run_id)
        run.alive_until = utc_now() + timedelta(seconds=ALIVE_S)
        if run.hardware_serial is None or run.status == "paused":
            return True
        return lease.renew(session, run_id, run.fence)


def advance(db: Database, run_id: str, step: int, acted: bool) -> None:
    """Keep how far a run is, and whether it has touched the phone."""
    values: dict[str, Any] = {"step": step}
    if acted:
        values["acted"] = True
    with db.write() as session:
        session.execute(update(Run).where(Run.id == run_id).values(**values))
        if acted:
            proof.outdate(session, run_id)


def store_events(db: Database, run_id: str, entries: Sequence[Entry]) -> None:
    """Store published events, many in one transaction."""
    if entries:
        with db.write() as session:
            _insert_events(session, run_id, entries)


def finish(db: Database, run_id: str, ending: Ending) -> bool:
    """End a run: status, slot, lease, answer, outbox and last events together.

    What came too late for a run that answered begins the next one.

    Returns:
        False when the run had ended already; then nothing was written.
    """
    with db.write() as session:
        run = _run(session, run_id)
        if run.status not in OPEN:
            return False
        run.status, run.slot, run.ended = ending.status, False, utc_now()
        lease.release(session, run_id)
        questions.void(session, run_id)
        _insert_events(session, run_id, ending.entries)
        saying.answer(session, run, ending)
        if ending.lesson is not None:
            teaching.keep(session, run_id, ending.lesson)
        late = following.late(session, run_id) if ending.status == "done" else ()
        if late:
            following.follow(session, run, late)
        _close_inbox(session, run, ending.status)
        return True


def events(db: Database, run_id: str, after: int, before: int | None = None) -> list[Entry]:
    """Read stored events with ids in ``(after, before)``, oldest first."""
    query = select(RunEvent).where(RunEvent.run_id == run_id, RunEvent.id > after)
    if before is not None:
        query = query.where(RunEvent.id < before)
    with db.read() as session:
        rows = session.scalars(query.order_by(RunEvent.id)).all()
    return [Entry(row.id, row.name, row.data) for row in rows]


def get(db: Database, run_id: str) -> RunRecord:
    """Return a run.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return record_of(_run(session, run_id))


def open_runs(db: Database) -> list[RunRecord]:
    """Return the runs that have not ended, oldest first."""
    with db.read() as session:
        rows = session.scalars(select(Run).where(Run.status.in_(OPEN)).order_by(Run.created))
        return [record_of(row) for row in rows]


def orphans(db: Database, owner: str) -> list[RunRecord]:
    """Return open runs that nobody carries out: this owner's from before, or lapsed ones.

    A queued run that nobody has claimed is no orphan: it runs as if nothing had happened.
    """
    was_claimed = exists().where(MessageIn.run_id == Run.id, MessageIn.status == "processing")
    with db.read() as session:
        rows = session.scalars(
            select(Run).where(
                Run.status.in_(OPEN),
                ((Run.owner == owner) & ((Run.status != "queued") | was_claimed))
                | ((Run.owner != owner) & (Run.alive_until < utc_now())),
            )
        )
        return [record_of(row) for row in rows]


def history(
    db: Database,
    limit: int,
    before: str | None = None,
    since: datetime | None = None,
    **only: str | None,
) -> list[RunRecord]:
    """Return runs, newest first; ``before`` is the id of the last run of the page before.

    ``since`` leaves out runs that were started earlier. ``only`` are values that a run's columns
    must have, for example ``status``; None is any.
    """
    query = select(Run).order_by(Run.created.desc(), Run.id.desc()).limit(limit)
    with db.read() as session:
        if before:
            mark = _run(session, before)
            query = query.where(
                (Run.created < mark.created) | ((Run.created == mark.created) & (Run.id < before))
            )
        if since:
            query = query.where(Run.created >= since.astimezone(UTC))
        for column, value in only.items():
            if value:
                query = query.where(getattr(Run, column) == value)
        return [record_of(row) for row in session.scalars(query)]


def next_boot(db: Database) -> int:
    """Count this start of the console and return its number, from 0; see `core.runs.log`."""
    with db.write() as session:
        row = session.get(AppMeta, "boot")
        boot = 0 if row is None else int(row.value) + 1
        session.merge(AppMeta(key="boot", value=str(boot)))
    return boot


def _refuse_second(session: Session, run: Run) -> None:
    """Let a conversation have one run at a time: its token follows the newest."""
    others = select(Run.id).where(
        Run.conv_id == run.conv_id, Run.status.in_(OPEN), Run.id != run.id
    )
    if session.scalar(others.limit(1)):
        raise ConversationBusy


def _ready_device(session: Session, serial: str) -> Device:
    device = session.get(Device, serial)
    if device is None:
        raise NoDevice(path="serial", detail=serial)
    if device.state != "ready":
        raise devices.refusal(device)
    return device


def _insert_events(session: Session, run_id: str, entries: Sequence[Entry]) -> None:
    rows = [{"run_id": run_id, "id": e.id, "name": e.name, "data": e.data} for e in entries]
    if rows:
        session.execute(insert(RunEvent), rows)


def _close_inbox(session: Session, run: Run, status: str) -> None:
    """Close what the run's brain has not taken in: answered with it, stopped with it, or failed."""
    if status != "done":
        following.mark_missed(session, run.id)
    session.execute(
        update(MessageIn)
        .where(MessageIn.run_id == run.id, MessageIn.status.in_(("pending", "processing")))
        .values(status=status, ended=utc_now())
    )


def _run(session: Session, run_id: str) -> Run:
    run = session.get(Run, run_id)
    if run is None:
        raise NotFound(kind="run", name=run_id)
    return run
