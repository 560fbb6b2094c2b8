"""The people who log in: added, listed, changed, removed; one of them is always an admin."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from core.clock import iso
from core.db import Database
from core.errors import LastAdmin, NameTaken, NotFound, WrongPassword
from core.models import ApiToken, AuthSession, User
from core.people import passwords, sessions


@dataclass(frozen=True, slots=True)
class Account:
    """A user as an administrator sees one; ``seen`` is when a session was last used."""

    user_id: str
    name: str
    role: str
    created: datetime
    seen: datetime | None
    sessions: int
    tokens: int

    def shown(self) -> dict[str, Any]:
        """Give the account as the API shows it."""
        return {
            "id": self.user_id,
            "name": self.name,
            "role": self.role,
            "created": iso(self.created),
            "seen": iso(self.seen) if self.seen else None,
            "sessions": self.sessions,
            "tokens": self.tokens,
        }


def has_users(db: Database) -> bool:
    """Say whether anyone can log in at all."""
    with db.read() as session:
        return bool(session.scalar(select(func.count()).select_from(User)))


def listing(db: Database) -> list[Account]:
    """Return every user by name."""
    with db.read() as session:
        return [
            _account(session, user) for user in session.scalars(select(User).order_by(User.name))
        ]


def get(db: Database, user_id: str) -> Account:
    """Return one user.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return _account(session, _user(session, user_id))


def spelled(db: Database, name: str) -> str:
    """Return the name when a user has it, else nothing: it may be a password typed too early."""
    with db.read() as session:
        return session.scalar(select(User.name).where(User.name == name)) or ""


def create_user(db: Database, name: str, password: str, role: str) -> str:
    """Add a user and return the id.

    Raises:
        NameTaken: Somebody has that name.
    """
    kept = passwords.hashed(password)
    with db.write() as session:
        if session.scalar(select(User.id).where(User.name == name)):
            raise NameTaken(path="name", name=name)
        user = User(name=name, password_hash=kept, role=role)
        session.add(user)
        session.flush()
        return user.id


def set_role(db: Database, user_id: str, role: str) -> None:
    """Give a user another role; it counts from the next request on.

    Raises:
        NotFound: There is none of that id.
        LastAdmin: Nobody would be left to look after users.
    """
    with db.write() as session:
        user = _user(session, user_id)
        if role != "admin":
            _keep_an_admin(session, user)
        user.role = role


def remove(db: Database, user_id: str) -> None:
    """Remove a user with their sessions and tokens; their conversations stay, nobody's.

    Raises:
        NotFound: There is none of that id.
        LastAdmin: Nobody would be left to look after users.
    """
    with db.write() as session:
        user = _user(session, user_id)
        _keep_an_admin(session, user)
        session.delete(user)


def give_password(db: Database, user_id: str, password: str) -> None:
    """Give a user a password that somebody else chose, and end all their sessions.

    Raises:
        NotFound: There is none of that id.
    """
    kept = passwords.hashed(password)
    with db.write() as session:
        _user(session, user_id).password_hash = kept
        sessions.end_all(session, user_id)


def reset_password(db: Database, name: str) -> str:
    """Give a user a new password, end their sessions, and return it.

    Raises:
        NotFound: There is no such user.
    """
    with db.read() as session:
        user_id = session.scalar(select(User.id).where(User.name == name))
    if user_id is None:
        raise NotFound(kind="user", name=name)
    password = passwords.new_password()
    give_password(db, user_id, password)
    return password


def change_password(db: Database, user_id: str, old: str, new: str, session_id: str | None) -> None:
    """Change a user's own password and end their sessions, except the one that asks.

    Raises:
        WrongPassword: ``old`` is wrong.
    """
    with db.read() as session:
        user = _user(session, user_id)
    if not passwords.fits(user.password_hash, old):
        raise WrongPassword(path="old_password")
    kept = passwords.hashed(new)
    with db.write() as session:
        _user(session, user_id).password_hash = kept
        sessions.end_all(session, user_id, but=session_id)


def set_lang(db: Database, user_id: str, lang: str) -> None:
    """Keep the language a user chose; empty means: as the browser says."""
    with db.write() as session:
        session.execute(update(User).where(User.id == user_id).values(lang=lang))


def _keep_an_admin(session: Session, user: User) -> None:
    others = select(User.id).where(User.role == "admin", User.id != user.id)
    if user.role == "admin" and session.scalar(others) is None:
        raise LastAdmin(name=user.name)


def _account(session: Session, user: User) -> Account:
    logins = session.execute(
        select(func.count(), func.max(AuthSession.used)).where(AuthSession.user_id == user.id)
    ).one()
    tokens = session.scalar(select(func.count()).where(ApiToken.user_id == user.id))
    return Account(user.id, user.name, user.role, user.created, logins[1], logins[0], tokens or 0)


def _user(session: Session, user_id: str) -> User:
    user = session.get(User, user_id)
    if user is None:
        raise NotFound(kind="user", name=user_id)
    return user
