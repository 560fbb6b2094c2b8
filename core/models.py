"""The tables. A row never leaves ``core``: other packages get dataclasses and dicts.

JSON columns do not notice a change inside; assign a new value.
"""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from core.clock import aware, utc_now
from core.ids import short_id

ShortIdPk = Annotated[str, mapped_column(String(16), primary_key=True, default=short_id)]
Moment = Annotated[datetime, mapped_column(default=utc_now)]
ConvId = Annotated[
    str, mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"), index=True)
]
RunId = Annotated[str, mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)]

NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A time that comes back aware; SQLite forgets the zone, and everything we store is UTC."""

    impl = DateTime
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Mark what was read as UTC."""
        return None if value is None else aware(value)


class Base(DeclarativeBase):
    """All tables, with names that Alembic can refer to."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {  # noqa: RUF012 - the form SQLAlchemy asks for
        dict[str, Any]: JSON,
        list[Any]: JSON,
        datetime: UtcTime,
    }


class AppMeta(Base):
    """One setting of the instance; the keys are those of CONTRACTS 4 and a few of our own."""

    __tablename__ = "app_meta"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class ModelFacts(Base):
    """What was found out about a model at an address; see `core.model_profiles`."""

    __tablename__ = "model_facts"

    api_base: Mapped[str] = mapped_column(String(500), primary_key=True)
    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    updated: Mapped[Moment]


class User(Base):
    """A person who logs in."""

    __tablename__ = "users"

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(64), unique=True)
    password_hash: Mapped[str] = mapped_column(String(256))
    role: Mapped[str] = mapped_column(String(16))
    lang: Mapped[str] = mapped_column(String(2), default="")
    created: Mapped[Moment]


class AuthSession(Base):
    """A browser that is logged in; its cookie holds the secret, this row only the digest."""

    __tablename__ = "auth_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64), default="")
    agent: Mapped[str] = mapped_column(String(200), default="")
    created: Mapped[Moment]
    used: Mapped[datetime | None]
    expires: Mapped[datetime]


class ApiToken(Base):
    """A program's key; shown once, stored as a digest."""

    __tablename__ = "api_tokens"

    id: Mapped[ShortIdPk]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(16))
    created: Mapped[Moment]
    used: Mapped[datetime | None]


class AuditEntry(Base):
    """An unsafe request, without its body; `core.people.audit` counts repeats in ``times``.

    A user's id and name stay when the user goes, so they refer to nothing.
    """

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str | None] = mapped_column(String(16))
    who: Mapped[str] = mapped_column(String(64), default="")
    token: Mapped[str] = mapped_column(String(64), default="")
    action: Mapped[str] = mapped_column(String(64))
    method: Mapped[str] = mapped_column(String(8))
    target: Mapped[str] = mapped_column(String(200))
    status: Mapped[int]
    address: Mapped[str] = mapped_column(String(64), default="")
    times: Mapped[int] = mapped_column(default=1)
    created: Mapped[Moment]
    until: Mapped[Moment]


class Conversation(Base):
    """A thread of messages between a person and an agent; without owner it is everybody's."""

    __tablename__ = "conversations"

    id: Mapped[ShortIdPk]
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    owner: Mapped[User | None] = relationship(lazy="joined")
    title: Mapped[str] = mapped_column(String(200), default="")
    serial: Mapped[str | None] = mapped_column(String(128))
    continuation: Mapped[str | None] = mapped_column(Text)
    tokens: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class ConversationMessage(Base):
    """One message; ``extra`` holds what is shown with it and never sent back to a model.

    ``replaced_by`` names the run whose prompt an edit put in its place.
    """

    __tablename__ = "conversation_messages"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    conv_id: Mapped[ConvId]
    run_id: Mapped[str | None] = mapped_column(String(16))
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    replaced_by: Mapped[str | None] = mapped_column(String(16))
    extra: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]


