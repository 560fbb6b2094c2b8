"""The inbox: what was accepted and waits for the runner, claimed once, finished once."""

from dataclasses import dataclass

from sqlalchemy import delete, select, update

from core.clock import utc_now
from core.db import Database
from core.errors import NotFound, RunOver
from core.models import ConversationMessage, MessageIn, Run
from core.runs.store import OPEN


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A claimed message; ``attempt`` counts the claims, from 1."""

    id: str
    conv_id: str
    run_id: str
    kind: str
    text: str
    attempt: int


def claim(db: Database, owner: str) -> InboxRow | None:
    """Claim the oldest waiting message whose run this process carries out, or None.

    A follow-up is not claimed here: it goes into the query that is already running.
    """
    due = (
        select(MessageIn.id)
        .join(Run, Run.id == MessageIn.run_id)
        .where(MessageIn.status == "pending", MessageIn.kind != "followup", Run.owner == owner)
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


def add_followup(db: Database, run_id: str, text: str) -> InboxRow:
    """Keep a message for a run that is going on; it shows in the conversation at once.

    Raises:
        NotFound: There is no such run.
        RunOver: It has ended.
    """
    with db.write() as session:
        run = session.get(Run, run_id)
        if run is None:
            raise NotFound(kind="run", name=run_id)
        if run.status not in OPEN:
            raise RunOver
        row = MessageIn(conv_id=run.conv_id, run_id=run_id, kind="followup", body={"text": text})
        session.add(row)
        session.add(
            ConversationMessage(conv_id=run.conv_id, run_id=run_id, role="user", content=text)
        )
        session.flush()
        return _row(row)


def withdraw(db: Database, row: InboxRow) -> None:
    """Take back a follow-up that came too late, so that nothing is kept that nobody answers."""
    with db.write() as session:
        session.execute(delete(MessageIn).where(MessageIn.id == row.id))
        newest = session.scalar(
            select(ConversationMessage)
            .where(
                ConversationMessage.run_id == row.run_id,
                ConversationMessage.role == "user",
                ConversationMessage.content == row.text,
            )
            .order_by(ConversationMessage.id.desc())
        )
        if newest is not None:
            session.delete(newest)


def followups(db: Database, run_id: str) -> list[InboxRow]:
    """Return a run's follow-ups that no brain has taken in yet, oldest first."""
    query = select(MessageIn).where(
        MessageIn.run_id == run_id, MessageIn.kind == "followup", MessageIn.status == "pending"
    )
    with db.read() as session:
        return [_row(row) for row in session.scalars(query.order_by(MessageIn.created))]


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
    return InboxRow(row.id, row.conv_id, row.run_id, row.kind, text, row.attempt)
