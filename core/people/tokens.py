"""API tokens: programs' keys, shown once, listed with their last use, revoked."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update

from core.clock import iso, utc_now
from core.db import Database
from core.errors import DatabaseBusy, DiskFull, NotFound
from core.ids import digest, secret_token
from core.models import ApiToken, User

NOTE_S = 60


@dataclass(frozen=True, slots=True)
class Key:
    """A program's key without its secret; ``used`` is None when it never was."""

    token_id: str
    name: str
    role: str
    user_id: str
    user: str
    created: datetime
    used: datetime | None

    def shown(self) -> dict[str, Any]:
        """Give the token as the API shows it."""
        return {
            "id": self.token_id,
            "name": self.name,
            "role": self.role,
            "user": self.user,
            "user_id": self.user_id,
            "created": iso(self.created),
            "used": iso(self.used) if self.used else None,
        }


def create(db: Database, user_id: str, name: str, role: str) -> str:
    """Make a token and return its secret, which is not kept."""
    secret = secret_token("pdt")
    with db.write() as session:
        session.add(ApiToken(digest=digest(secret), user_id=user_id, name=name, role=role))
    return secret


def find(db: Database, secret: str) -> tuple[ApiToken, User] | None:
    """Return a secret's token and whose it is, and note at most once a minute that it is used."""
    with db.read() as session:
        row = session.execute(
            select(ApiToken, User)
            .join(User, ApiToken.user_id == User.id)
            .where(ApiToken.digest == digest(secret))
        ).first()
    if row is None:
        return None
    token, user = row
    now = utc_now()
    if token.used is None or now - token.used > timedelta(seconds=NOTE_S):
        # a full disk must not keep those out who come to make room
        with suppress(DiskFull, DatabaseBusy), db.write() as session:
            session.execute(update(ApiToken).where(ApiToken.id == token.id).values(used=now))
    return token, user


def listing(db: Database, user_id: str | None) -> list[Key]:
    """Return one user's tokens, or everybody's; the newest first."""
    query = select(ApiToken, User.name).join(User, ApiToken.user_id == User.id)
    if user_id is not None:
        query = query.where(ApiToken.user_id == user_id)
    with db.read() as session:
        rows = session.execute(query.order_by(ApiToken.created.desc(), ApiToken.id)).all()
    return [
        Key(each.id, each.name, each.role, each.user_id, user, each.created, each.used)
        for each, user in rows
    ]


def remove(db: Database, token_id: str, user_id: str | None) -> None:
    """Revoke a token, for ``user_id`` only one of their own; its programs are out at once.

    Raises:
        NotFound: There is none of that id, or it is somebody else's.
    """
    with db.write() as session:
        token = session.get(ApiToken, token_id)
        if token is None or user_id not in (None, token.user_id):
            raise NotFound(kind="token", name=token_id)
        session.delete(token)
