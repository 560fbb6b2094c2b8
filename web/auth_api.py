"""Logging in and out, and one's own account."""

from time import time
from typing import Any, NoReturn

from flask import Blueprint, Response, jsonify, request
from flask_limiter import Limiter, RequestLimit
from flask_limiter.util import get_remote_address

from core import auth
from core.errors import Invalid, TooMany
from core.people import sessions, users
from web.api import contract
from web.console import console
from web.guard import COOKIE, named, needs, open_to_all, principal, self_service
from web.schemas.base import Ok
from web.schemas.people import LoggedIn, Login, Me, MeChange

blueprint = Blueprint("auth", __name__, url_prefix="/api/auth")
limiter = Limiter(get_remote_address, storage_uri="memory://")

WRONG_FROM_ADDRESS = "10 per minute"
WRONG_FOR_NAME = "20 per 15 minutes"


def _was_wrong(response: Response) -> bool:
    return response.status_code in (400, 401)


def _slow_down(limit: RequestLimit) -> NoReturn:
    raise TooMany(wait_s=max(1, limit.reset_at - int(time())))


def _name() -> str:
    body = request.get_json(silent=True) or {}
    return f"name:{body.get('username')}"


def _account() -> str:
    return f"account:{principal().user_id}"


@blueprint.post("/login")
@open_to_all
@limiter.limit(WRONG_FROM_ADDRESS, deduct_when=_was_wrong, on_breach=_slow_down)
@limiter.limit(WRONG_FOR_NAME, key_func=_name, deduct_when=_was_wrong, on_breach=_slow_down)
@contract(Login, LoggedIn)
def log_in(json: Login) -> Response:
    """Check a password and set the session cookie."""
    db = console().instance.db
    named(users.spelled(db, json.username))
    session = auth.log_in(
        db,
        json.username,
        json.password,
        address=request.remote_addr or "",
        agent=request.user_agent.string,
    )
    who = session.principal
    response = jsonify({"user": who.name, "role": who.role, "csrf": who.csrf})
    response.set_cookie(
        COOKIE,
        session.secret,
        max_age=sessions.SESSION_DAYS * 86_400,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


@blueprint.post("/logout")
@needs("viewer")
@contract(gives=Ok)
def log_out() -> Response:
    """End this browser's session."""
    auth.log_out(console().instance.db, request.cookies.get(COOKIE, ""))
    response = jsonify({"ok": True})
    response.delete_cookie(COOKIE)
    return response


@blueprint.get("/me")
@contract(gives=Me)
def me() -> dict[str, Any]:
    """Say who asks."""
    who = principal()
    return {
        "id": who.user_id,
        "user": who.name,
        "role": who.role,
        "csrf": who.csrf,
        "lang": who.lang,
    }


@blueprint.put("/me")
@self_service
@limiter.limit(WRONG_FROM_ADDRESS, key_func=_account, deduct_when=_was_wrong, on_breach=_slow_down)
@contract(MeChange, Ok)
def change_me(json: MeChange) -> dict[str, Any]:
    """Change one's own language or password; a new password ends one's other sessions."""
    db, who = console().instance.db, principal()
    if json.new_password is not None:
        if json.old_password is None:
            raise Invalid(path="old_password", detail="old_password")
        users.change_password(db, who.user_id, json.old_password, json.new_password, who.session_id)
    if json.lang is not None:
        users.set_lang(db, who.user_id, json.lang)
    return {"ok": True}
