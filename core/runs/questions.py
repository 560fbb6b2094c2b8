"""What a run asks a person: questions, approvals and take-overs, each closed exactly once.

An approval is bound to one act and to the scene in which it was asked for: once approved it is a
grant that is used up by that act, and worth nothing when the scene has changed. Words in a chat
never answer; only `answer` does.
"""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core import policy_rules
from core.clock import utc_now
from core.db import Database
from core.errors import Invalid, NotFound, QuestionClosed, RunOver
from core.models import Question as Row
from core.models import Run

Kind = Literal["question", "approval", "takeover"]
Grant = Literal["none", "granted", "stale"]

OPEN_RUNS = ("queued", "running", "waiting", "paused")
LIVES_S: dict[Kind, float] = {"approval": 600, "question": 1800, "takeover": 1800}
APPROVE, DENY, ALWAYS, BACK, EXPIRED = "approve", "deny", "always", "back", "expired"
YES = (APPROVE, ALWAYS)
ANSWER_CHARS = 4_000
#: Where a tool's result names the question that must be answered before it can go on.
QUESTION_META, KIND_META = "phonedeck/question", "phonedeck/kind"


@dataclass(frozen=True, slots=True)
class Asking:
    """What to ask.

    ``options`` are (value, label) pairs; without any, a question takes free text. ``act`` and
    ``scene`` bind an approval: the canonical text of tool and arguments, and a `Scene`'s.
    """

    kind: Kind
    title: str
    question: str
    options: tuple[tuple[str, str], ...] = ()
    act: str = ""
    scene: str = ""
    lives_s: float | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an approval holds; ``digest`` stands for the element and every label around it."""

    app: str
    kind: str
    label: str
    digest: str

    @property
    def text(self) -> str:
        """Give the form that is stored and compared."""
        return json.dumps(astuple(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it stands; ``status`` is ``open``, ``answered``, ``expired`` or ``void``."""

    question_id: str
    run_id: str
    kind: Kind
    title: str
    question: str
    options: tuple[tuple[str, str], ...]
    status: str
    value: str | None
    answered_by: str
    created: datetime
    expires_at: datetime

    @property
    def open(self) -> bool:
        """Whether it can still be answered."""
        return self.status == "open"


def ask(db: Database, run_id: str, asked: Asking) -> Question:
    """Open a question; one that asks for the same act in the same scene is not asked twice.

    Raises:
        RunOver: The run has ended, so nobody would hear the answer.
    """
    with db.write() as session:
        return ask_in(session, run_id, asked)


def ask_in(session: Session, run_id: str, asked: Asking) -> Question:
    """Open a question inside a write transaction; see `ask`."""
    run = session.get(Run, run_id)
    if run is None or run.status not in OPEN_RUNS:
        raise RunOver
    same = session.scalar(
        select(Row).where(
            Row.run_id == run_id,
            Row.status == "open",
            Row.kind == asked.kind,
            Row.act == asked.act,
            Row.scene == asked.scene,
            Row.text == asked.question,
        )
    )
    if same is not None and same.expires_at > utc_now():
        return _question(same)
    lives_s = LIVES_S[asked.kind] if asked.lives_s is None else asked.lives_s
    row = Row(
        run_id=run_id,
        kind=asked.kind,
        title=asked.title,
        text=asked.question,
        options=[list(option) for option in asked.options],
        act=asked.act,
        scene=asked.scene,
        expires_at=utc_now() + timedelta(seconds=lives_s),
    )
    session.add(row)
    session.flush()
    return _question(row)