class Run(Base):
    """One agent execution; ``slot`` says whether it holds one of the platform's slots."""

    __tablename__ = "runs"
    # the history by status and by phone, in order and without a sort
    __table_args__ = (
        Index("ix_runs_status_created", "status", "created"),
        Index("ix_runs_serial_created", "serial", "created"),
    )

    id: Mapped[ShortIdPk]
    conv_id: Mapped[ConvId]
    serial: Mapped[str | None] = mapped_column(String(128))
    hardware_serial: Mapped[str | None] = mapped_column(String(128))
    mode: Mapped[str] = mapped_column(String(16), default="chat")
    channel: Mapped[str] = mapped_column(String(32), default="phone")
    provider: Mapped[str] = mapped_column(String(32), default="")
    autonomy: Mapped[str] = mapped_column(String(16), default="confirm_risky")
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    prompt: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(16), default="queued")
    slot: Mapped[bool] = mapped_column(default=False, index=True)
    fence: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(String(64), default="")
    alive_until: Mapped[datetime | None]
    acted: Mapped[bool] = mapped_column(default=False)
    look_first: Mapped[bool] = mapped_column(default=False)
    step: Mapped[int] = mapped_column(default=0)
    max_steps: Mapped[int] = mapped_column(default=40)
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    ended: Mapped[datetime | None]


class RunEvent(Base):
    """One published event, in its wire form; ids only grow, see `core.runs.log`."""

    __tablename__ = "run_events"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(16))
    data: Mapped[str] = mapped_column(Text)


class RunCheck(Base):
    """A check that a run stated, as canonical JSON, and whether the screen met it."""

    __tablename__ = "run_checks"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    stated: Mapped[str] = mapped_column(String(2048), primary_key=True)
    met: Mapped[bool]
    stale: Mapped[bool] = mapped_column(default=False)
    seen: Mapped[str] = mapped_column(Text)
    created: Mapped[Moment]


class RunAct(Base):
    """An act of a run that went well, as the step that does the same."""

    __tablename__ = "run_acts"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[RunId]
    app: Mapped[str] = mapped_column(String(200), default="")
    step: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]


class Question(Base):
    """Something that a run asks a person; `core.runs.questions` says how it is closed.

    ``act`` and ``scene`` bind an approval to what it allows; ``used`` says that it was used up.
    """

    __tablename__ = "questions"

    id: Mapped[ShortIdPk]
    run_id: Mapped[RunId]
    kind: Mapped[str] = mapped_column(String(16))
    title: Mapped[str] = mapped_column(String(200), default="")
    text: Mapped[str] = mapped_column(Text)
    options: Mapped[list[Any]] = mapped_column(default=list)
    act: Mapped[str] = mapped_column(Text, default="")
    scene: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str] = mapped_column(String(16), default="open", index=True)
    value: Mapped[str | None] = mapped_column(Text)
    answered_by: Mapped[str] = mapped_column(String(64), default="")
    used: Mapped[bool] = mapped_column(default=False)
    created: Mapped[Moment]
    expires_at: Mapped[datetime]
    closed: Mapped[datetime | None]


class PolicyRule(Base):
    """A decision about an app's acts for good; an empty kind or label stands for any."""

    __tablename__ = "policy_rules"
    __table_args__ = (UniqueConstraint("app", "kind", "label"),)

    id: Mapped[ShortIdPk]
    app: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(16), default="")
    label: Mapped[str] = mapped_column(String(200), default="")
    effect: Mapped[str] = mapped_column(String(8))
    created_by: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]


class Action(Base):
    """A named, replayable list of steps; `core.memory.actions` checks it on every save.

    ``proved`` says that these very steps have led where they should, ``stale`` why they are only a
    hint any more; ``run_id`` is the run that they were learned from.
    """

    __tablename__ = "actions"

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(100))
    aliases: Mapped[list[Any]] = mapped_column(default=list)
    app: Mapped[str] = mapped_column(String(200), default="", index=True)
    steps: Mapped[list[Any]] = mapped_column(default=list)
    uses: Mapped[int] = mapped_column(default=0)
    used: Mapped[datetime | None]
    run_id: Mapped[str] = mapped_column(String(16), default="")
    app_version: Mapped[str] = mapped_column(String(100), default="")
    proved: Mapped[bool] = mapped_column(default=False)
    stale: Mapped[str] = mapped_column(String(200), default="")
    successes: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class ActionName(Base):
    """A name or alias of an action without case and spaces; no two actions share one."""

    __tablename__ = "action_names"

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    action_id: Mapped[str] = mapped_column(ForeignKey("actions.id", ondelete="CASCADE"), index=True)


