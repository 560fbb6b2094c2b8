"""Who may ask: users, browser sessions and API tokens.

Passwords are hashed with argon2; session cookies and tokens are random, so their digests do.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.errors import BadLogin, Conflict, NotFound
from core.ids import digest, secret_token
from core.models import ApiToken, AuthSession, User

Role = Literal["viewer", "operator", "admin"]
RANK: dict[str, int] = {"viewer": 0, "operator": 1, "admin": 2}
SESSION_DAYS = 14

_hasher = PasswordHasher()
# verified when no such user exists, so that a wrong name takes as long as a wrong password
_DUMMY = _hasher.hash("no such user")


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever sent a request; ``csrf`` only for browsers, ``token_id`` only for programs."""

    user_id: str
    name: str
    role: str
    lang: str
    csrf: str | None = None
    token_id: str | None = None

    def may(self, role: Role) -> bool:
        """Say whether this role reaches ``role``."""
        return RANK[self.role] >= RANK[role]


@dataclass(frozen=True, slots=True)
class NewSession:
    """A fresh login: ``secret`` goes into the cookie and is not kept here."""

    secret: str
    principal: Principal


def new_password() -> str:
    """Return a password that can be typed from a terminal: about 80 random bits."""
    return "-".join(secrets.token_hex(2) for _ in range(5))


def has_users(db: Database) -> bool:
    """Say whether anyone can log in at all."""
    with db.read() as session:
        return bool(session.scalar(select(func.count()).select_from(User)))


def create_user(db: Database, name: str, password: str, role: Role) -> str:
    """Add a user and return the id.

    Raises:
        Conflict: The name is taken.
    """
    hashed = _hasher.hash(password)
    with db.write() as session:
        if session.scalar(select(User.id).where(User.name == name)):
            raise Conflict(detail=name)
        user = User(name=name, password_hash=hashed, role=role)
        session.add(user)
        session.flush()
        return user.id


def reset_password(db: Database, name: str) -> str:
    """Give a user a new password, end their sessions, and return it.

    Raises:
        NotFound: There is no such user.
    """
    password = new_password()
    hashed = _hasher.hash(password)
    with db.write() as session:
        user = session.scalar(select(User).where(User.name == name))
        if user is None:
            raise NotFound(kind="user", name=name)
        user.password_hash = hashed
        session.execute(delete(AuthSession).where(AuthSession.user_id == user.id))
    return password


def log_in(db: Database, name: str, password: str) -> NewSession:
    """Check a password and open a browser session.

    Raises:
        BadLogin: The name or the password is wrong.
    """
    with db.read() as session:
        user = session.scalar(select(User).where(User.name == name))
    try:
        _hasher.verify(user.password_hash if user else _DUMMY, password)
    except (VerificationError, InvalidHashError) as error:
        raise BadLogin from error
    if user is None:
        raise BadLogin
    secret, csrf = secret_token("pds"), secrets.token_urlsafe(24)
    with db.write() as session:
        session.execute(delete(AuthSession).where(AuthSession.expires < utc_now()))
        expires = utc_now() + timedelta(days=SESSION_DAYS)
        session.add(AuthSession(digest=digest(secret), user_id=user.id, csrf=csrf, expires=expires))
    return NewSession(secret, Principal(user.id, user.name, user.role, user.lang, csrf=csrf))


def log_out(db: Database, secret: str) -> None:
    """End the browser session of this cookie, if there is one."""
    with db.write() as session:
        session.execute(delete(AuthSession).where(AuthSession.digest == digest(secret)))


def by_session(db: Database, secret: str) -> Principal | None:
    """Return who holds this cookie, or None when it has ended."""
    with db.read() as session:
        row = session.execute(
            select(AuthSession, User)
            .join(User, AuthSession.user_id == User.id)
            .where(AuthSession.digest == digest(secret), AuthSession.expires > utc_now())
        ).first()
    if row is None:
        return None
    login, user = row
    return Principal(user.id, user.name, user.role, user.lang, csrf=login.csrf)


def create_token(db: Database, owner: Principal, name: str, role: Role) -> str:
    """Make an API token, never above its owner's own role, and return its secret once."""
    secret = secret_token("pdt")
    allowed = role if owner.may(role) else owner.role
    with db.write() as session:
        session.add(ApiToken(digest=digest(secret), user_id=owner.user_id, name=name, role=allowed))
    return secret


def by_token(db: Database, secret: str) -> Principal | None:
    """Return whose API token this is; its role is the lower of the token's and the owner's now."""
    with db.read() as session:
        row = session.execute(
            select(ApiToken, User)
            .join(User, ApiToken.user_id == User.id)
            .where(ApiToken.digest == digest(secret))
        ).first()
    if row is None:
        return None
    token, user = row
    role = min(token.role, user.role, key=lambda each: RANK[each])
    return Principal(user.id, token.name, role, user.lang, token_id=token.id)


def set_lang(db: Database, user_id: str, lang: str) -> None:
    """Keep the language a user chose; empty means: as the browser says."""
    with db.write() as session:
        session.execute(update(User).where(User.id == user_id).values(lang=lang))


def set_password(db: Database, user_id: str, old: str, new: str) -> None:
    """Change a user's own password.

    Raises:
        BadLogin: ``old`` is wrong.
    """
    with db.read() as session:
        user = _user(session, user_id)
    try:
        _hasher.verify(user.password_hash, old)
    except (VerificationError, InvalidHashError) as error:
        raise BadLogin from error
    hashed = _hasher.hash(new)
    with db.write() as session:
        session.execute(update(User).where(User.id == user_id).values(password_hash=hashed))


def _user(session: Session, user_id: str) -> User:
    user = session.get(User, user_id)
    if user is None:
        raise NotFound(kind="user", name=user_id)
    return user
