"""A disk without room, as this process's database meets it: every write gets a real SQLITE_FULL.

Each write asks for more pages than the file may have. Other processes' connections are not bound
by it; files are full for whoever writes to ``/dev/full``.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event, text
from sqlalchemy.engine import Connection

from core.db import WRITES, Database


class FullDisk:
    """Full from `fill` until `free`; both may be called from any thread, and twice."""

    def __init__(self, db: Database) -> None:
        self.is_full = False
        self.refused = 0
        self._db = db
        with db.write() as session:
            session.execute(text("CREATE TABLE IF NOT EXISTS ballast (pages BLOB)"))
        self._before = db._writes
        # of its own, since a list of listeners must not change while another thread walks it
        own = db.engine.execution_options(**{WRITES: True})
        event.listen(own, "begin", self._begun)
        db._writes = own

    def fill(self) -> None:
        self.is_full = True

    def free(self) -> None:
        self.is_full = False

    def forget(self) -> None:
        self._db._writes = self._before

    def _begun(self, connection: Connection) -> None:
        if not self.is_full:
            return
        self.refused += 1
        connection.exec_driver_sql("PRAGMA max_page_count=1")  # no fewer than there are already
        try:
            connection.exec_driver_sql("INSERT INTO ballast VALUES (zeroblob(1048576))")
        finally:
            connection.exec_driver_sql("PRAGMA max_page_count=4294967294")


@contextmanager
def room_for_none(db: Database) -> Iterator[FullDisk]:
    """Give a disk that is full from now on, and has room again at the end."""
    disk = FullDisk(db)
    disk.fill()
    try:
        yield disk
    finally:
        disk.forget()
