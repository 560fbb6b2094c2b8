"""Logging in and out, tokens for programs, and one's own account."""

from typing import Any

from flask import Blueprint, Response, jsonify, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from core import auth
from core.errors import Forbidden, Invalid
from web.api import contract
from web.console import console
from web.guard import COOKIE, needs, open_to_all, principal, self_service
from web.schemas import LoggedIn, Login, Me, MeChange, NewToken, Ok, Token

blueprint = Blueprint("auth", __name__, url_prefix="/api/auth")
limiter = Limiter(get_remote_address, storage_uri="memory://")

WRONG_LOGINS = "10 per minute"


@blueprint.post("/login")
@open_to_all
@limiter.limit(WRONG_LOGINS, deduct_when=lambda response: response.status_code == 401)
@contract(Login, LoggedIn)
def log_in(json: Login) -> Response:
    """Check a password and set the session cookie."""
    session = auth.log_in(console().instance.db, json.username, json.password)
    who = session.principal
    response = jsonify({"user": who.name, "role": who.role, "csrf": who.csrf})
    response.set_cookie(
        COOKIE,
        session.secret,
        max_age=auth.SESSION_DAYS * 86_400,
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
    return {"user": who.name, "role": who.role, "csrf": who.csrf, "lang": who.lang}


@blueprint.put("/me")
@self_service
@contract(MeChange, Ok)
def change_me(json: MeChange) -> dict[str, Any]:
    """Change one's own language or password."""
    db, who = console().instance.db, principal()
    if json.new_password is not None:
        if json.old_password is None:
            raise Invalid(path="old_password", detail="old_password")
        auth.set_password(db, who.user_id, json.old_password, json.new_password)
    if json.lang is not None:
        auth.set_lang(db, who.user_id, json.lang)
    return {"ok": True}


@blueprint.post("/tokens")
@contract(NewToken, Token)
def create_token(json: NewToken) -> dict[str, Any]:
    """Make an API token; its secret is shown this once."""
    if not principal().may(json.role):
        raise Forbidden
    return {"token": auth.create_token(console().instance.db, principal(), json.name, json.role)}
