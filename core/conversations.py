"""Threads of messages between a person and an agent."""

from typing import Any

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from core import conversation_search
from core.clock import iso
from core.db import Database
from core.errors import ConversationBusy, NotFound
from core.models import Conversation, ConversationMessage, Run
from core.runs.slots import OPEN
from core.settings import HISTORY_ROUNDS

PAGE = 50
LOADED = 60
REMINDED = 20_000  # characters of one message that a later run is reminded of


def listing(db: Database, search: str = "", before: str | None = None) -> dict[str, Any]:
    """Return one page of conversations, last used first, as ``{items, next}``.

    Args:
        db: Where they are.
        search: Kept when in the title, in a message, or at the start of the id; ``snippet`` is
            the place in the newest message that has it.
        before: Cursor of the page before: the id of its last conversation.
    """
    query = select(Conversation).order_by(Conversation.updated.desc(), Conversation.id.desc())
    found: dict[str, str] = {}
    with db.read() as session:
        if search:
            query = query.where(conversation_search.matches(search))
        if before:
            mark = _conv(session, before)
            query = query.where(
                (Conversation.updated < mark.updated)
                | ((Conversation.updated == mark.updated) & (Conversation.id < mark.id))
            )
        rows = session.scalars(query.limit(PAGE + 1)).all()
        if search:
            ids = [row.id for row in rows[:PAGE]]
            found = conversation_search.snippets(session, ids, search)
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    items = [{**_shown(row), "snippet": found.get(row.id)} for row in rows[:PAGE]]
    return {"items": items, "next": more}


def create(db: Database, title: str = "", owner_id: str | None = None) -> dict[str, Any]:
    """Start an empty conversation."""
    with db.write() as session:
        conv = Conversation(title=title, owner_id=owner_id)
        session.add(conv)
        session.flush()
        return _shown(conv)


def read(db: Database, conv_id: str, before: int | None = None) -> dict[str, Any]:
    """Return a conversation with its newest messages; ``next`` pages older ones in.

    Raises:
        NotFound: There is none of that id.
    """
    query = (
        select(ConversationMessage)
        .where(ConversationMessage.conv_id == conv_id)
        .order_by(ConversationMessage.id.desc())
    )
    with db.read() as session:
        conv = _conv(session, conv_id)
        if before is not None:
            query = query.where(ConversationMessage.id < before)
        rows = session.scalars(query.limit(LOADED + 1)).all()
        spent = _costs(session, conv_id)
    page = rows[:LOADED]
    more = page[-1].id if len(rows) > LOADED else None
    messages = [_message(row) for row in reversed(page)]
    return {**_shown(conv), "costs": spent, "messages": messages, "next": more}


def head(db: Database, conv_id: str) -> dict[str, Any]:
    """Return a conversation without its messages.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return _shown(_conv(session, conv_id))


def whole(db: Database, conv_id: str) -> dict[str, Any]:
    """Return a conversation with all its messages, for export.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        conv = _conv(session, conv_id)
        rows = session.scalars(
            select(ConversationMessage)
            .where(ConversationMessage.conv_id == conv_id)
            .order_by(ConversationMessage.id)
        ).all()
    return {**_shown(conv), "messages": [_message(row) for row in rows]}


def rename(db: Database, conv_id: str, title: str) -> None:
    """Give a conversation another title.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        _conv(session, conv_id).title = title


def note(session: Session, conv_id: str, run_id: str, **extra: Any) -> bool:
    """Add something to what is shown with a run's answer; False when the answer is gone."""
    row = session.scalar(_answer_of(conv_id, run_id))
    if row is not None:
        row.extra = {**row.extra, **extra}
    return row is not None


def noted(db: Database, conv_id: str, run_id: str) -> dict[str, Any]:
    """Return what is shown with a run's answer; empty while there is none."""
    with db.read() as session:
        row = session.scalar(_answer_of(conv_id, run_id))
        return dict(row.extra) if row is not None else {}