def get(db: Database, question_id: str) -> Question:
    """Return a question.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        row = session.get(Row, question_id)
        if row is None:
            raise NotFound(kind="question", name=question_id)
        return _question(row)


def open_of(db: Database, run_id: str) -> list[Question]:
    """Return what a run still waits for, oldest first."""
    with db.read() as session:
        return [_question(row) for row in _open(session, run_id)]


def of_run(db: Database, run_id: str) -> list[Question]:
    """Return everything that a run has asked, oldest first."""
    query = select(Row).where(Row.run_id == run_id).order_by(Row.created, Row.id)
    with db.read() as session:
        return [_question(row) for row in session.scalars(query)]


def answer(db: Database, run_id: str, question_id: str, value: str, who: str) -> Question:
    """Answer a question; the first answer counts.

    Args:
        db: Where the question is.
        run_id: The run that asked.
        question_id: Which of its questions.
        value: One of the options' values, or free text where there are none.
        who: Who answers, as it will be shown.

    Raises:
        NotFound: The run asked no such question.
        QuestionClosed: It was answered, has expired, or its run is over.
        Invalid: The value is none of the options.
    """
    with db.write() as session:
        return answer_in(session, run_id, question_id, value, who)


def answer_in(session: Session, run_id: str, question_id: str, value: str, who: str) -> Question:
    """Answer inside a write transaction; see `answer`."""
    row = session.get(Row, question_id)
    if row is None or row.run_id != run_id:
        raise NotFound(kind="question", name=question_id)
    status = "expired" if row.status == "open" and row.expires_at <= utc_now() else row.status
    if status != "open":
        raise QuestionClosed(status=status, who=row.answered_by)
    allowed = [str(option[0]) for option in row.options]
    if allowed and value not in allowed:
        raise Invalid(path="value", detail=", ".join(allowed))
    if not value.strip() or len(value) > ANSWER_CHARS:
        raise Invalid(path="value", detail=f"1–{ANSWER_CHARS}")
    row.value, row.answered_by = value, who
    if row.kind == "approval" and value == ALWAYS:
        _remember(session, Scene(*json.loads(row.scene)), who)
    _close(row, "answered")
    return _question(row)


def prolong(session: Session, question_id: str, lives_s: float) -> None:
    """Let an open question live from now on for so many seconds; a closed one stays closed."""
    session.execute(
        update(Row)
        .where(Row.id == question_id, Row.status == "open")
        .values(expires_at=utc_now() + timedelta(seconds=lives_s))
    )


def expire_due(db: Database) -> list[Question]:
    """Close what nobody answered in time, and return it."""
    due = (Row.status == "open") & (Row.expires_at <= utc_now())
    with db.read() as session:  # the usual case, without a write
        if session.scalar(select(Row.id).where(due).limit(1)) is None:
            return []
    with db.write() as session:
        rows = session.scalars(select(Row).where(due).order_by(Row.created, Row.id)).all()
        for row in rows:
            _close(row, "expired")
        return [_question(row) for row in rows]


def void(session: Session, run_id: str) -> None:
    """Close a run's open questions and unused grants, in the transaction that ends the run."""
    for row in _open(session, run_id):
        _close(row, "void")
    session.execute(update(Row).where(Row.run_id == run_id).values(used=True))


def void_now(db: Database, run_id: str) -> None:
    """Close what a run asks and forget what was approved, before the run has ended."""
    with db.write() as session:
        void(session, run_id)


def take_grant(db: Database, run_id: str, act: str, scene: str) -> Grant:
    """Use up the approval of an act, right before the act is sent.

    Returns:
        ``granted`` once for each approval; ``stale`` when the scene is not the approved one any
        more (the approval is gone then); ``none`` when nobody approved this act.
    """
    with db.write() as session:
        rows = session.scalars(
            select(Row).where(
                Row.run_id == run_id,
                Row.kind == "approval",
                Row.status == "answered",
                Row.value == APPROVE,  # an "always" is a rule, not a grant
                Row.used.is_(False),
                Row.closed > utc_now() - timedelta(seconds=LIVES_S["approval"]),
                Row.act == act,
            )
        ).all()
        matching = [row for row in rows if row.scene == scene]
        for row in matching[:1] or rows:
            row.used = True
        if matching:
            return "granted"
        return "stale" if rows else "none"


def withdraw_grants(db: Database, run_id: str, act_begins: str) -> bool:
    """Use up every approval whose act begins so, unsent; says whether there was any."""
    with db.write() as session:
        rows = session.scalars(
            select(Row).where(
                Row.run_id == run_id,
                Row.kind == "approval",
                Row.status == "answered",
                Row.value.in_(YES),
                Row.used.is_(False),
                Row.act.startswith(act_begins, autoescape=True),
            )
        ).all()
        for row in rows:
            row.used = True
        return bool(rows)


def _open(session: Session, run_id: str) -> Sequence[Row]:
    query = select(Row).where(Row.run_id == run_id, Row.status == "open")
    return session.scalars(query.order_by(Row.created, Row.id)).all()


def _remember(session: Session, scene: Scene, who: str) -> None:
    """Ask no more for this kind of act on this label of this app."""
    rule = policy_rules.Rule("", scene.app, scene.kind, scene.label, "allow", utc_now(), who)
    policy_rules.add(session, rule)


def _close(row: Row, status: str) -> None:
    row.status, row.closed = status, utc_now()


def _question(row: Row) -> Question:
    options: list[Any] = row.options
    return Question(
        question_id=row.id,
        run_id=row.run_id,
        kind=row.kind,  # type: ignore[arg-type]
        title=row.title,
        question=row.text,
        options=tuple((str(value), str(label)) for value, label in options),
        status=row.status,
        value=row.value,
        answered_by=row.answered_by,
        created=row.created,
        expires_at=row.expires_at,
    )
