"""Run the migrations in one transaction: a start that fails halfway leaves the old database.

It opens its own connection with foreign keys off. SQLite cannot change a column in place, so
Alembic copies the table and drops the old one, and with foreign keys on that drop would delete
the rows of every table that refers to it.
"""

from typing import Any, Literal

from alembic import context
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection
from sqlalchemy.pool import NullPool

from core.config import Config
from core.models import Base, UtcTime

BUSY_MS = 10_000


def migrate() -> None:
    """Bring the database to the revision that was asked for.

    The address is ``config.attributes["url"]`` when a program called, else the environment's.
    """
    engine = _engine(context.config.attributes.get("url") or Config().url)
    with engine.begin() as connection:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=engine.dialect.name == "sqlite",
            render_item=_plain_time,
        )
        context.run_migrations()
        _check_foreign_keys(connection)


def _plain_time(kind: str, thing: Any, _context: object) -> str | Literal[False]:
    """Write our time type as what the database sees, so that a migration needs no code of ours."""
    return "sa.DateTime()" if kind == "type" and isinstance(thing, UtcTime) else False


def _engine(url: str) -> Engine:
    engine = create_engine(url, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # Python's sqlite3 would commit before some statements
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise RuntimeError(f"a migration left rows that refer to nothing: {broken[:5]}")


migrate()
