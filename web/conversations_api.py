"""Conversations: listed, searched, created, read, renamed, deleted, exported."""

from typing import Any, Literal
from urllib.parse import quote

from flask import Blueprint, Response, jsonify
from pydantic import BaseModel, ConfigDict

from core import conversation_export, conversations
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import owners, principal
from web.schemas.base import Ok, RowId
from web.schemas.conversations import (
    ConversationDetail,
    ConversationPage,
    ConversationShown,
    NewConversation,
    Rename,
)

blueprint = Blueprint("conversations", __name__, url_prefix="/api/agent/conversations")


class Search(BaseModel):
    """What to look for, and where the page before ended."""

    model_config = ConfigDict(extra="ignore")

    q: str = ""
    cursor: str | None = None


class Older(BaseModel):
    """Where the page before began: the id of its oldest message."""

    model_config = ConfigDict(extra="ignore")

    before: RowId | None = None


class Export(BaseModel):
    """In which form."""

    model_config = ConfigDict(extra="ignore")

    format: Literal["md", "json"] = "md"


@blueprint.get("")
@contract(gives=ConversationPage, query=Search)
def listing(query: Search) -> dict[str, Any]:
    """List conversations, last used first."""
    return conversations.listing(console().instance.db, query.q.strip(), query.cursor)


@blueprint.post("")
@contract(NewConversation, ConversationShown, status=201)
def create(json: NewConversation) -> tuple[dict[str, Any], int]:
    """Start an empty conversation."""
    title, owner = json.title.strip(), principal().user_id
    return conversations.create(console().instance.db, title, owner), 201


@blueprint.get("/<conv_id>")
@contract(gives=ConversationDetail, query=Older)
def read(conv_id: str, query: Older) -> dict[str, Any]:
    """Return a conversation with its newest messages, or the page before ``before``."""
    return conversations.read(console().instance.db, conv_id, query.before)


@blueprint.patch("/<conv_id>")
@owners
@contract(Rename, Ok)
def rename(conv_id: str, json: Rename) -> dict[str, Any]:
    """Give it another title."""
    conversations.rename(console().instance.db, conv_id, json.title.strip())
    return {"ok": True}


@blueprint.delete("/<conv_id>")
@owners
@contract(gives=Ok)
def remove(conv_id: str) -> dict[str, Any]:
    """Delete it with its runs."""
    conversations.remove(console().instance.db, conv_id)
    return {"ok": True}


@blueprint.get("/<conv_id>/export")
@contract(query=Export)
def export(conv_id: str, query: Export) -> Response:
    """Give all of it as a file, as Markdown or as JSON."""
    whole = conversations.whole(console().instance.db, conv_id)
    if query.format == "json":
        answer = jsonify(whole)
    else:
        text = conversation_export.markdown(whole, reader_lang())
        answer = Response(text, mimetype="text/markdown; charset=utf-8")
    name = quote(f"{whole['title'] or conv_id}.{query.format}", safe="")
    answer.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return answer
