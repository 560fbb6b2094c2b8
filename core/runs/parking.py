"""A run that waits for a person: its slot given back, its clock still, its phone kept or lent.

A run whose questions are all closed stands first in line for a slot: `core.runs.slots` lets no
new run pass it.
"""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.db import Database
from core.devices import lease
from core.devices.lease import Claim
from core.errors import DeviceBusy, NotFound
from core.models import Lease, Question, Run
from core.runs import questions, store
from core.runs.questions import BACK, LIVES_S, Asking
from core.runs.slots import PARKED, are_taken, claim_of, lang_of
from core.runs.store import RunRecord
from core.words import Lang, phrase

IDLE_S = LIVES_S["takeover"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A phone in a person's hands; ``run_id`` is the run that was paused for it, if any."""

    fence: int
    run_id: str | None = None


def park(db: Database, run_id: str, status: str) -> None:
    """Let a running run wait, and give its slot back."""
    with db.write() as session:
        run = session.get(Run, run_id)
        if run is not None and run.status in ("running", *PARKED):
            run.status, run.slot = status, False


def resume(db: Database, run_id: str, slots: int) -> RunRecord | None:
    """Let a waiting run go on; None while every slot is taken, or when it has ended.

    Raises:
        DeviceBusy: Its lease lapsed while it waited and somebody else took the device.
    """
    with db.write() as session:
        run = session.get(Run, run_id)
        if run is None or run.status not in PARKED:
            return None
        if are_taken(session, slots):
            return None
        if run.hardware_serial:
            run.fence = lease.take(session, run.hardware_serial, claim_of(run))
        run.status, run.slot = "running", True
        return store.record_of(run)


def take_over(db: Database, hardware_serial: str, claim: Claim, lang: Lang) -> Taken:
    """Put a phone into a person's hands, out of a run's if one has it: that run is paused.

    Raises:
        DeviceBusy: A task, a program or another person holds it.
    """
    with db.write() as session:
        run = _run_that_holds(session, hardware_serial)
        if run is None:
            return Taken(lease.take(session, hardware_serial, claim, IDLE_S))
        title = phrase("takeover.title", lang, name=claim.label)
        asking = Asking(
            kind="takeover",
            title=title,
            question=phrase("takeover.question", lang_of(run), name=claim.label),
            options=((BACK, phrase("takeover.back", lang_of(run))),),
        )
        questions.ask_in(session, run.id, asking)
        fence = lease.hand_over(session, hardware_serial, claim, IDLE_S)
        run.status, run.slot = "paused", False
        return Taken(fence, run.id)


def touch(db: Database, hardware_serial: str, claim: Claim) -> int:
    """Take or prolong a person's hold for one touch; a take-over stays one for as long as usual.

    Raises:
        DeviceBusy: Somebody else holds the phone.
    """
    with db.write() as session:
        asked = _takeover_of(session, hardware_serial, claim.owner)
        if asked is None:
            return lease.take(session, hardware_serial, claim)
        questions.prolong(session, asked.id, IDLE_S)
        return lease.take(session, hardware_serial, claim, IDLE_S)


def give_back(db: Database, hardware_serial: str, claim: Claim) -> str | None:
    """Take a phone out of a person's hands; returns the run that has it again, if any."""
    with db.write() as session:
        asked = _takeover_of(session, hardware_serial, claim.owner)
        lease.release(session, claim.owner, hardware_serial)
        if asked is None:
            return None
        run = session.get(Run, asked.run_id)
        if run is None:
            raise NotFound(kind="run", name=asked.run_id)
        questions.answer_in(session, run.id, asked.id, BACK, claim.label)
        run.fence = lease.take(session, hardware_serial, claim_of(run))
        run.status, run.look_first = "waiting", True
        return run.id


def _run_that_holds(session: Session, hardware_serial: str) -> Run | None:
    """Find the live run whose lease is in force; None when the phone is free or lapsed.

    Raises:
        DeviceBusy: What holds it is no run.
    """
    held = lease.in_force(session, hardware_serial)
    if held is None or held.holder == "human":
        return None  # an own hold is prolonged, another person's refused, by the lease itself
    run = session.get(Run, held.owner) if held.owner else None
    if run is None or run.status not in ("running", *PARKED):
        raise DeviceBusy(serial=hardware_serial, holder=held.label)
    return run


def _takeover_of(session: Session, hardware_serial: str, owner: str) -> Question | None:
    """Find the open take-over of a phone that this person holds."""
    held = session.get(Lease, hardware_serial)
    if held is None or held.owner != owner:
        return None
    return session.scalar(
        select(Question)
        .join(Run, Run.id == Question.run_id)
        .where(
            Run.hardware_serial == hardware_serial,
            Question.kind == "takeover",
            Question.status == "open",
        )
    )
