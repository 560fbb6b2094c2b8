"""Who is next in line: by phone, by the task's own limits, and by the host's."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from core.clock import utc_now
from core.devices import lease
from core.models import Device, TaskRun
from core.setup import Instance
from core.tasks import groups, line, runs, store
from core.tasks.groups import Start, Started
from core.tasks.line import Outcome
from core.tasks.schema import TaskSpec
from core.tasks.yard import Job

HOME = {"type": "press_key", "key": "home"}
OPEN = {"type": "open_app", "app": "淘宝"}
ALL = {"serials": ["s0", "s1", "s2"]}


@pytest.fixture(autouse=True)
def _phones(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add_all(
            Device(serial=f"s{at}", hardware_serial=f"HW{at}", state="ready") for at in range(3)
        )


def start(instance: Instance, step: dict[str, Any] = HOME, **more: Any) -> Started:
    body = {"name": "a", "steps": [step], "targets": ALL, **more}
    made = store.create(instance.db, TaskSpec.model_validate(body), "li")
    return groups.start(instance.db, made.task_id, Start())


def claimed(instance: Instance, places: int = 9) -> list[Job]:
    """Claim until nothing can begin."""
    jobs: list[Job] = []
    while (job := line.claim(instance.db, "console", places)) is not None:
        jobs.append(job)
    return jobs


def test_each_phone_takes_one_run_at_a_time_in_the_order_of_the_line(instance: Instance) -> None:
    first, second = start(instance), start(instance)

    now = claimed(instance)
    line.finish(instance.db, now[1], Outcome("success"))
    [then] = claimed(instance)

    assert [job.run_id for job in now] == first.run_ids
    assert (then.run_id, then.serial) == (second.run_ids[1], "s1")


@pytest.mark.parametrize(
    ("policy", "step", "places", "count"),
    [
        ({"parallel": 2}, HOME, 9, 2),
        ({"per_app": 1}, OPEN, 9, 1),
        ({"per_app": 1}, HOME, 9, 3),  # it opens no app
        ({"stagger_s": 60}, HOME, 9, 1),
        ({}, HOME, 2, 2),
    ],
)
def test_no_more_begin_at_once_than_the_limits_allow(
    instance: Instance, policy: dict[str, Any], step: dict[str, Any], places: int, count: int
) -> None:
    start(instance, step, policy=policy)

    assert len(claimed(instance, places)) == count


def test_the_next_begins_once_the_stagger_is_over(instance: Instance) -> None:
    start(instance, policy={"stagger_s": 60})
    [first] = claimed(instance)
    earlier = utc_now() - timedelta(seconds=61)
    with instance.db.write() as session:
        mine = TaskRun.id == first.run_id
        session.execute(update(TaskRun).where(mine).values(started=earlier))

    assert len(claimed(instance)) == 1


def test_two_tasks_share_the_limit_of_their_app(instance: Instance) -> None:
    start(instance, OPEN, targets={"serials": ["s0"]}, policy={"per_app": 1})
    start(instance, OPEN, targets={"serials": ["s1"]}, policy={"per_app": 1})

    assert [job.serial for job in claimed(instance)] == ["s0"]


def test_any_three_phones_are_three_and_any_phone_for_rows_may_be_the_same(
    instance: Instance,
) -> None:
    start(instance, targets={"any": 3})
    three = claimed(instance)
    for job in three:
        line.finish(instance.db, job, Outcome("success"))
    start(instance, targets={"any": True}, rows=[{"a": 1}, {"a": 2}])
    [one, _] = claimed(instance)
    line.finish(instance.db, one, Outcome("success"))

    assert {job.serial for job in three} == {"s0", "s1", "s2"}
    assert lease.holder_of(instance.db, one.hardware_serial) is None


def test_a_phone_that_is_busy_or_away_is_passed_over(instance: Instance) -> None:
    with instance.db.write() as session:
        session.execute(update(Device).where(Device.serial == "s0").values(state="offline"))
        lease.take(session, "HW1", lease.Claim("human", "human:1", "Wang"))
    start(instance)

    assert [job.serial for job in claimed(instance)] == ["s2"]


def test_what_was_stopped_meanwhile_is_not_tried_again(instance: Instance) -> None:
    start(instance, targets={"serials": ["s0"]}, policy={"retries": 3})
    [job] = claimed(instance)
    told = line.stop(instance.db, job.run_id)

    status = line.finish(instance.db, job, Outcome("failed"))

    assert (told, status) == ([job.run_id], "stopped")


def test_an_attempt_that_is_over_cannot_end_the_next_one(instance: Instance) -> None:
    start(instance, targets={"serials": ["s0"]}, policy={"retries": 1, "retry_after_s": 0})
    [first] = claimed(instance)
    line.finish(instance.db, first, Outcome("failed"))
    [second] = claimed(instance)

    line.finish(instance.db, first, Outcome("success"))

    assert second.attempt == 2
    assert runs.get(instance.db, second.run_id, "en")["status"] == "running"
    assert line.keep_alive(instance.db, second) is None
