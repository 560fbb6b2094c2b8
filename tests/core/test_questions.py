"""Questions to a person: closed once, by the first who answers, or by time."""

import pytest
from sqlalchemy import update

from core.clock import utc_now
from core.errors import Invalid, NotFound, QuestionClosed, RunOver
from core.models import Conversation, Question, Run
from core.runs import questions
from core.runs.questions import Asking
from core.setup import Instance

PAY = Asking(
    kind="approval",
    title="付款",
    question="要在商城付款 ¥12 吗？",
    options=(("approve", "允许"), ("deny", "拒绝"), ("always", "总是允许")),
    act='de_tap_text {"text":"付款"}',
    scene="shop: 付款|¥12",
)
NAME = Asking(kind="question", title="", question="收件人是谁？")


@pytest.fixture
def run_id(instance: Instance) -> str:
    with instance.db.write() as session:
        conv = Conversation()
        session.add(conv)
        session.flush()
        run = Run(conv_id=conv.id, prompt="买一包茶叶", status="running")
        session.add(run)
        session.flush()
        return run.id


def let_time_pass(instance: Instance, question_id: str) -> None:
    with instance.db.write() as session:
        session.execute(
            update(Question).where(Question.id == question_id).values(expires_at=utc_now())
        )


def test_the_first_answer_counts_and_the_second_is_told_so(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, PAY)

    first = questions.answer(instance.db, run_id, asked.question_id, "deny", "li")

    assert (first.value, first.answered_by, first.status) == ("deny", "li", "answered")
    with pytest.raises(QuestionClosed, match="li"):
        questions.answer(instance.db, run_id, asked.question_id, "approve", "wang")
    assert questions.get(instance.db, asked.question_id).value == "deny"


def test_an_answer_that_is_none_of_the_options_changes_nothing(
    instance: Instance, run_id: str
) -> None:
    asked = questions.ask(instance.db, run_id, PAY)

    with pytest.raises(Invalid) as refused:
        questions.answer(instance.db, run_id, asked.question_id, "sure", "li")

    assert refused.value.path == "value"
    assert questions.open_of(instance.db, run_id) == [asked]


def test_a_question_without_options_takes_free_text(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, NAME)

    answered = questions.answer(instance.db, run_id, asked.question_id, "小王", "li")

    assert answered.value == "小王"


def test_another_runs_question_cannot_be_answered(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, PAY)

    with pytest.raises(NotFound):
        questions.answer(instance.db, "another", asked.question_id, "approve", "li")


def test_the_same_act_in_the_same_scene_is_asked_once(instance: Instance, run_id: str) -> None:
    first = questions.ask(instance.db, run_id, PAY)

    again = questions.ask(instance.db, run_id, PAY)

    assert again.question_id == first.question_id


def test_what_nobody_answers_in_time_expires_and_takes_no_answer(
    instance: Instance, run_id: str
) -> None:
    asked = questions.ask(instance.db, run_id, PAY)
    let_time_pass(instance, asked.question_id)

    with pytest.raises(QuestionClosed, match="expired"):
        questions.answer(instance.db, run_id, asked.question_id, "approve", "li")
    expired = questions.expire_due(instance.db)

    assert [(each.question_id, each.status) for each in expired] == [(asked.question_id, "expired")]
    assert questions.expire_due(instance.db) == []


def test_a_grant_is_used_up_by_the_act_that_was_approved(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, PAY)
    before = questions.take_grant(instance.db, run_id, PAY.act, PAY.scene)
    questions.answer(instance.db, run_id, asked.question_id, "approve", "li")

    other = questions.take_grant(instance.db, run_id, 'de_tap_text {"text":"转账"}', PAY.scene)
    first = questions.take_grant(instance.db, run_id, PAY.act, PAY.scene)
    second = questions.take_grant(instance.db, run_id, PAY.act, PAY.scene)

    assert (before, other, first, second) == ("none", "none", "granted", "none")


def test_a_grant_is_gone_when_the_screen_has_changed(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, PAY)
    questions.answer(instance.db, run_id, asked.question_id, "approve", "li")

    changed = questions.take_grant(instance.db, run_id, PAY.act, "shop: 付款|¥9999")
    back = questions.take_grant(instance.db, run_id, PAY.act, PAY.scene)

    assert (changed, back) == ("stale", "none")


def test_a_denied_approval_grants_nothing(instance: Instance, run_id: str) -> None:
    asked = questions.ask(instance.db, run_id, PAY)
    questions.answer(instance.db, run_id, asked.question_id, "deny", "li")

    assert questions.take_grant(instance.db, run_id, PAY.act, PAY.scene) == "none"


def test_the_end_of_a_run_voids_its_questions_and_grants(instance: Instance, run_id: str) -> None:
    granted = questions.ask(instance.db, run_id, PAY)
    questions.answer(instance.db, run_id, granted.question_id, "approve", "li")
    waiting = questions.ask(instance.db, run_id, NAME)

    with instance.db.write() as session:
        questions.void(session, run_id)
        session.execute(update(Run).where(Run.id == run_id).values(status="stopped"))

    with pytest.raises(QuestionClosed, match="void"):
        questions.answer(instance.db, run_id, waiting.question_id, "小王", "li")
    with pytest.raises(RunOver):
        questions.ask(instance.db, run_id, PAY)
    assert questions.take_grant(instance.db, run_id, PAY.act, PAY.scene) == "none"
