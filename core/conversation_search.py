"""Find conversations by their titles and by what was said in them, and show the place.

What is looked for is taken as it stands: ``%`` and ``_`` are signs like any other.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from core.models import Conversation, ConversationMessage

AROUND = 40  # characters shown before and after what was found


def matches(search: str) -> ColumnElement[bool]:
    """Keep conversations with the words in the title or a message, or at the start of the id."""
    said = select(ConversationMessage.conv_id).where(_says(search))
    return (
        Conversation.title.icontains(search, autoescape=True)
        | Conversation.id.startswith(search, autoescape=True)
        | Conversation.id.in_(said)
    )


def snippets(session: Session, conv_ids: Sequence[str], search: str) -> dict[str, str]:
    """Return, by conversation, a line around the words in the newest message that has them."""
    newest = (
        select(func.max(ConversationMessage.id))
        .where(ConversationMessage.conv_id.in_(conv_ids), _says(search))
        .group_by(ConversationMessage.conv_id)
    )
    rows = session.execute(
        select(ConversationMessage.conv_id, ConversationMessage.content).where(
            ConversationMessage.id.in_(newest)
        )
    )
    return {conv_id: snippet(content, search) for conv_id, content in rows}


def snippet(text: str, search: str) -> str:
    """Cut a line out of a text around the words; ``…`` stands for what was left out.

    The database ignores the case of more letters or fewer than Python does: where the words are
    not found again, the line is the text's beginning.
    """
    place = max(text.casefold().find(search.casefold()), 0)
    start, end = max(place - AROUND, 0), place + len(search) + AROUND
    line = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"


def _says(search: str) -> ColumnElement[bool]:
    return ConversationMessage.content.icontains(search, autoescape=True)
