"""What a person added too late for a run: the next run of the conversation answers it.

A follow-up that was accepted is never dropped in silence. When a run has answered and there is
one that its brain did not take in, a run that begins with it takes over slot and device in the
same transaction.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import attachments
from core.clock import utc_now
from core.devices import lease
from core.errors import DeviceBusy
from core.models import ConversationMessage, MessageIn, Run
from core.runs.slots import claim_of

CHAT, FOLLOWUP = "chat", "followup"
TAKEN_OVER = ("serial", "hardware_serial", "mode", "channel", "provider", "autonomy", "lang")


def late(session: Session, run_id: str) -> Sequence[MessageIn]:
    """Return the follow-ups that no brain has taken in yet, oldest first."""
    query = select(MessageIn).where(
        MessageIn.run_id == run_id, MessageIn.kind == FOLLOWUP, MessageIn.status == "pending"
    )
    return session.scalars(query.order_by(MessageIn.created, MessageIn.id)).all()


def mark_missed(session: Session, run_id: str) -> None:
    """Let the conversation say of what no brain has taken in that nothing answered it."""
    for row in late(session, run_id):
        said = session.get(ConversationMessage, row.body["message"])
        if said is not None:
            said.extra = {**said.extra, "missed": True}


def follow(session: Session, ended: Run, rows: Sequence[MessageIn]) -> Run:
    """Begin a run with what came too late, in the transaction that ends the run before it.

    Its messages move behind the answer that did not know them.
    """
    first = rows[0]
    run = Run(
        conv_id=ended.conv_id,
        prompt=str(first.body["text"]),
        owner=ended.owner,
        max_steps=ended.max_steps,
        slot=True,
        alive_until=utc_now() + timedelta(seconds=lease.LEASE_S),
        **{name: getattr(ended, name) for name in TAKEN_OVER},
    )
    session.add(run)
    session.flush()
    _take_device(session, run)
    first.kind = CHAT
    for row in rows:
        row.run_id = run.id
        _move_message(session, row)
    return run


def _take_device(session: Session, run: Run) -> None:
    if run.hardware_serial is None:
        return
    try:
        run.fence = lease.take(session, run.hardware_serial, claim_of(run))
    except DeviceBusy:  # a person has it: the run begins without, and ends with these words
        run.fence = 0


def _move_message(session: Session, row: MessageIn) -> None:
    said = session.get(ConversationMessage, row.body["message"])
    if said is not None:
        session.delete(said)
    moved = ConversationMessage(
        conv_id=row.conv_id,
        run_id=row.run_id,
        role="user",
        content=str(row.body["text"]),
        extra=said.extra if said is not None else {},
    )
    attachments.move(session, row.body.get("attachments", ()), row.run_id)
    session.add(moved)
    session.flush()
    row.body = {**row.body, "message": moved.id}
