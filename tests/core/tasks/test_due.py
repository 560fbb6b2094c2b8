"""What is due is started once, also after an absence, as the task says of missed times."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from core.clock import utc_now
from core.models import Device, Task, TaskDue, TaskRun
from core.setup import Instance, ensure
from core.tasks import due, groups, line, runs, store
from core.tasks.groups import Start
from core.tasks.schema import TaskSpec

HOME = {"type": "press_key", "key": "home"}
HOURLY = {"every_s": 3600}


@pytest.fixture(autouse=True)
def _phone(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add(Device(serial="s1", hardware_serial="HW1", state="ready"))


def save(instance: Instance, **more: Any) -> store.Task:
    body = {"name": "a", "steps": [HOME], "targets": {"serials": ["s1"]}, "schedule": HOURLY}
    return store.create(instance.db, TaskSpec.model_validate({**body, **more}), "li")


def begun(task: store.Task) -> datetime:
    assert task.next_at is not None
    return task.next_at


def taken(instance: Instance) -> list[datetime]:
    with instance.db.read() as session:
        rows = session.scalars(select(TaskDue).order_by(TaskDue.scheduled_for)).all()
    return [row.scheduled_for for row in rows if row.group_id]


def end_all(instance: Instance) -> None:
    with instance.db.write() as session:
        session.execute(update(TaskRun).values(status="success"))


def test_nothing_starts_before_its_time_and_then_once(instance: Instance) -> None:
    first = begun(save(instance))

    early = due.take(instance.db, first - timedelta(seconds=1))
    [group] = due.take(instance.db, first)
    again = due.take(instance.db, first)

    assert (early, again) == ([], [])
    assert taken(instance) == [first]
    task_id = runs.listing(instance.db, runs.Wish(group_id=group), "en")["items"][0]["task_id"]
    assert store.get(instance.db, task_id).next_at == first + timedelta(hours=1)


@pytest.mark.parametrize(
    ("missed", "late", "hours"),
    [
        ("latest", timedelta(hours=5, minutes=30), [5]),
        ("skip", timedelta(hours=5, minutes=30), []),
        ("skip", timedelta(hours=5, seconds=30), [5]),
        ("all", timedelta(hours=3, minutes=30), [0, 1, 2, 3]),
        ("all", timedelta(hours=100), list(range(77, 101))),
    ],
)
def test_after_an_absence_the_task_says_what_is_made_up_for(
    instance: Instance, missed: str, late: timedelta, hours: list[int]
) -> None:
    first = begun(save(instance, policy={"missed": missed}))

    due.take(instance.db, first + late)

    assert taken(instance) == [first + timedelta(hours=hour) for hour in hours]


def test_a_restart_loses_no_due_time_and_takes_none_twice(instance: Instance) -> None:
    first = begun(save(instance))
    due.take(instance.db, first)
    end_all(instance)

    again = ensure(instance.config)
    due.take(again.db, first)
    due.take(again.db, first + timedelta(hours=1))
    again.db.close()

    assert taken(instance) == [first, first + timedelta(hours=1)]


def test_two_that_look_at_once_start_it_once(instance: Instance) -> None:
    task = save(instance)
    first = begun(task)
    due.take(instance.db, first)
    end_all(instance)
    with instance.db.write() as session:  # as a process would see it that read before the other
        session.execute(update(Task).values(next_at=first))

    due.take(instance.db, first)

    assert taken(instance) == [first]


def test_what_still_waits_is_not_put_in_line_again(instance: Instance) -> None:
    first = begun(save(instance))
    due.take(instance.db, first)

    skipped = due.take(instance.db, first + timedelta(hours=1))
    end_all(instance)
    started = due.take(instance.db, first + timedelta(hours=2))

    assert (skipped, len(started)) == ([], 1)


def test_a_single_moment_is_due_once_and_never_again(instance: Instance) -> None:
    at = (utc_now() + timedelta(hours=1)).isoformat()
    task = save(instance, schedule={"at": at})

    [_] = due.take(instance.db, begun(task))

    assert store.get(instance.db, task.task_id).next_at is None


def test_a_start_that_cannot_be_leaves_a_run_that_says_why(instance: Instance) -> None:
    task = save(instance, targets={"tags": ["rack A"]})

    [group] = due.take(instance.db, begun(task))

    [run] = runs.matrix(instance.db, task.task_id, group, "en")["cells"]
    assert (run["status"], run["error"]["code"], run["cause"]) == (
        "failed",
        "no_device",
        "schedule",
    )


def test_a_paused_or_deleted_task_is_not_due(instance: Instance) -> None:
    paused, deleted = save(instance), save(instance)
    later = begun(deleted) + timedelta(hours=1)
    store.pause(instance.db, paused.task_id, True)
    store.remove(instance.db, deleted.task_id)

    assert due.take(instance.db, later) == []
    assert line.claim(instance.db, "console", 9) is None


def test_a_task_that_cannot_be_read_any_more_is_paused_and_hides_no_other(
    instance: Instance,
) -> None:
    odd, whole = save(instance), save(instance)
    with instance.db.write() as session:
        session.execute(
            update(Task).where(Task.id == odd.task_id).values(body={"name": "a", "steps": 7})
        )

    groups = due.take(instance.db, max(begun(odd), begun(whole)))
    listed = store.listing(instance.db)

    assert len(groups) == 1
    assert [task.task_id for task in listed.tasks] == [whole.task_id]
    assert listed.unreadable == {odd.task_id: "a"}
    assert due.take(instance.db, begun(odd) + timedelta(seconds=1)) == []
    with instance.db.read() as session:
        assert session.get_one(Task, odd.task_id).paused


def test_what_a_clock_that_was_ahead_has_put_off_is_brought_forward(instance: Instance) -> None:
    now, years = utc_now(), timedelta(days=3650)
    hourly, waits = save(instance), save(instance, name="b", schedule=None)
    cron = save(instance, name="c", schedule={"cron": "0 8 * * *", "zone": "Asia/Shanghai"})
    [run_id] = groups.start(instance.db, waits.task_id, Start()).run_ids
    with instance.db.write() as session:
        session.execute(update(Task).where(Task.next_at.is_not(None)).values(next_at=now + years))
        session.execute(update(Task).values(anchor=now + years))
        session.execute(update(TaskRun).values(not_before=now + years))

    count = due.bring_forward(instance.db, now)
    again = due.bring_forward(instance.db, now)

    assert (count, again) == (3, 0)
    assert store.get(instance.db, hourly.task_id).next_at == now + timedelta(hours=1)
    assert begun(store.get(instance.db, cron.task_id)) <= now + timedelta(days=1)
    assert store.get(instance.db, waits.task_id).next_at is None
    assert line.claim(instance.db, "console", 1) is not None
    assert run_id
