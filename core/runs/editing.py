"""Say something again in other words: what an edit replaces stays to be read, and counts no more.

Nothing is deleted. The messages from the edited one on name the run that replaced them; a later
run is not reminded of them, and a brain that keeps a session of its own begins a new one.
"""

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core.errors import Invalid
from core.models import Conversation, ConversationMessage, Run
from core.runs.record import title_of


def replace(session: Session, conv: Conversation, message_id: int, run: Run) -> None:
    """Let a new run take the place of everything from a message on.

    Raises:
        Invalid: It is not the beginning of a run in this conversation, or was replaced before.
    """
    edited = session.get(ConversationMessage, message_id)
    if edited is None or not _may_be_edited(session, conv, edited):
        raise Invalid(path="replaces", detail=str(message_id))
    session.execute(
        update(ConversationMessage)
        .where(
            ConversationMessage.conv_id == conv.id,
            ConversationMessage.id >= message_id,
            ConversationMessage.replaced_by.is_(None),
        )
        .values(replaced_by=run.id)
    )
    conv.continuation = None
    if conv.title == title_of(edited.content):
        conv.title = title_of(run.prompt)


def _may_be_edited(session: Session, conv: Conversation, message: ConversationMessage) -> bool:
    first = session.scalar(
        select(ConversationMessage.id)
        .where(ConversationMessage.run_id == message.run_id)
        .order_by(ConversationMessage.id)
        .limit(1)
    )
    return (
        message.conv_id == conv.id
        and message.role == "user"
        and message.replaced_by is None
        and first == message.id
    )
