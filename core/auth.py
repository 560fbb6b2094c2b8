"""Who asks: found by a browser's cookie or a program's token.

Passwords are hashed with argon2; session cookies and tokens are random, so their digests do.
Accounts, sessions and tokens themselves are looked after in `core.people`.
"""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from core.db import Database
from core.errors import BadLogin
from core.models import AuthSession, User
from core.people import passwords, sessions, tokens

Role = Literal["viewer", "operator", "admin"]
RANK: dict[str, int] = {"viewer": 0, "operator": 1, "admin": 2}


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever sent a request; ``csrf`` only for browsers, ``token_id`` only for programs.

    ``name`` is the user's, or that of the user's token; ``person`` always the user's.
    """

    user_id: str
    name: str
    role: str
    lang: str
    csrf: str | None = None
    token_id: str | None = None
    person: str = ""
    session_id: str | None = None

    def may(self, role: Role) -> bool:
        """Say whether this role reaches ``role``."""
        return RANK[self.role] >= RANK[role]


@dataclass(frozen=True, slots=True)
class NewSession:
    """A fresh login: ``secret`` goes into the cookie and is not kept here."""

    secret: str
    principal: Principal


def log_in(
    db: Database, name: str, password: str, address: str = "", agent: str = ""
) -> NewSession:
    """Check a password and open a browser session; where it comes from is shown in its list.

    Raises:
        BadLogin: The name or the password is wrong.
    """
    with db.read() as session:
        user = session.scalar(select(User).where(User.name == name))
    if not passwords.fits(user.password_hash if user else None, password) or user is None:
        raise BadLogin
    secret, login = sessions.begin(db, user.id, address, agent)
    return NewSession(secret, _browser(login, user))


def log_out(db: Database, secret: str) -> None:
    """End the browser session of this cookie, if there is one."""
    sessions.end_by_secret(db, secret)


def by_session(db: Database, secret: str) -> Principal | None:
    """Return who holds this cookie, or None when it has ended."""
    found = sessions.find(db, secret)
    return _browser(*found) if found else None


def create_token(db: Database, owner: Principal, name: str, role: Role) -> str:
    """Make an API token, never above its owner's own role, and return its secret once."""
    return tokens.create(db, owner.user_id, name, role if owner.may(role) else owner.role)


def by_token(db: Database, secret: str) -> Principal | None:
    """Return whose API token this is; its role is the lower of the token's and the owner's now."""
    found = tokens.find(db, secret)
    if found is None:
        return None
    token, user = found
    role = min(token.role, user.role, key=lambda each: RANK[each])
    return Principal(user.id, token.name, role, user.lang, token_id=token.id, person=user.name)


def _browser(login: AuthSession, user: User) -> Principal:
    return Principal(
        user.id,
        user.name,
        user.role,
        user.lang,
        csrf=login.csrf,
        person=user.name,
        session_id=sessions.id_of(login),
    )
