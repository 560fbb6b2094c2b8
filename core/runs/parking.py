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
from core.models import Lease, Run
from core.models import Question as QuestionRow
from core.runs import questions
from core.runs.questions import BACK, LIVES_S, Asking, Question
from core.runs.record import RunRecord, lang_of, record_of
from core.runs.slots import PARKED, are_taken, claim_of
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
        return record_of(run)


def take_over(db: Database, hardware_serial: str, claim: Claim, lang: Lang) -> Taken:
    """Put a phone into a person's hands, out of a run's if one has it: that run is paused.

    Raises:
        DeviceBusy: A task, a program or another person holds it.
    """
    with db.write() as session:
        run = _run_that_holds(session, hardware_serial)
        if run is None:
            paused = _takeover_of(session, hardware_serial, claim.owner)
            ttl_s = IDLE_S if paused else lease.LEASE_S
            return Taken(lease.take(session, hardware_serial, claim, ttl_s))
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
        _return(session, asked, claim.label)
        return asked.run_id


def answer(db: Database, run_id: str, question_id: str, value: str, who: str) -> Question:
    """Answer what a run asks; "back" to a take-over also gives the phone back to the run.

    Raises:
        NotFound, QuestionClosed, Invalid: See `core.runs.questions.answer`.
    """
    with db.write() as session:
        asked = session.get(QuestionRow, question_id)
        if asked is None or asked.kind != "takeover" or asked.status != "open" or value != BACK:
            return questions.answer_in(session, run_id, question_id, value, who)
        run = session.get(Run, run_id)
        held = lease.in_force(session, (run.hardware_serial if run else None) or "")
        if held is not None and held.holder == "human" and held.owner:
            lease.release(session, held.owner, held.hardware_serial)
        return _return(session, asked, who)


def _return(session: Session, asked: QuestionRow, who: str) -> Question:
    """Give a phone back to the run that was paused for a person."""
    answered = questions.answer_in(session, asked.run_id, asked.id, BACK, who)
    run = session.get(Run, asked.run_id)
    if run is None:
        raise NotFound(kind="run", name=asked.run_id)
    if run.hardware_serial:
        run.fence = lease.take(session, run.hardware_serial, claim_of(run))
    run.status, run.look_first = "waiting", True
    return answered


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


def _takeover_of(session: Session, hardware_serial: str, owner: str) -> QuestionRow | None:
    """Find the open take-over of a phone that this person holds."""
    held = session.get(Lease, hardware_serial)
    if held is None or held.owner != owner:
        return None
    return session.scalar(
        select(QuestionRow)
        .join(Run, Run.id == QuestionRow.run_id)
        .where(
            Run.hardware_serial == hardware_serial,
            QuestionRow.kind == "takeover",
            QuestionRow.status == "open",
        )
    )
