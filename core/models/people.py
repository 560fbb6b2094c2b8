"""Who may use the console, by which secret, and what they did."""

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment, ShortIdPk


class User(Base):
    """A person who logs in."""

    __tablename__ = "users"

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(64), unique=True)
    password_hash: Mapped[str] = mapped_column(String(256))
    role: Mapped[str] = mapped_column(String(16))
    lang: Mapped[str] = mapped_column(String(2), default="")
    created: Mapped[Moment]


class AuthSession(Base):
    """A browser that is logged in; its cookie holds the secret, this row only the digest."""

    __tablename__ = "auth_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64), default="")
    agent: Mapped[str] = mapped_column(String(200), default="")
    created: Mapped[Moment]
    used: Mapped[datetime | None]
    expires: Mapped[datetime]


class ApiToken(Base):
    """A program's key; shown once, stored as a digest."""

    __tablename__ = "api_tokens"

    id: Mapped[ShortIdPk]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(16))
    created: Mapped[Moment]
    used: Mapped[datetime | None]


class AuditEntry(Base):
    """An unsafe request, without its body; `core.people.audit` counts repeats in ``times``.

    A user's id and name stay when the user goes, so they refer to nothing.
    """

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str | None] = mapped_column(String(16))
    who: Mapped[str] = mapped_column(String(64), default="")
    token: Mapped[str] = mapped_column(String(64), default="")
    action: Mapped[str] = mapped_column(String(64))
    method: Mapped[str] = mapped_column(String(8))
    target: Mapped[str] = mapped_column(String(200))
    status: Mapped[int]
    address: Mapped[str] = mapped_column(String(64), default="")
    times: Mapped[int] = mapped_column(default=1)
    created: Mapped[Moment]
    until: Mapped[Moment]
