"""What a person decided about an app's acts for good."""

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment, ShortIdPk


class PolicyRule(Base):
    """A decision about an app's acts for good; an empty kind or label stands for any."""

    __tablename__ = "policy_rules"
    __table_args__ = (UniqueConstraint("app", "kind", "label"),)

    id: Mapped[ShortIdPk]
    app: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(16), default="")
    label: Mapped[str] = mapped_column(String(200), default="")
    effect: Mapped[str] = mapped_column(String(8))
    created_by: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]