class Task(Base):
    """Saved steps with their inputs, targets and schedule; ``body`` is a `TaskSpec`.

    ``series`` is the run of due times that ``next_at`` belongs to, counted from ``anchor``; it is
    a new one whenever the schedule is changed or resumed.
    """

    __tablename__ = "tasks"

    id: Mapped[ShortIdPk]
    name: Mapped[str] = mapped_column(String(100))
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    revision: Mapped[int] = mapped_column(default=1)
    paused: Mapped[bool] = mapped_column(default=False)
    series: Mapped[str] = mapped_column(String(16), default=short_id)
    anchor: Mapped[Moment]
    next_at: Mapped[datetime | None] = mapped_column(index=True)
    failures: Mapped[int] = mapped_column(default=0)
    created_by: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]
    updated_by: Mapped[str] = mapped_column(String(64), default="")
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class TaskRevision(Base):
    """A task as it was saved once; none is ever changed."""

    __tablename__ = "task_revisions"

    task_id: Mapped[str] = mapped_column(
        ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    note: Mapped[str] = mapped_column(String(200), default="")
    who: Mapped[str] = mapped_column(String(64), default="")
    created: Mapped[Moment]


class TaskDue(Base):
    """A due time of a series that was taken, so that it is never taken twice."""

    __tablename__ = "task_dues"

    series: Mapped[str] = mapped_column(String(16), primary_key=True)
    scheduled_for: Mapped[datetime] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    group_id: Mapped[str | None] = mapped_column(String(16))
    created: Mapped[Moment]


class TaskGroup(Base):
    """Runs of one task that were started together; it outlives the task, so it refers to none."""

    __tablename__ = "task_groups"
    __table_args__ = (Index("ix_task_groups_of_task", "task_id", "created"),)

    id: Mapped[ShortIdPk]
    task_id: Mapped[str] = mapped_column(String(16))
    revision: Mapped[int]
    name: Mapped[str] = mapped_column(String(100))
    cause: Mapped[str] = mapped_column(String(16), default="person")
    scheduled_for: Mapped[datetime | None]
    who: Mapped[str] = mapped_column(String(64), default="")
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class TaskRun(Base):
    """One execution of a task on one phone; not ``fixed`` it takes any that is free.

    ``number`` is its place in the group, which a run that is retried shares with the new one.
    ``error`` is in wire form, ``path`` the step at which it ended, ``seen`` the screen then.
    """

    __tablename__ = "task_runs"
    __table_args__ = (
        Index("ix_task_runs_waiting", "status", "not_before"),
        Index("ix_task_runs_of_task", "task_id", "created"),
        Index("ix_task_runs_by_status", "status", "created"),
        Index("ix_task_runs_by_phone", "hardware_serial", "created"),
    )

    id: Mapped[ShortIdPk]
    group_id: Mapped[str] = mapped_column(
        ForeignKey("task_groups.id", ondelete="CASCADE"), index=True
    )
    task_id: Mapped[str] = mapped_column(String(16))
    revision: Mapped[int]
    number: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(100))
    app: Mapped[str] = mapped_column(String(200), default="")
    row: Mapped[int | None]
    inputs: Mapped[dict[str, Any]] = mapped_column(default=dict)
    fixed: Mapped[bool] = mapped_column(default=True)
    serial: Mapped[str | None] = mapped_column(String(128))
    hardware_serial: Mapped[str | None] = mapped_column(String(128))
    status: Mapped[str] = mapped_column(String(16), default="queued")
    attempt: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[Moment]
    first: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(String(64), default="")
    alive_until: Mapped[datetime | None]
    stop_asked: Mapped[bool] = mapped_column(default=False)
    at: Mapped[str] = mapped_column(String(200), default="")
    values: Mapped[dict[str, Any]] = mapped_column(default=dict)
    error: Mapped[dict[str, Any] | None]
    path: Mapped[str] = mapped_column(String(200), default="")
    seen: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None] = mapped_column(index=True)


