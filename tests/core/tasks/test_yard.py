"""Nobody waits behind those that cannot begin, nor longer than a task says."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from core.clock import utc_now
from core.devices import lease
from core.devices.lease import Claim
from core.models import Device, Lease, TaskRevision, TaskRun
from core.setup import Instance
from core.tasks import groups, line, store, yard
from core.tasks.groups import Start, Started
from core.tasks.line import Outcome
from core.tasks.schema import TaskSpec
from core.tasks.yard import Job

HOME = {"type": "press_key", "key": "home"}
PHONES = ["s0", "s1", "s2", "s3"]
PLACES = 9


@pytest.fixture(autouse=True)
def _phones(instance: Instance) -> None:
    with instance.db.write() as session:
        for serial in PHONES:
            session.add(Device(serial=serial, hardware_serial=f"HW-{serial}", state="ready"))


def start(instance: Instance, *steps: dict[str, Any], **more: Any) -> Started:
    body = {"name": "a", "steps": list(steps) or [HOME], "targets": {"serials": PHONES}, **more}
    task = store.create(instance.db, TaskSpec.model_validate(body), "li")
    return groups.start(instance.db, task.task_id, Start(who="li"))


def claim_all(instance: Instance, places: int = PLACES) -> list[Job]:
    found = []
    while (job := line.claim(instance.db, "console", places)) is not None:
        found.append(job)
    return found


def hold(instance: Instance, serial: str) -> None:
    with instance.db.write() as session:
        lease.take(session, f"HW-{serial}", Claim("human", "human:1", "Wang"), 600)


def move(instance: Instance, seconds: float, *columns: str) -> None:
    """Have everything been written down so much earlier."""
    with instance.db.write() as session:
        for run in session.scalars(select(TaskRun)):
            for name in columns or ("created", "not_before", "started", "ended"):
                moment = getattr(run, name)
                if moment is not None:
                    setattr(run, name, moment - timedelta(seconds=seconds))


def states(instance: Instance, started: Started) -> list[str]:
    query = select(TaskRun.status).where(TaskRun.group_id == started.group_id)
    with instance.db.read() as session:
        return list(session.scalars(query.order_by(TaskRun.number)))


def test_all_tasks_that_open_an_app_share_its_limit(instance: Instance) -> None:
    opening = {"type": "open_app", "app": "{{app}}"}
    limited: dict[str, Any] = {"policy": {"per_app": 1}}
    start(instance, opening, inputs={"app": "com.a"}, targets={"serials": ["s0"]}, **limited)
    start(instance, opening, inputs={"app": "com.b"}, targets={"serials": ["s1"]}, **limited)
    start(instance, opening, inputs={"app": "com.a"}, targets={"serials": ["s2"]}, **limited)

    begun = claim_all(instance)
    line.finish(instance.db, begun[0], Outcome("success"))
    then = claim_all(instance)

    assert [(job.serial, job.app) for job in begun] == [("s0", "com.a"), ("s1", "com.b")]
    assert [(job.serial, job.app) for job in then] == [("s2", "com.a")]


@pytest.mark.parametrize("policy", [{}, {"parallel": 1}, {"stagger_s": 3600}])
def test_many_rows_that_cannot_begin_keep_nobody_waiting(
    instance: Instance, policy: dict[str, Any]
) -> None:
    rows = [{"n": at} for at in range(yard.LOOKED_AT + 1)]
    phones = ["s0"] if not policy else PHONES
    start(instance, rows=rows, targets={"serials": phones}, policy=policy)
    [first] = claim_all(instance) if policy else [None]
    if first is None:
        hold(instance, "s0")
    start(instance, targets={"serials": ["s3"]})

    assert [job.serial for job in claim_all(instance)] == ["s3"]


def test_a_run_waits_behind_its_own_group_for_as_long_as_that_goes_on(instance: Instance) -> None:
    started = start(
        instance,
        rows=[{"n": 1}, {"n": 2}, {"n": 3}],
        targets={"serials": ["s0"]},
        policy={"queue_s": 60},
    )
    [job] = claim_all(instance)
    move(instance, 600, "created", "not_before", "started")

    while_it_runs = line.expire(instance.db)
    line.finish(instance.db, job, Outcome("success"))
    after_it = line.expire(instance.db)
    move(instance, 61)
    nobody_began = line.expire(instance.db)

    assert (while_it_runs, after_it) == ([], [])
    assert nobody_began == started.run_ids[1:]
    assert states(instance, started) == ["success", "failed", "failed"]


def test_a_phone_that_is_away_is_given_up_while_its_group_goes_on(instance: Instance) -> None:
    started = start(instance, policy={"queue_s": 60})
    hold(instance, "s1")
    with instance.db.write() as session:
        session.execute(update(Device).where(Device.serial == "s2").values(state="offline"))
    claim_all(instance)
    move(instance, 61, "created", "not_before")

    line.expire(instance.db)

    assert states(instance, started) == ["running", "failed", "failed", "running"]


def test_a_task_that_cannot_be_read_any_more_fails_and_keeps_nobody_waiting(
    instance: Instance,
) -> None:
    odd, whole = start(instance), start(instance)
    with instance.db.write() as session:
        for kept in session.scalars(select(TaskRevision)):
            if kept.task_id == session.scalar(
                select(TaskRun.task_id).where(TaskRun.group_id == odd.group_id).limit(1)
            ):
                kept.body = {**kept.body, "policy": {"retries": "often"}}

    begun = claim_all(instance)

    assert {job.group_id for job in begun} == {whole.group_id}
    assert set(states(instance, odd)) == {"failed"}


def test_a_lease_that_was_given_while_the_clock_was_ahead_keeps_no_task_from_its_phone(
    instance: Instance,
) -> None:
    for serial in PHONES:
        hold(instance, serial)
    start(instance)
    before = claim_all(instance)

    with instance.db.write() as session:
        session.execute(update(Lease).values(until=utc_now() + timedelta(days=3650)))

    assert not before
    assert len(claim_all(instance)) == len(PHONES)
