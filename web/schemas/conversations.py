"""Conversations and their messages."""

from pydantic import Field

from web.schemas.attachments import AttachmentSaid
from web.schemas.base import Gives, Takes


class ConversationShown(Gives):
    """A conversation in the list; one without owner may be changed by every operator."""

    id: str
    title: str
    serial: str | None
    owner_id: str | None
    owner: str | None
    tokens: int
    created: str
    updated: str


class ConversationFound(ConversationShown):
    """One that was searched for; ``snippet`` is the place where the words were said."""

    snippet: str | None


class ConversationPage(Gives):
    """Conversations, last used first."""

    items: list[ConversationFound]
    next: str | None


class NewConversation(Takes):
    """An empty conversation."""

    title: str = Field(default="", max_length=200)


class Rename(Takes):
    """Another title."""

    title: str = Field(min_length=1, max_length=200)


class MessageShown(Gives):
    """One message; an answer carries usage, reasoning, steps and how it ended.

    ``told`` are the cards of what was remembered for its run.

    ``replaced_by`` names the run whose prompt an edit put in its place.
    """

    id: int
    role: str
    content: str
    run_id: str | None
    replaced_by: str | None
    created: str
    attachments: list[AttachmentSaid] | None = None


class Cost(Gives):
    """What was paid in one currency."""

    currency: str
    amount: float


class ConversationDetail(ConversationShown):
    """A conversation with its newest messages; ``next`` pages older ones in."""

    costs: list[Cost]
    messages: list[MessageShown]
    next: int | None
