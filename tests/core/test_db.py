"""Writes of two processes wait for each other instead of failing."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from core.models import AppMeta
from core.setup import Instance, ensure, first_admin

COUNT = """
import sys
from core.db import Database
from core.models import AppMeta
db = Database(sys.argv[1])
for _ in range(100):
    with db.write() as session:
        row = session.get(AppMeta, "count")
        row.value = str(int(row.value) + 1)
"""


def test_two_processes_that_read_and_then_write_lose_nothing(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add(AppMeta(key="count", value="0"))
    command = [sys.executable, "-c", COUNT, instance.db.url]

    writers = [subprocess.Popen(command) for _ in range(2)]
    codes = [writer.wait(timeout=50) for writer in writers]

    with instance.db.read() as session:
        row = session.get(AppMeta, "count")
        assert row is not None
        assert (codes, row.value) == ([0, 0], "200")


def test_a_write_is_alone_before_it_says_anything(instance: Instance) -> None:
    other = sqlite3.connect(instance.db.url.removeprefix("sqlite:///"), timeout=0)

    with instance.db.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")

    other.close()


def test_a_write_that_fails_leaves_nothing(instance: Instance) -> None:
    with pytest.raises(ZeroDivisionError), instance.db.write() as session:
        session.add(AppMeta(key="half", value="done"))
        session.flush()
        _ = 1 / 0

    with instance.db.read() as session:
        assert session.get(AppMeta, "half") is None


def test_the_database_keeps_what_it_accepted_through_a_crash(instance: Instance) -> None:
    with instance.db.read() as session:
        modes = [
            session.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]

    assert modes == ["wal", 2, 1]  # 2 is FULL


def test_set_up_twice_changes_nothing_and_shows_the_password_once(instance: Instance) -> None:
    first, second = first_admin(instance), first_admin(instance)
    key = (instance.config.data / "instance.key").read_bytes()

    again = ensure(instance.config)

    assert first
    assert second is None
    assert again.key == key.strip()
    assert again.loopback_secret == instance.loopback_secret
    again.db.close()


def test_the_instance_key_is_for_its_owner_only(instance: Instance) -> None:
    path: Path = instance.config.data / "instance.key"

    assert path.stat().st_mode & 0o077 == 0
    assert instance.config.data.stat().st_mode & 0o077 == 0
