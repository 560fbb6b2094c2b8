"""Permission to run: the slots of the platform, and what a run claims its device with.

A run whose questions are all closed and that has no slot yet stands first in line: no new run
passes it.
"""

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from core.devices import lease
from core.errors import SlotBusy
from core.models import Device, Question, Run
from core.runs import questions
from core.runs.record import lang_of, title_of
from core.words import phrase

OPEN = questions.OPEN_RUNS
PARKED = ("waiting", "paused")
#: The setting that means as many slots as phones are ready, at least one.
ONE_PER_PHONE = 0


def take_slot(session: Session, run: Run, slots: int) -> None:
    """Give a new run a slot.

    Raises:
        SlotBusy: Every slot is taken, or promised to a run that was answered.
    """
    ahead = Run.slot.is_(True) | (Run.status.in_(PARKED) & ~_is_asked())
    holders = session.scalars(select(Run).where(ahead).order_by(Run.created)).all()
    if len(holders) >= how_many(session, slots):
        raise SlotBusy(holder=label_of(holders[0]))
    run.slot = True


def are_taken(session: Session, slots: int) -> bool:
    """Say whether a run that waited must wait on."""
    taken = session.scalar(select(func.count()).where(Run.slot.is_(True))) or 0
    return taken >= how_many(session, slots)


def how_many(session: Session, slots: int) -> int:
    """Say how many slots there are now by the setting, which may be `ONE_PER_PHONE`.

    A phone that went away in the middle of a run counts until that run has ended.
    """
    if slots != ONE_PER_PHONE:
        return slots
    ready = select(Device.hardware_serial).where(Device.state == "ready")
    driven = select(Run.hardware_serial).where(Run.slot.is_(True))
    return max(1, len(session.scalars(ready.union(driven)).all()))


def claim_of(run: Run) -> lease.Claim:
    """Give what a run claims its device with."""
    return lease.Claim("agent", run.id, label_of(run))


def label_of(run: Run) -> str:
    """Say which run this is, to somebody who has to wait for it."""
    return phrase("holder.run", lang_of(run), title=title_of(run.prompt))


def _is_asked() -> ColumnElement[bool]:
    """Say that a person has still something to answer; who has not stands first in line."""
    return exists().where(Question.run_id == Run.id, Question.status == "open")
