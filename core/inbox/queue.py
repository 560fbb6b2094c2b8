"""The inbox: what was accepted and waits for the runner, claimed once, finished once."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from core import attachments
from core.clock import utc_now
from core.db import Database
from core.errors import NotFound, RunOver
from core.models import ConversationMessage, MessageIn, Run
from core.runs import following, questions
from core.runs.following import CHAT, FOLLOWUP
from core.runs.slots import OPEN


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A claimed message; ``attempt`` counts the claims, from 1."""

    id: str
    conv_id: str
    run_id: str
    kind: str
    text: str
    attempt: int
    attachments: tuple[str, ...] = ()


def claim(db: Database, owner: str) -> InboxRow | None:
    """Claim the oldest waiting message whose run this process carries out, or None.

    A follow-up is not claimed here: it goes into the query that is already running.
    """
    due = (
        select(MessageIn.id)
        .join(Run, Run.id == MessageIn.run_id)
        .where(MessageIn.status == "pending", MessageIn.kind != FOLLOWUP, Run.owner == owner)
        .order_by(MessageIn.created)
        .limit(1)
        .scalar_subquery()
    )
    with db.write() as session:
        row = session.scalar(
            update(MessageIn)
            .where(MessageIn.id == due)
            .values(status="processing", attempt=MessageIn.attempt + 1)
            .returning(MessageIn)
        )
        return None if row is None else _row(row)


def give_back(db: Database, owner: str) -> None:
    """Let wait again what a former process of this owner had claimed and nobody watches.

    Only what has not touched the phone: an act is never repeated by itself. A person's own run
    is not done again either, it is offered.
    """
    unattended = select(MessageIn).join(Run, Run.id == MessageIn.run_id)
    unattended = unattended.where(
        MessageIn.status == "processing",
        MessageIn.kind.not_in((CHAT, FOLLOWUP)),
        Run.owner == owner,
        Run.status.in_(OPEN),
        Run.acted.is_(False),
    )
    with db.write() as session:
        for row in session.scalars(unattended):
            row.status = "pending"
            questions.void(session, row.run_id)
            session.execute(update(Run).where(Run.id == row.run_id).values(status="queued"))


def add_followup(
    db: Database, run_id: str, text: str, attachment_ids: Sequence[str] = ()
) -> InboxRow:
    """Keep a message for a run that is going on; it shows in the conversation at once.

    If the run ends without having taken it in, the next run of the conversation begins with it.

    Raises:
        NotFound: There is no such run, or no such attachment.
        RunOver: It has ended.
    """
    with db.write() as session:
        run = session.get(Run, run_id)
        if run is None:
            raise NotFound(kind="run", name=run_id)
        if run.status not in OPEN:
            raise RunOver
        said = ConversationMessage(
            conv_id=run.conv_id, run_id=run_id, role="user", content=text, extra={}
        )
        if attachment_ids:
            said.extra = {"attachments": attachments.claim(session, attachment_ids, run_id)}
        session.add(said)
        session.flush()
        body = {"text": text, "message": said.id, "attachments": list(attachment_ids)}
        row = MessageIn(conv_id=run.conv_id, run_id=run_id, kind=FOLLOWUP, body=body)
        session.add(row)
        session.flush()
        return _row(row)


def followups(db: Database, run_id: str) -> list[InboxRow]:
    """Return a run's follow-ups that no brain has taken in yet, oldest first."""
    with db.read() as session:
        return [_row(row) for row in following.late(session, run_id)]


def attached_to(db: Database, run_id: str) -> tuple[str, ...]:
    """Return the ids of the files that a run began with."""
    begins = select(MessageIn).where(MessageIn.run_id == run_id, MessageIn.kind != FOLLOWUP)
    with db.read() as session:
        row = session.scalar(begins.order_by(MessageIn.created).limit(1))
        return () if row is None else _row(row).attachments


def complete(db: Database, ids: tuple[str, ...]) -> None:
    """Mark messages as done; only when the brain has taken them in."""
    with db.write() as session:
        session.execute(
            update(MessageIn)
            .where(MessageIn.id.in_(ids), MessageIn.status != "done")
            .values(status="done", ended=utc_now())
        )


def _row(row: MessageIn) -> InboxRow:
    text = str(row.body.get("text", ""))
    files = tuple(row.body.get("attachments", ()))
    return InboxRow(row.id, row.conv_id, row.run_id, row.kind, text, row.attempt, files)
