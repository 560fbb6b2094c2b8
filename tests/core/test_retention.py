"""What runs leave behind goes by age and by size; what was said stays."""

import shutil
from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from core import artifacts, retention
from core.clock import utc_now
from core.devices import store as devices
from core.errors import DiskLow, NotFound
from core.models import (
    Address,
    Artifact,
    Conversation,
    ConversationMessage,
    Device,
    Question,
    Run,
    RunAct,
    RunCheck,
    RunEvent,
)
from core.runs import store
from core.setup import Instance


def make_run(instance: Instance, days_ago: float, size: int = 10) -> tuple[str, str]:
    """Make an ended run with an event, an answer and a picture; give run and artifact."""
    ended = utc_now() - timedelta(days=days_ago)
    with instance.db.write() as session:
        conv = Conversation()
        session.add(conv)
        session.flush()
        run = Run(conv_id=conv.id, prompt="x", status="done", created=ended, ended=ended)
        session.add(run)
        session.flush()
        session.add(RunEvent(run_id=run.id, id=1, name="delta", data='{"text":"I think."}'))
        session.add(RunEvent(run_id=run.id, id=2, name="done", data="{}"))
        session.add(RunAct(run_id=run.id, app="a", step={"type": "press_key", "key": "home"}))
        session.add(RunCheck(run_id=run.id, stated="{}", met=True, seen="x"))
        session.add(Question(run_id=run.id, kind="question", title="", text="?", expires_at=ended))
        extra = {"reasoning": "I think.", "steps": 3, "ms": 9}
        session.add(
            ConversationMessage(
                conv_id=conv.id, run_id=run.id, role="assistant", content="好了。", extra=extra
            )
        )
        run_id = run.id
    name = artifacts.save(instance, run_id, b"j" * size, "image/jpeg").rsplit("/", 1)[1]
    return run_id, name


def count(instance: Instance, table: type) -> int:
    with instance.db.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_what_is_too_old_goes_and_what_was_said_stays(instance: Instance) -> None:
    old, old_file = make_run(instance, days_ago=31)
    young, young_file = make_run(instance, days_ago=29)

    swept = retention.sweep(instance, utc_now(), days=30, gb=5)

    assert (swept.runs, swept.files) == (1, 1)
    assert [entry.name for entry in store.events(instance.db, old, 0)] == ["done"]
    assert [entry.name for entry in store.events(instance.db, young, 0)] == ["delta", "done"]
    with pytest.raises(NotFound):
        artifacts.find(instance, old_file)
    assert artifacts.find(instance, young_file).path.is_file()
    with instance.db.read() as session:
        said = session.scalar(select(ConversationMessage).where(ConversationMessage.run_id == old))
        assert said is not None
        assert (said.content, said.extra) == ("好了。", {"ms": 9})
        assert session.get(Run, old) is not None


def test_the_clock_alone_makes_things_old(instance: Instance) -> None:
    make_run(instance, days_ago=0)

    now = retention.sweep(instance, utc_now(), days=30, gb=5)
    later = retention.sweep(instance, utc_now() + timedelta(days=30, hours=1), days=30, gb=5)

    assert (now.runs, later.runs) == (0, 1)


def test_beyond_the_size_the_oldest_runs_are_emptied(instance: Instance) -> None:
    names = [make_run(instance, days_ago=5 - n, size=400)[1] for n in range(5)]

    swept = retention.sweep(instance, utc_now(), days=30, gb=1000 / retention.GB)

    assert swept == retention.Swept(runs=3, files=3)
    assert retention.used_bytes(instance) <= 1000
    with instance.db.read() as session:
        assert set(session.scalars(select(Artifact.id))) == set(names[3:])
    assert len(list(instance.config.artifacts.iterdir())) == 2


def test_a_run_that_goes_on_keeps_everything(instance: Instance) -> None:
    run_id, name = make_run(instance, days_ago=40)
    with instance.db.write() as session:
        session.execute(update(Run).values(status="waiting", ended=None))

    swept = retention.sweep(instance, utc_now(), days=30, gb=1 / retention.GB)

    assert swept == retention.Swept()
    assert artifacts.find(instance, name).run_id == run_id


def test_files_of_deleted_conversations_go_and_fresh_ones_may_await_their_row(
    instance: Instance,
) -> None:
    _, name = make_run(instance, days_ago=0)
    with instance.db.write() as session:
        session.execute(delete(Conversation))
    (instance.config.artifacts / "begun.part").write_bytes(b"x")

    now = retention.sweep(instance, utc_now(), days=30, gb=5)
    later = retention.sweep(instance, utc_now() + timedelta(hours=2), days=30, gb=5)

    assert (now.files, later.files) == (0, 2)
    assert not (instance.config.artifacts / name).exists()


def test_on_a_full_disk_no_picture_is_kept_and_it_is_said(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id, _ = make_run(instance, days_ago=0)
    total, used, _ = shutil.disk_usage(instance.config.artifacts)
    full = type(shutil.disk_usage("/"))(total, used, 900 * artifacts.MB)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)

    with pytest.raises(DiskLow, match="900 MB"):
        artifacts.save(instance, run_id, b"x", "image/jpeg")

    assert count(instance, Artifact) == 1


def test_what_was_done_checked_and_asked_goes_with_the_events(instance: Instance) -> None:
    old, _ = make_run(instance, days_ago=31)
    young, _ = make_run(instance, days_ago=29)

    retention.sweep(instance, utc_now(), days=30, gb=5)

    with instance.db.read() as session:
        left = {
            run_id for what in retention.BESIDE for run_id in session.scalars(select(what.run_id))
        }
    assert left == {young}
    assert old != young


def test_of_a_phone_that_comes_by_ever_new_addresses_the_old_ones_go(instance: Instance) -> None:
    long_ago = utc_now() - timedelta(days=31)
    rows = [
        ("10.0.0.2:5555", "HW1", "offline", long_ago),
        ("10.0.0.2:5556", "HW1", "offline", utc_now()),
        ("10.0.0.2:5557", "HW1", "ready", long_ago),
        ("USB2", "HW2", "offline", long_ago),
        ("10.0.0.3:5555", "HW2", "offline", long_ago - timedelta(days=1)),
        ("10.0.0.4:5555", "HW3", "offline", long_ago),
    ]
    with instance.db.write() as session:
        for serial, hardware, state, since in rows:
            row = Device(serial=serial, hardware_serial=hardware, state=state, since=since)
            session.add(row)

    retention.sweep(instance, utc_now(), days=30, gb=5)

    with instance.db.read() as session:
        left = set(session.scalars(select(Device.serial)))
    assert left == {"10.0.0.2:5556", "10.0.0.2:5557", "USB2", "10.0.0.4:5555"}


def test_an_address_is_connected_no_more_once_its_phone_has_long_come_by_another_name(
    instance: Instance,
) -> None:
    long_ago = utc_now() - timedelta(days=31)
    rows = [
        ("10.0.0.2:5555", "HW1", "offline"),
        ("10.0.0.2:5557", "HW1", "ready"),
        ("10.0.0.3:5555", "HW2", "offline"),  # away by both its names
        ("USB2", "HW2", "offline"),
    ]
    with instance.db.write() as session:
        for serial, hardware, state in rows:
            row = Device(serial=serial, hardware_serial=hardware, state=state, since=long_ago)
            session.add_all([row, Address(address=serial)])

    retention.sweep(instance, utc_now(), days=30, gb=5)

    with instance.db.read() as session:
        left = set(session.scalars(select(Device.serial)))
    assert left == {"10.0.0.2:5557", "10.0.0.3:5555", "USB2"} == set(devices.addresses(instance.db))
