"""What a run puts into its conversation: the prompt it begins with, and its answer.

Both are written twice, for two readers: as a message of the conversation, and as a row of the
inbox or the outbox.
"""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core import attachments
from core.clock import utc_now
from core.errors import NotFound
from core.models import Conversation, ConversationMessage, MessageIn, MessageOut, Run
from core.runs.record import Ending, RunRequest, title_of


def place(session: Session, request: RunRequest) -> Conversation:
    """Find the conversation that a request belongs to, or open one.

    Raises:
        NotFound: It names one that does not exist.
    """
    if request.conv_id:
        conv = session.get(Conversation, request.conv_id)
        if conv is None:
            raise NotFound(kind="conversation", name=request.conv_id)
    else:
        conv = Conversation(owner_id=request.user_id)
        session.add(conv)
        session.flush()
    if not conv.title:
        conv.title = title_of(request.prompt)
    return conv


def ask(session: Session, run: Run, attachment_ids: tuple[str, ...]) -> None:
    """Put what a run begins with into the inbox and into its conversation."""
    body: dict[str, Any] = {"text": run.prompt}
    said = ConversationMessage(
        conv_id=run.conv_id, run_id=run.id, role="user", content=run.prompt, extra={}
    )
    if attachment_ids:
        body["attachments"] = list(attachment_ids)
        said.extra = {"attachments": attachments.claim(session, attachment_ids, run.id)}
    session.add_all((MessageIn(conv_id=run.conv_id, run_id=run.id, body=body), said))


def answer(session: Session, run: Run, ending: Ending) -> None:
    """Keep how a run ended where its person reads it; a deleted conversation keeps nothing."""
    conv = session.get(Conversation, run.conv_id)
    if conv is None:
        return
    conv.updated = utc_now()
    conv.tokens += ending.tokens
    if ending.continuation:
        conv.continuation = ending.continuation
    session.add(
        ConversationMessage(
            conv_id=run.conv_id,
            run_id=run.id,
            role="assistant",
            content=ending.answer,
            extra=ending.extra,
        )
    )
    asked = session.scalar(
        select(MessageIn.id).where(MessageIn.run_id == run.id).order_by(MessageIn.created)
    )
    parts = session.scalar(
        select(func.count()).select_from(MessageOut).where(MessageOut.run_id == run.id)
    )
    session.add(
        MessageOut(
            conv_id=run.conv_id,
            run_id=run.id,
            in_reply_to=asked or "",
            attempt=ending.attempt,
            part=parts or 0,
            body={"text": ending.answer, "status": ending.status},
        )
    )
