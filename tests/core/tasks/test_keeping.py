"""What task runs leave behind goes by age and by size; what is open or young stays."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from core import artifacts, retention
from core.clock import utc_now
from core.errors import NotFound
from core.models import Device, TaskGroup, TaskRun
from core.setup import Instance
from core.tasks import groups, store
from core.tasks.groups import Start
from core.tasks.schema import TaskSpec

HOME = {"type": "press_key", "key": "home"}


def make_start(instance: Instance, days_ago: float, status: str = "success", size: int = 10) -> str:
    """Make a start of one run with a picture; gives the picture's id."""
    made = store.create(instance.db, TaskSpec(name="a", steps=[HOME]), "li")
    started = groups.start(instance.db, made.task_id, Start())
    [run_id] = started.run_ids
    when = utc_now() - timedelta(days=days_ago)
    with instance.db.write() as session:
        mine = TaskGroup.id == started.group_id
        session.execute(update(TaskGroup).where(mine).values(created=when))
        session.execute(update(TaskRun).where(TaskRun.id == run_id).values(status=status))
    url = artifacts.save(instance, run_id, b"j" * size, "image/jpeg", of_task=True)
    return url.rsplit("/", 1)[1]


def is_kept(instance: Instance, artifact_id: str) -> bool:
    try:
        return artifacts.find(instance, artifact_id).path.exists()
    except NotFound:
        return False


@pytest.fixture(autouse=True)
def _phone(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add(Device(serial="s1", hardware_serial="HW1", state="ready"))


def test_old_starts_go_with_their_pictures_and_open_ones_stay(instance: Instance) -> None:
    old, waiting, young = (
        make_start(instance, 40),
        make_start(instance, 40, "queued"),
        make_start(instance, 1),
    )

    retention.sweep(instance, utc_now(), days=30, gb=1)

    assert [is_kept(instance, each) for each in (old, waiting, young)] == [False, True, True]
    with instance.db.read() as session:
        assert len(session.scalars(select(TaskRun)).all()) == 2


def test_the_oldest_go_first_when_pictures_take_too_much_room(instance: Instance) -> None:
    first, second, third = (make_start(instance, days, size=400_000) for days in (3, 2, 1))

    retention.sweep(instance, utc_now(), days=30, gb=0.0009)

    assert [is_kept(instance, each) for each in (first, second, third)] == [False, True, True]