class TaskProposal(Base):
    """A step of a task that was mended while it ran; a task only once a human accepts it."""

    __tablename__ = "task_proposals"

    id: Mapped[ShortIdPk]
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    revision: Mapped[int]
    run_id: Mapped[str] = mapped_column(String(16))
    index: Mapped[int] = mapped_column("step_index")
    before: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after: Mapped[dict[str, Any]] = mapped_column(default=dict)
    why: Mapped[str] = mapped_column(Text, default="")
    picture: Mapped[str] = mapped_column(String(200), default="")
    status: Mapped[str] = mapped_column(String(16), default="open")
    created: Mapped[Moment]
    decided: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(String(64), default="")


class TaskRunStep(Base):
    """What came of one step, as `StepRecord.wire` gives it; ``number`` counts as they ended."""

    __tablename__ = "task_run_steps"

    run_id: Mapped[str] = mapped_column(
        ForeignKey("task_runs.id", ondelete="CASCADE"), primary_key=True
    )
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    record: Mapped[dict[str, Any]] = mapped_column(default=dict)
    pictures: Mapped[list[Any]] = mapped_column(default=list)
    ended: Mapped[Moment]


class Experience(Base):
    """How a kind of job goes, in words; ``pairs`` counts the pairs of signs of its ``task``.

    The number is what the index points to; outsiders see the ``id``. ``steps`` and ``tokens`` are
    those of the run that taught it, against which the savings of later runs are counted.
    """

    __tablename__ = "experiences"

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(16), default=short_id, unique=True)
    task: Mapped[str] = mapped_column(Text)
    recipe: Mapped[str] = mapped_column(Text)
    app: Mapped[str] = mapped_column(String(200), default="", index=True)
    lang: Mapped[str] = mapped_column(String(2), default="zh")
    run_id: Mapped[str] = mapped_column(String(16), default="")
    pairs: Mapped[int]
    package: Mapped[str] = mapped_column(String(200), default="")
    app_version: Mapped[str] = mapped_column(String(100), default="")
    proved: Mapped[bool] = mapped_column(default=False)
    stale: Mapped[str] = mapped_column(String(200), default="")
    steps: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(default=0)
    hits: Mapped[int] = mapped_column(default=0)
    successes: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    steps_saved: Mapped[int] = mapped_column(default=0)
    tokens_saved: Mapped[int] = mapped_column(default=0)
    audited: Mapped[datetime | None] = mapped_column(index=True)
    created: Mapped[Moment]
    updated: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class ExperienceAudit(Base):
    """What was thought of an experience, and what a person said to it.

    ``action`` is ``keep`` or ``pending``, and once a person decided ``kept`` or ``deleted``; the
    row outlives the experience. ``mark`` tells what exactly was judged, ``by`` who judged.
    """

    __tablename__ = "experience_audit"
    __table_args__ = (Index("ix_experience_audit_queue", "action", "score", "number"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(16), default=short_id, unique=True)
    experience_id: Mapped[str] = mapped_column(String(16), index=True)
    task: Mapped[str] = mapped_column(Text)
    action: Mapped[str] = mapped_column(String(16))
    score: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    evidence: Mapped[list[Any]] = mapped_column(default=list)
    mark: Mapped[str] = mapped_column(String(32))
    by: Mapped[str] = mapped_column(String(100))
    created: Mapped[Moment]
    decided: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(String(100), default="")


class ExperienceGram(Base):
    """A pair of signs and an experience whose task has it; `core.memory.index` keeps it.

    There is no foreign key: its index would be half the cost of keeping an experience.
    """

    __tablename__ = "experience_grams"
    __table_args__ = ({"sqlite_with_rowid": False},)

    gram: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)


