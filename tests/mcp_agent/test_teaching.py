"""What a run teaches is kept with its end, so a console that dies while it learns does so later."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from core import conversations
from core.db import Database
from core.memory import actions, experiences
from core.models import RunLesson
from core.runs import store
from mcp_agent.learner import Learner
from mcp_agent.lessons import Lesson, kept_lesson
from tests.mcp_agent.conftest import Desk
from tests.mcp_agent.test_learning import TASK, School, both, is_aside, school
from tests.policy_model import PolicyModel, Reply, Request
from tests.stack import wait_for

__all__ = ["school"]


@pytest.fixture
def model() -> Iterator[PolicyModel]:
    with PolicyModel(both) as made:
        yield made


def waiting(db: Database) -> list[str]:
    with db.read() as session:
        return list(session.scalars(select(RunLesson.run_id)))


def card(desk: Desk, run_id: str) -> dict[str, Any] | None:
    run = store.get(desk.instance.db, run_id)
    said: dict[str, Any] | None = conversations.noted(desk.instance.db, run.conv_id, run_id).get(
        "learned"
    )
    return said


def unlearned(school: School, model: PolicyModel, prompt: str = TASK) -> Lesson:
    """Do a run of which nothing has come when the console goes."""
    desk = school.desk
    desk.settings = school.make_settings(model.url)
    school.came.clear()
    desk.run(prompt)
    assert school.came.wait(10)
    return school.lessons[-1]


def start_anew(school: School) -> Learner:
    """Start a learner as the next console does, and wait until nothing is left to learn."""
    learner = Learner(school.desk.instance, lambda: school.desk.settings)
    learner.start()
    wait_for(lambda: not waiting(school.desk.instance.db), "the end of learning")
    learner.stop(10)
    return learner


def test_what_was_not_learned_is_learned_after_the_next_start_and_once(
    school: School, model: PolicyModel
) -> None:
    lesson = unlearned(school, model)
    desk, run_id = school.desk, lesson.run.run_id
    left = waiting(desk.instance.db)

    start_anew(school)
    first = card(desk, run_id)
    asked = len(model.requests)
    start_anew(school)

    assert left == [run_id]
    assert first is not None
    assert (first["ok"], card(desk, run_id)) == (True, first)
    assert (len(school.known()), len(school.actions())) == (1, 1)
    assert len(model.requests) == asked


def test_a_lesson_comes_back_as_it_was_kept(school: School, model: PolicyModel) -> None:
    lesson = unlearned(school, model)
    with school.desk.instance.db.read() as session:
        row = session.get(RunLesson, lesson.run.run_id)
        assert row is not None

    again = kept_lesson(row.body)

    assert (again.run, again.acts, again.screens) == (lesson.run, lesson.acts, lesson.screens)
    assert (again.why_not, again.n, again.whole) == (lesson.why_not, lesson.n, lesson.whole)
    assert again.acts
    assert again.screens


def test_a_console_that_stops_while_it_learns_keeps_nothing_half_and_credits_nothing_twice(
    school: School, model: PolicyModel
) -> None:
    school.run(model, TASK)
    [known] = school.known()
    model.policy = lambda request: (
        Reply(content="没有成功。") if not is_aside(request) else both(request)
    )
    db = school.desk.instance.db
    told = unlearned(school, model)
    school.learner._credit(told)
    between = experiences.get(db, known["id"])

    start_anew(school)

    after = experiences.get(db, known["id"])
    assert told.memory.experience_ids == (known["id"],)
    assert (between.successes + between.failures, after.successes + after.failures) == (1, 1)
    assert len(school.known()) == 1


def test_what_ends_the_console_twice_is_not_tried_a_third_time_and_its_card_says_so(
    school: School, model: PolicyModel
) -> None:
    lesson = unlearned(school, model)
    desk = school.desk
    asked: list[Request] = []

    def hang(request: Request) -> Reply:
        asked.append(request)
        return Reply(content="", hang_s=60)

    model.policy = hang
    dying = Learner(desk.instance, lambda: desk.settings)
    dying.start()
    wait_for(lambda: asked, "the question")
    dying.stop(10)
    between = (waiting(desk.instance.db), card(desk, lesson.run.run_id))
    start_anew(school)

    assert between == ([lesson.run.run_id], None)
    said = card(desk, lesson.run.run_id)
    assert said is not None
    assert not said["ok"]
    assert "学到一半" in said["text"]
    assert len(asked) == 1
    assert (school.known(), actions.most_used(desk.instance.db, 10)) == ([], [])


def test_a_lesson_that_another_version_kept_is_let_go_of(
    school: School, model: PolicyModel, caplog: pytest.LogCaptureFixture
) -> None:
    lesson = unlearned(school, model)
    db = school.desk.instance.db
    with db.write() as session:
        row = session.get(RunLesson, lesson.run.run_id)
        assert row is not None
        row.body = {"of": "another version"}

    start_anew(school)

    assert f"经验提炼: run {lesson.run.run_id}: not learned from" in caplog.text
