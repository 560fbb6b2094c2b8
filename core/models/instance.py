"""What the instance keeps of itself: its settings, and what it found out about models."""

from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment


class AppMeta(Base):
    """One setting of the instance; the keys are those of CONTRACTS 4 and a few of our own."""

    __tablename__ = "app_meta"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class ModelFacts(Base):
    """What was found out about a model at an address; see `core.model_profiles`."""

    __tablename__ = "model_facts"

    api_base: Mapped[str] = mapped_column(String(500), primary_key=True)
    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    updated: Mapped[Moment]
