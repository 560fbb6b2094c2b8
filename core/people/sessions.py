"""Browser sessions: who is logged in, from where, since when; each can be ended.

A session is named by the beginning of its cookie's digest, of which nobody can make the cookie.
"""

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import DatabaseBusy, DiskFull, NotFound
from core.ids import digest, secret_token
from core.models import AuthSession, User

SESSION_DAYS = 14
ID_CHARS = 16
NOTE_S = 60
AGENT_CHARS = 200


@dataclass(frozen=True, slots=True)
class Login:
    """A browser that is logged in."""

    session_id: str
    user_id: str
    user: str
    address: str
    agent: str
    created: datetime
    used: datetime
    expires: datetime

    def shown(self, current: str | None) -> dict[str, Any]:
        """Give the session as the API shows it; ``current`` is the one that asks."""
        return {
            "id": self.session_id,
            "user": self.user,
            "user_id": self.user_id,
            "address": self.address,
            "agent": self.agent,
            "created": iso(self.created),
            "used": iso(self.used),
            "expires": iso(self.expires),
            "current": self.session_id == current,
        }


def begin(db: Database, user_id: str, address: str, agent: str) -> tuple[str, AuthSession]:
    """Open a session, clear away those that have run out, and return its secret with it."""
    secret, now = secret_token("pds"), utc_now()
    login = AuthSession(
        digest=digest(secret),
        user_id=user_id,
        csrf=secrets.token_urlsafe(24),
        expires=now + timedelta(days=SESSION_DAYS),
        used=now,
        address=address,
        agent=agent[:AGENT_CHARS],
    )
    with db.write() as session:
        session.execute(delete(AuthSession).where(AuthSession.expires < now))
        session.add(login)
    return secret, login


def find(db: Database, secret: str) -> tuple[AuthSession, User] | None:
    """Return a cookie's session and whose it is, and note at most once a minute that it is used."""
    now = utc_now()
    with db.read() as session:
        row = session.execute(
            select(AuthSession, User)
            .join(User, AuthSession.user_id == User.id)
            .where(AuthSession.digest == digest(secret), _is_valid(now))
        ).first()
    if row is None:
        return None
    login, user = row
    if now - (login.used or login.created) > timedelta(seconds=NOTE_S):
        # a full disk must not keep those out who come to make room
        with suppress(DiskFull, DatabaseBusy), db.write() as session:
            mine = update(AuthSession).where(AuthSession.digest == login.digest)
            session.execute(mine.values(used=now))
    return login, user


def listing(db: Database, user_id: str | None) -> list[Login]:
    """Return one user's sessions, or everybody's; the last used first."""
    query = (
        select(AuthSession, User.name)
        .join(User, AuthSession.user_id == User.id)
        .where(AuthSession.expires > utc_now())
    )
    if user_id is not None:
        query = query.where(AuthSession.user_id == user_id)
    with db.read() as session:
        found = [_login(login, name) for login, name in session.execute(query)]
    return sorted(found, key=lambda each: each.used, reverse=True)


def end(db: Database, session_id: str, user_id: str | None) -> None:
    """End a session, for ``user_id`` only one of their own.

    Raises:
        NotFound: There is none of that id, or it is somebody else's.
    """
    mine = AuthSession.digest.startswith(session_id, autoescape=True)
    with db.write() as session:
        login = session.scalar(select(AuthSession).where(mine)) if _is_id(session_id) else None
        if login is None or user_id not in (None, login.user_id):
            raise NotFound(kind="session", name=session_id)
        session.delete(login)


def end_by_secret(db: Database, secret: str) -> None:
    """End the session of this cookie, if there is one."""
    with db.write() as session:
        session.execute(delete(AuthSession).where(AuthSession.digest == digest(secret)))


def end_all(session: Session, user_id: str, but: str | None = None) -> None:
    """End a user's sessions, except one, in the caller's transaction."""
    for login in session.scalars(select(AuthSession).where(AuthSession.user_id == user_id)):
        if id_of(login) != but:
            session.delete(login)


def id_of(login: AuthSession) -> str:
    """Return what a session is called outside."""
    return login.digest[:ID_CHARS]


def _is_valid(now: datetime) -> ColumnElement[bool]:
    """Say which sessions have not run out; one that was begun while the clock was ahead has."""
    longest = now + timedelta(days=SESSION_DAYS + 1)
    return AuthSession.expires.between(now, longest)


def _is_id(session_id: str) -> bool:
    return len(session_id) == ID_CHARS


def _login(login: AuthSession, name: str) -> Login:
    return Login(
        id_of(login),
        login.user_id,
        name,
        login.address,
        login.agent,
        login.created,
        login.used or login.created,
        login.expires,
    )
