"""What every table shares: its names, its keys and its times.

JSON columns do not notice a change inside; assign a new value.
"""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    ForeignKey,
    MetaData,
    String,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase, mapped_column

from core.clock import aware, utc_now
from core.ids import short_id

ShortIdPk = Annotated[str, mapped_column(String(16), primary_key=True, default=short_id)]
Moment = Annotated[datetime, mapped_column(default=utc_now)]
ConvId = Annotated[
    str, mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"), index=True)
]
RunId = Annotated[str, mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)]

NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A time that comes back aware; SQLite forgets the zone, and everything we store is UTC."""

    impl = DateTime
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Mark what was read as UTC."""
        return None if value is None else aware(value)


class Base(DeclarativeBase):
    """All tables, with names that Alembic can refer to."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {  # noqa: RUF012 - the form SQLAlchemy asks for
        dict[str, Any]: JSON,
        list[Any]: JSON,
        datetime: UtcTime,
    }
