"""People, looked after: users and roles, browser sessions, API tokens, the audit log."""

from typing import Any

from flask import Blueprint
from pydantic import BaseModel, ConfigDict

from core import auth
from core.errors import Forbidden
from core.people import audit, passwords, sessions, tokens, users
from web.api import contract
from web.console import console
from web.guard import needs, principal, self_service
from web.schemas.base import Ok, RowId
from web.schemas.people import (
    AuditPage,
    NewToken,
    NewUser,
    SessionPage,
    Token,
    TokenPage,
    UserChange,
    UserPage,
    UserShown,
)

blueprint = Blueprint("people", __name__, url_prefix="/api/auth")


class AuditQuery(BaseModel):
    """What to look for, and where the page before ended."""

    model_config = ConfigDict(extra="ignore")

    who: str = ""
    what: str = ""
    cursor: RowId | None = None


@blueprint.get("/users")
@needs("admin")
@contract(gives=UserPage)
def list_users() -> dict[str, Any]:
    """List every user by name."""
    found = users.listing(console().instance.db)
    return {"items": [each.shown() for each in found], "next": None}


@blueprint.post("/users")
@needs("admin")
@contract(NewUser, UserShown, status=201)
def add_user(json: NewUser) -> tuple[dict[str, Any], int]:
    """Add a user; without a password one is made and shown this once."""
    db = console().instance.db
    password = json.password or passwords.new_password()
    user_id = users.create_user(db, json.name, password, json.role)
    return _user(user_id, None if json.password else password), 201


@blueprint.put("/users/<user_id>")
@needs("admin")
@contract(UserChange, UserShown)
def change_user(user_id: str, json: UserChange) -> dict[str, Any]:
    """Change a user's role, or reset their password, which ends their sessions."""
    db, made = console().instance.db, None
    if json.role is not None:
        users.set_role(db, user_id, json.role)
    if json.reset_password:
        made = passwords.new_password()
        users.give_password(db, user_id, made)
    return _user(user_id, made)


@blueprint.delete("/users/<user_id>")
@needs("admin")
@contract(gives=Ok)
def remove_user(user_id: str) -> dict[str, Any]:
    """Remove a user with their sessions and tokens; the last admin stays."""
    users.remove(console().instance.db, user_id)
    return {"ok": True}


@blueprint.get("/sessions")
@contract(gives=SessionPage)
def list_sessions() -> dict[str, Any]:
    """List one's own browser sessions; an admin sees everybody's."""
    found = sessions.listing(console().instance.db, _mine_or_all())
    return {"items": [each.shown(principal().session_id) for each in found], "next": None}


@blueprint.delete("/sessions/<session_id>")
@self_service
@contract(gives=Ok)
def end_session(session_id: str) -> dict[str, Any]:
    """End a browser session: one's own, or as an admin anybody's."""
    sessions.end(console().instance.db, session_id, _mine_or_all())
    return {"ok": True}


@blueprint.get("/tokens")
@contract(gives=TokenPage)
def list_tokens() -> dict[str, Any]:
    """List one's own API tokens with their last use; an admin sees everybody's."""
    found = tokens.listing(console().instance.db, _mine_or_all())
    return {"items": [each.shown() for each in found], "next": None}


@blueprint.post("/tokens")
@contract(NewToken, Token)
def create_token(json: NewToken) -> dict[str, Any]:
    """Make an API token; its secret is shown this once."""
    if not principal().may(json.role):
        raise Forbidden
    return {"token": auth.create_token(console().instance.db, principal(), json.name, json.role)}


@blueprint.delete("/tokens/<token_id>")
@self_service
@contract(gives=Ok)
def revoke_token(token_id: str) -> dict[str, Any]:
    """Revoke an API token: one's own, or as an admin anybody's."""
    tokens.remove(console().instance.db, token_id, _mine_or_all())
    return {"ok": True}


@blueprint.get("/audit")
@needs("admin")
@contract(gives=AuditPage, query=AuditQuery)
def list_audit(query: AuditQuery) -> dict[str, Any]:
    """List what was changed, by whom, when and from where, newest first."""
    who, what = query.who.strip(), query.what.strip()
    return audit.listing(console().instance.db, who, what, query.cursor)


def _user(user_id: str, password: str | None) -> dict[str, Any]:
    shown = users.get(console().instance.db, user_id).shown()
    return {**shown, "password": password} if password else shown


def _mine_or_all() -> str | None:
    who = principal()
    return None if who.may("admin") else who.user_id
