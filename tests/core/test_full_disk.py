"""When the disk is full nothing is lost that was kept, it is said, and it passes by itself."""

import logging
import os
import sqlite3
from pathlib import Path

import pytest

from core import artifacts
from core.errors import DatabaseBusy, DiskFull
from core.models import AppMeta, Artifact, Conversation, Run
from core.people import sessions, users
from core.runs import store
from core.runs.events import Done, TextDelta
from core.runs.logs import EventLogs
from core.setup import Instance
from core.trouble import Trouble
from tests.full_disk import FullDisk, room_for_none
from tests.stack import wait_for


def make_run(instance: Instance) -> str:
    with instance.db.write() as session:
        conv = Conversation(title="a")
        session.add(conv)
        session.flush()
        run = Run(conv_id=conv.id, status="running", prompt="x", provider="offline")
        session.add(run)
        session.flush()
        return str(run.id)


def test_a_write_without_room_says_so_changes_nothing_and_goes_through_later(
    instance: Instance,
) -> None:
    def write() -> None:
        with instance.db.write() as session:
            session.merge(AppMeta(key="kept", value="yes"))

    def read() -> AppMeta | None:
        with instance.db.read() as session:
            return session.get(AppMeta, "kept")

    with room_for_none(instance.db), pytest.raises(DiskFull, match="nothing more can be stored"):
        write()
    between = read()
    write()

    assert between is None
    assert read() is not None


def test_a_write_that_another_program_keeps_waiting_says_so(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.db.BUSY_MS", 10)
    instance.db.close()  # connections that are open wait for longer
    other = sqlite3.connect(instance.db.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(DatabaseBusy, match="another program"), instance.db.write():
        pass

    other.close()


def test_events_wait_in_memory_for_room_and_the_log_is_told_twice(
    instance: Instance, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.logs.AGAIN_S", 0.01)
    logs, run_id = EventLogs(instance.db, 0), make_run(instance)
    log = logs.open(run_id)
    disk = FullDisk(instance.db)
    disk.fill()

    log.append(TextDelta("one"))
    logs.start()
    wait_for(lambda: disk.refused > 20, "writes that failed")
    disk.free()
    log.append(Done("two"))
    wait_for(lambda: len(store.events(instance.db, run_id, 0)) == 2, "the events")
    logs.close()
    disk.forget()

    assert [each.name for each in store.events(instance.db, run_id, 0)] == ["delta", "done"]
    told = [record.message for record in caplog.records if record.name == "core.runs.logs"]
    assert [line.partition(":")[0] for line in told] == [
        "events could not be stored (1 times)",
        "events could not be stored",
    ]


def test_an_end_that_could_not_be_stored_is_composed_again(instance: Instance) -> None:
    log = EventLogs(instance.db, 0).open(make_run(instance))
    terminal = log.compose("done", {})

    log.withdraw(terminal)
    log.append(TextDelta("more"))
    log.append(Done("now"))

    assert [(each.id, each.name) for each in log.read(0)] == [(1, "delta"), (2, "done")]


def test_a_picture_for_which_there_is_no_room_leaves_nothing_behind(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id, folder = make_run(instance), instance.config.artifacts
    monkeypatch.setattr(artifacts, "short_id", lambda: "pic")
    with room_for_none(instance.db), pytest.raises(DiskFull):
        artifacts.save(instance, run_id, b"x", "image/jpeg")
    os.symlink("/dev/full", folder / "pic.part")
    with pytest.raises(DiskFull):
        artifacts.save(instance, run_id, b"x", "image/jpeg")

    left = list(Path(folder).iterdir())
    address = artifacts.save(instance, run_id, b"x", "image/jpeg")

    assert left == []
    assert address == "/api/artifacts/pic"
    with instance.db.read() as session:
        assert session.get(Artifact, "pic") is not None


def test_who_is_logged_in_stays_so_when_there_is_no_room(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_id = users.create_user(instance.db, "anna", "correct horse", "admin")
    secret, _ = sessions.begin(instance.db, user_id, "", "")
    monkeypatch.setattr(sessions, "NOTE_S", -1)  # each use is to be noted

    with room_for_none(instance.db) as disk:
        found = sessions.find(instance.db, secret)

    assert found is not None
    assert disk.refused == 1


def test_a_lasting_trouble_is_told_at_first_then_once_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("core.trouble.time.monotonic", lambda: now)
    trouble = Trouble(logging.getLogger("tests"), "it does not go")

    for seconds in (0, 1, 58, 1, 1):
        now += seconds
        trouble.happened(ValueError("no"))
    trouble.is_over()
    trouble.is_over()

    assert [record.message for record in caplog.records] == [
        "it does not go (1 times)",
        "it does not go (4 times)",
        "it does not go: over after 5 times",
    ]