def remove(db: Database, conv_id: str) -> None:
    """Delete a conversation with its runs.

    Raises:
        NotFound: There is none of that id.
        ConversationBusy: A run of it is going on.
    """
    with db.write() as session:
        _conv(session, conv_id)
        going = select(Run.id).where(Run.conv_id == conv_id, Run.status.in_(OPEN))
        if session.scalar(going):
            raise ConversationBusy
        session.execute(delete(Conversation).where(Conversation.id == conv_id))


def leave_as_is(db: Database, run_id: str) -> None:
    """Offer no more to do a run again that broke off; what it said stays."""
    with db.write() as session:
        said = session.scalars(
            select(ConversationMessage).where(
                ConversationMessage.run_id == run_id, ConversationMessage.role == "assistant"
            )
        )
        for message in said:
            message.extra = {key: value for key, value in message.extra.items() if key != "again"}


def history(db: Database, conv_id: str, until_run: str) -> list[tuple[str, str]]:
    """Return what was said before a run, oldest first, as ``(role, content)``.

    The last rounds only, and only what was said: usage and reasoning never go back to a model.
    """
    with db.read() as session:
        first = session.scalar(
            select(func.min(ConversationMessage.id)).where(ConversationMessage.run_id == until_run)
        )
        query = select(ConversationMessage).where(
            ConversationMessage.conv_id == conv_id,
            ConversationMessage.content != "",
            ConversationMessage.replaced_by.is_(None),
        )
        if first is not None:
            query = query.where(ConversationMessage.id < first)
        rows = session.scalars(
            query.order_by(ConversationMessage.id.desc()).limit(2 * HISTORY_ROUNDS)
        ).all()
    return [(row.role, _reminder(row)) for row in reversed(rows)]


def _reminder(row: ConversationMessage) -> str:
    names = [each["name"] for each in row.extra.get("attachments", ())]
    return cut(row.content) + (f"\n[attached then: {', '.join(names)}]" if names else "")


def cut(text: str) -> str:
    """Keep the beginning of what was said, for a model that is only reminded of it."""
    return text if len(text) <= REMINDED else f"{text[:REMINDED]}… ({len(text)})"


def continuation(db: Database, conv_id: str) -> str | None:
    """Return what resumes the brain's session of this conversation, if it has one."""
    with db.read() as session:
        return _conv(session, conv_id).continuation


def _answer_of(conv_id: str, run_id: str) -> Select[ConversationMessage]:
    said = select(ConversationMessage).where(
        ConversationMessage.conv_id == conv_id,
        ConversationMessage.run_id == run_id,
        ConversationMessage.role == "assistant",
    )
    return said.order_by(ConversationMessage.id.desc()).limit(1)


def _conv(session: Session, conv_id: str) -> Conversation:
    conv = session.get(Conversation, conv_id)
    if conv is None:
        raise NotFound(kind="conversation", name=conv_id)
    return conv


def _costs(session: Session, conv_id: str) -> list[dict[str, Any]]:
    """Sum what the answers cost where prices were known, by currency."""
    usage = ConversationMessage.extra["usage"]
    currency = usage["currency"].as_string()
    amount = func.sum(usage["cost"].as_float())
    query = select(currency, amount).where(
        ConversationMessage.conv_id == conv_id,
        ConversationMessage.role == "assistant",
        usage["cost"].as_float().is_not(None),
    )
    rows = session.execute(query.group_by(currency).order_by(currency))
    return [{"currency": name or "", "amount": total} for name, total in rows]


def _shown(conv: Conversation) -> dict[str, Any]:
    return {
        "id": conv.id,
        "title": conv.title,
        "serial": conv.serial,
        "owner_id": conv.owner_id,
        "owner": conv.owner.name if conv.owner else None,
        "tokens": conv.tokens,
        "created": iso(conv.created),
        "updated": iso(conv.updated),
    }


def _message(row: ConversationMessage) -> dict[str, Any]:
    return {
        "id": row.id,
        "role": row.role,
        "content": row.content,
        "run_id": row.run_id,
        "replaced_by": row.replaced_by,
        "created": iso(row.created),
        **row.extra,
    }
