"""Read and write the database; every write goes through `Database.write`.

SQLite alone by itself begins late: two processes that read and then write fail each other.
So a write begins IMMEDIATE, one at a time in a process, and holds no device or model call.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from core.errors import DatabaseBusy, DiskFull

WRITES = "phonedeck_writes"  # execution option that marks a connection as a writer's
BUSY_MS = 10_000
LOG_MOST = 64 * 1024 * 1024  # what a large deletion made of the -wal file is given back
#: What SQLite says when the disk has no room: for a page, or for what all its readers share.
NO_ROOM = frozenset((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE))


class Database:
    """One engine a process; sessions never outlive the ``with`` block that made them."""

    def __init__(self, url: str) -> None:
        """Open lazily; nothing is touched before the first session.

        Args:
            url: An SQLAlchemy address, for example ``sqlite:////data/phonedeck.db``.
        """
        self.url = url
        self.engine = _engine(url)
        self._writes = self.engine.execution_options(**{WRITES: True})
        self._turn = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a session that sees one consistent state and changes nothing."""
        with _translated(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Give a session in a write transaction: committed at the end, undone on an error.

        No other process writes from here on, so that what is read meanwhile, also by `read`, holds.

        Raises:
            DiskFull: There is no room; nothing was written.
            DatabaseBusy: Another process has been writing all the time; nothing was written.
        """
        with (
            _translated(),
            self._turn,
            Session(self._writes, expire_on_commit=False) as session,
            session.begin(),
        ):
            session.connection()  # or the transaction would begin with the first statement only
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


@contextmanager
def _translated() -> Iterator[None]:
    """Say in our own words what passes by itself or by a person's hand."""
    try:
        yield
    except OperationalError as error:
        code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code in NO_ROOM:
            raise DiskFull from error
        if code & 0xFF == sqlite3.SQLITE_BUSY:
            raise DatabaseBusy from error
        raise


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_size=20, max_overflow=80)
    engine = create_engine(url, pool_size=20, max_overflow=300)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin ourselves, see _begin
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_MS}",
        f"journal_size_limit={LOG_MOST}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
