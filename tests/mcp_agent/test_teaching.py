"""What a run teaches is kept with its end, so a console that dies while it learns does so later."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from core import conversations
from core.db import Database
from core.memory import actions, experiences
from core.models import Conversation, Run, RunLesson
from core.runs import store
from core.settings import AgentSettings
from core.setup import Instance
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


def waiting(db: Database) -> dict[str, dict[str, Any]]:
    with db.read() as session:
        return {row.run_id: dict(row.body) for row in session.scalars(select(RunLesson))}


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


def hanging(model: PolicyModel) -> list[Request]:
    """Let the model answer nothing for a minute; what it was asked comes into the list."""
    asked: list[Request] = []

    def hang(request: Request) -> Reply:
        asked.append(request)
        return Reply(content="", hang_s=60)

    model.policy = hang
    return asked


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
    again = kept_lesson(left[run_id])

    start_anew(school)
    first = card(desk, run_id)
    asked = len(model.requests)
    start_anew(school)

    assert list(left) == [run_id]
    assert again == replace(lesson, memory=again.memory)
    assert again.acts
    assert again.screens
    assert first is not None
    assert (first["ok"], card(desk, run_id)) == (True, first)
    assert (len(school.known()), len(school.actions())) == (1, 1)
    assert len(model.requests) == asked


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
    desk, run_id = school.desk, lesson.run.run_id
    asked = hanging(model)
    dying = [Learner(desk.instance, lambda: desk.settings) for _ in range(2)]
    for number, each in enumerate(dying, start=1):  # neither gets any further, nor is it ended
        each.start()
        wait_for(lambda number=number: len(asked) == number, "the question")
    between = (waiting(desk.instance.db), card(desk, run_id))
    start_anew(school)
    said = card(desk, run_id)
    for each in dying:
        each.stop(10)

    assert (list(between[0]), between[1]) == ([run_id], None)
    assert said is not None
    assert not said["ok"]
    assert "学到一半" in said["text"]
    assert len(asked) == 2
    assert (school.known(), actions.most_used(desk.instance.db, 10)) == ([], [])


def test_a_console_that_is_stopped_again_and_again_learns_in_the_end(
    school: School, model: PolicyModel
) -> None:
    lesson = unlearned(school, model)
    desk, run_id = school.desk, lesson.run.run_id
    asked = hanging(model)
    for number in (1, 2, 3):
        stopped = Learner(desk.instance, lambda: desk.settings)
        stopped.start()
        wait_for(lambda number=number: len(asked) == number, "the question")
        stopped.stop(10)
    model.policy = both
    start_anew(school)

    said = card(desk, run_id)
    assert said is not None
    assert said["ok"]
    assert len(school.known()) == 1


def test_a_lesson_that_another_version_kept_is_let_go_of(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    with instance.db.write() as session:
        conv = Conversation()
        session.add(conv)
        session.flush()
        session.add(Run(id="run1", conv_id=conv.id, prompt="x", status="done"))
        session.flush()
        session.add(RunLesson(run_id="run1", body={"of": "another version"}))
    learner = Learner(instance, AgentSettings)

    learner.start()
    learner.stop(10)

    assert "经验提炼: run run1: not learned from" in caplog.text
    assert waiting(instance.db) == {}