class GramCount(Base):
    """How many experiences have a pair of signs; under 0 stands how many there are at all."""

    __tablename__ = "gram_counts"

    gram: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    rows: Mapped[int]


class RunToken(Base):
    """A run's bearer secret; it names the conversation and is dead when none runs."""

    __tablename__ = "run_tokens"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    conv_id: Mapped[ConvId]
    created: Mapped[Moment]


class MessageIn(Base):
    """Something to be done by the runner, kept until it is finished."""

    __tablename__ = "messages_in"
    __table_args__ = (Index("ix_messages_in_due", "status", "created"),)

    id: Mapped[ShortIdPk]
    conv_id: Mapped[ConvId]
    run_id: Mapped[RunId]
    kind: Mapped[str] = mapped_column(String(16), default="chat")
    status: Mapped[str] = mapped_column(String(16), default="pending")
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    attempt: Mapped[int] = mapped_column(default=0)
    created: Mapped[Moment]
    ended: Mapped[datetime | None]


class MessageOut(Base):
    """Something an agent said, in the order in which it is delivered."""

    __tablename__ = "messages_out"
    __table_args__ = (UniqueConstraint("in_reply_to", "attempt", "part"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    conv_id: Mapped[ConvId]
    run_id: Mapped[RunId]
    in_reply_to: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int]
    part: Mapped[int] = mapped_column(default=0)
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[Moment]


class Lease(Base):
    """Who holds a device; the row stays when nobody does, so that the fence only grows."""

    __tablename__ = "leases"

    hardware_serial: Mapped[str] = mapped_column(String(128), primary_key=True)
    holder: Mapped[str | None] = mapped_column(String(16))
    owner: Mapped[str | None] = mapped_column(String(64))
    label: Mapped[str] = mapped_column(String(256), default="")
    fence: Mapped[int] = mapped_column(default=0)
    since: Mapped[Moment]
    until: Mapped[Moment]


class Device(Base):
    """A device as adb names it, with what was last seen of it.

    ``serialno`` and ``mark`` are what the phone says of itself, `core.devices.identity` makes
    ``hardware_serial`` of them. ``pin`` is encrypted with the instance key.
    """

    __tablename__ = "devices"

    serial: Mapped[str] = mapped_column(String(128), primary_key=True)
    hardware_serial: Mapped[str] = mapped_column(String(128), index=True)
    alias: Mapped[str] = mapped_column(String(64), default="")
    tags: Mapped[list[Any]] = mapped_column(default=list)
    model: Mapped[str] = mapped_column(String(128), default="")
    android: Mapped[str] = mapped_column(String(32), default="")
    state: Mapped[str] = mapped_column(String(16), default="offline")
    reason: Mapped[str | None] = mapped_column(Text)
    since: Mapped[Moment]
    battery: Mapped[int | None]
    width: Mapped[int] = mapped_column(default=0)
    height: Mapped[int] = mapped_column(default=0)
    serialno: Mapped[str] = mapped_column(String(128), default="")
    mark: Mapped[str] = mapped_column(String(128), default="")
    storage_mb: Mapped[int | None]
    pin: Mapped[str | None] = mapped_column(Text)


class Address(Base):
    """A network address that the operator connected; it is connected again at each start."""

    __tablename__ = "addresses"

    address: Mapped[str] = mapped_column(String(128), primary_key=True)
    created: Mapped[Moment]


class Artifact(Base):
    """A picture or file of a run or task run; its bytes lie in the artifacts folder by its id.

    Only what a person added has a ``name``; it has no run before its message is sent.
    """

    __tablename__ = "artifacts"

    id: Mapped[ShortIdPk]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="CASCADE"), index=True
    )
    task_run_id: Mapped[str | None] = mapped_column(
        ForeignKey("task_runs.id", ondelete="CASCADE"), index=True
    )
    mime: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(255), default="")
    size: Mapped[int]
    created: Mapped[Moment]
