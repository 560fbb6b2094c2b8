"""A run on a full disk ends as what it was, is learned from, and leaves nothing taken."""

from collections.abc import Iterator
from typing import Any

import pytest

from core import storing
from core.devices import lease
from core.errors import DiskFull
from core.memory import audit, experiences
from core.memory.experiences import NewExperience
from core.runs import store
from core.settings import AgentSettings
from core.setup import Instance
from mcp_agent.lessons import Lesson
from mcp_agent.review import review
from tests.crashing import has_lessons
from tests.fixtures_mcp import McpHouse
from tests.full_disk import FullDisk, room_for_none
from tests.mcp_agent.conftest import Desk, Settings, data
from tests.mcp_agent.tasking import LONG, OPEN, Shop
from tests.mcp_agent.test_learning import TASK, School, both, is_aside, school
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

__all__ = ["school"]


@pytest.fixture
def disk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullDisk]:
    """Give the console's disk, which has room until somebody fills it."""
    monkeypatch.setattr(storing, "AGAIN_S", 0.01)
    made = FullDisk(desk.instance.db)
    yield made
    made.forget()


def test_a_run_that_answers_on_a_full_disk_is_done_once_there_is_room(
    desk: Desk, settings: Settings, disk: FullDisk, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: Request) -> Reply:
        if not tool_texts(request):
            return Reply(calls=(Call("de_current_app"),))
        if disk.refused == 0:
            disk.fill()
        return Reply(content="看过了。")

    with PolicyModel(answer) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("看一眼")
        waits = desk.entries(run_id, until="notice")
        wait_for(lambda: disk.refused > 10, "tries to store its end")
        between = store.get(desk.instance.db, run_id).status
        disk.free()
        entries = desk.entries(run_id)
        after = desk.run("再看一眼")

    assert data(waits[-1])["code"] == "disk_full"
    assert between == "running"
    assert (entries[-1].name, data(entries[-1])["answer"]) == ("done", "看过了。")
    assert store.events(desk.instance.db, run_id, 0) == entries
    assert after[-1].name == "done"
    assert lease.all_held(desk.instance.db) == {}
    assert sum("its end waits to be stored" in line for line in caplog.messages) == 1


def test_what_cannot_be_written_down_is_not_done_and_the_run_says_why(
    desk: Desk, settings: Settings, disk: FullDisk, phone: PhoneHandle
) -> None:
    def home(request: Request) -> Reply:
        disk.fill()
        return Reply(calls=(Call("de_press_key", {"key": "home"}),))

    phone.start("com.android.settings")
    with PolicyModel(home) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("回到桌面")
        desk.entries(run_id, until="notice")
        disk.free()
        last = desk.entries(run_id)[-1]

    assert (last.name, data(last)["code"]) == ("error", "disk_full")
    assert "清出空间" in data(last)["hint"]
    assert store.get(desk.instance.db, run_id).status == "failed"
    assert phone.get("system.foreground") == "com.android.settings"
    assert lease.all_held(desk.instance.db) == {}


def test_a_console_that_stops_on_a_full_disk_closes_the_run_at_its_next_start(
    desk: Desk, settings: Settings, disk: FullDisk
) -> None:
    def answer(request: Request) -> Reply:
        disk.fill()
        return Reply(content="好了。")

    with PolicyModel(answer) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("看一眼")
        desk.entries(run_id, until="notice")
        desk.close()
        disk.free()
        desk.open()
        last = desk.entries(run_id)[-1]

    assert (last.name, data(last)["code"]) == ("error", "interrupted")
    assert lease.all_held(desk.instance.db) == {}


def test_what_was_learned_waits_for_room_and_is_kept_once(
    school: School, disk: FullDisk, caplog: pytest.LogCaptureFixture
) -> None:
    def filling(request: Request) -> Reply:
        if is_aside(request) and disk.refused == 0:
            disk.fill()
        return both(request)

    learned: list[Any] = []
    with PolicyModel(filling) as model:
        school.learner.start()
        school.desk.runner.learn = school.learner.consider
        school.learner.changed = lambda: learned.append(school.learner.newest)
        school.desk.settings = school.make_settings(model.url)
        school.desk.run(TASK)
        wait_for(lambda: disk.refused > 10, "tries to keep it")
        between = school.known()
        disk.free()
        wait_for(lambda: learned, "the card")
        school.learner.stop(10)

    assert between == []
    assert len(school.known()) == 1
    assert learned[0]["card"]["ok"]
    assert len(school.actions()) == 1
    assert any("经验提炼" in line and "waits to be stored" in line for line in caplog.messages)


def test_what_was_told_is_credited_once_when_there_is_room(school: School, disk: FullDisk) -> None:
    def fill_and_learn(lesson: Lesson) -> None:
        disk.fill()
        school.learner.consider(lesson)

    with PolicyModel(both) as model:
        school.run(model, TASK)
        school.learner.start()
        school.desk.runner.learn = fill_and_learn
        school.desk.run(TASK)
        wait_for(lambda: disk.refused > 10, "tries to credit it")
        [between] = school.known()
        disk.free()
        wait_for(lambda: not has_lessons(school.desk.instance.db), "the end of learning")
        school.learner.stop(10)

    [after] = school.known()
    assert (between["successes"], after["successes"]) == (0, 1)


def test_a_review_on_a_full_disk_says_so_and_the_next_one_makes_up_for_it(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    with instance.db.write() as session:
        experiences.add(session, NewExperience(TASK, "打开设置，点蓝牙那一行进去。"))
    with room_for_none(instance.db), pytest.raises(DiskFull):
        review(instance, AgentSettings(), "zh")
    latest = audit.latest(instance.db)

    later = review(instance, AgentSettings(), "zh")

    assert latest is None
    assert later["judged"] == 1
    assert "经验巡检: the review did not come to its end" in caplog.text


def test_a_task_run_that_ends_on_a_full_disk_is_ended_once_there_is_room(
    mcp_house: McpHouse, disk: FullDisk, phone: PhoneHandle, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Shop(mcp_house)
    [run_id] = shop.start(shop.save(OPEN, LONG)).run_ids
    shop.at(run_id, "steps.1")

    disk.fill()
    shop.runner.stop([run_id])
    wait_for(lambda: any("its end waits" in line for line in caplog.messages), "the full disk")
    between = shop.status(run_id)
    disk.free()
    run = shop.ended(run_id)
    shop.runner.shutdown()

    assert (between, run["status"]) == ("running", "stopped")
    assert lease.holder_of(shop.db, phone.serialno) is None
