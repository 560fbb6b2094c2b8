"""The one clock: UTC, and the one form in which a time leaves the program."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the time now, aware, in UTC."""
    return datetime.now(UTC)


def aware(moment: datetime) -> datetime:
    """Mark a stored time as UTC; SQLite gives datetimes back without their zone."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def iso(moment: datetime) -> str:
    """Write a time as ISO 8601 UTC with milliseconds, as in ``2026-11-30T01:02:03.004Z``."""
    text = aware(moment).astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
