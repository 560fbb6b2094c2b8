"""Start a task: deal its rows out to its phones, one run each, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.db import Database
from core.devices import store as devices
from core.errors import Invalid, NoDevice, NotFound
from core.models import Task as TaskRow
from core.models import TaskGroup, TaskRun
from core.steps.checks import parse_steps
from core.steps.values import as_far_as_known
from core.tasks import store
from core.tasks.checks import app_of, check, enough
from core.tasks.schema import PHONES_MOST, Targets, TaskSpec
from core.words import DEFAULT_LANG, Lang

RUNS_MOST = 2_000
APP_CHARS = 200
#: What a retry begins anew.
AGAIN = ("failed", "stopped", "needs_human")


@dataclass(frozen=True, slots=True)
class Start:
    """What somebody asks for beside what the task says; ``first`` is the step to begin at."""

    who: str = ""
    lang: Lang = DEFAULT_LANG
    serials: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """One run that is to be: on a phone, or on any that is free, with its values."""

    serial: str | None
    hardware_serial: str | None
    row: int | None
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """All runs of a group; ``app`` is what they open first."""

    app: str
    first: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """A group with its runs, in the order of their numbers."""

    group_id: str
    run_ids: list[str]


def start(db: Database, task_id: str, asked: Start) -> Started:
    """Start a task because a person asks for it.

    Raises:
        NotFound: There is no such task.
        Invalid: An input is missing, or there is no such step to begin at.
        NoDevice: There is no phone for it.
    """
    task = store.get(db, task_id)
    plan = plan_of(db, task.spec, asked)
    with db.write() as session:
        row = store.row_of(session, task_id)
        return put(session, row, plan, asked)


def plan_of(db: Database, spec: TaskSpec, asked: Start) -> Plan:
    """Work out which phone gets which values; raises as `start`."""
    steps = check(db, spec)
    if not 0 <= asked.first < len(steps):
        raise Invalid(path="first", detail=f"first is no step of 0 to {len(steps) - 1}.")
    rows = spec.rows if asked.rows is None else asked.rows
    ready = enough(db, steps[asked.first :], spec, asked.inputs, rows)
    targets = Targets(serials=asked.serials) if asked.serials else spec.targets
    places = tuple(_dealt(db, targets, ready))
    if len(places) > RUNS_MOST:
        raise Invalid(path="rows", detail=f"These are more than {RUNS_MOST} runs.")
    return Plan(app_of(steps), asked.first, places)


def put(
    session: Session,
    row: TaskRow,
    plan: Plan,
    asked: Start,
    cause: str = "person",
    scheduled_for: datetime | None = None,
) -> Started:
    """Write down a group with its runs; they begin when their phones are free."""
    group = TaskGroup(
        task_id=row.id,
        revision=row.revision,
        name=row.name,
        cause=cause,
        scheduled_for=scheduled_for,
        who=asked.who,
        lang=asked.lang,
    )
    session.add(group)
    session.flush()
    runs = [_run(group, row, plan, number) for number in range(len(plan.places))]
    session.add_all(runs)
    session.flush()
    return Started(group.id, [run.id for run in runs])


def retry(db: Database, task_id: str, group_id: str, asked: Start) -> Started:
    """Begin anew what did not succeed in a group, in its place, with the task as it is now.

    Raises:
        NotFound: There is no such task or group.
        Invalid: Nothing in it failed.
    """
    store.get(db, task_id)
    with db.write() as session:
        row = store.row_of(session, task_id)
        group = session.get(TaskGroup, group_id)
        if group is None or group.task_id != task_id:
            raise NotFound(kind="group", name=group_id)
        failed = [run for run in latest(session, group_id) if run.status in AGAIN]
        if not failed:
            raise Invalid(path="group", detail="Nothing in this group has failed.")
        app = app_of(parse_steps(row.body["steps"]))
        runs = [_again(run, row, app) for run in failed]
        session.add_all(runs)
        session.flush()
        return Started(group_id, [run.id for run in runs])


def latest(session: Session, group_id: str) -> list[TaskRun]:
    """Give the newest run of each place of a group, in their order."""
    query = select(TaskRun).where(TaskRun.group_id == group_id)
    newest: dict[int, TaskRun] = {}
    for run in session.scalars(query.order_by(TaskRun.number, TaskRun.created)):
        newest[run.number] = run
    return list(newest.values())


def _dealt(
    db: Database, targets: Targets, ready: Sequence[tuple[int | None, dict[str, str]]]
) -> list[Place]:
    if targets.any:
        has_rows = ready[0][0] is not None
        times = 1 if has_rows else int(targets.any)
        return [Place(None, None, at, values) for at, values in ready for _ in range(times)]
    phones = _phones(db, targets)
    if targets.each or ready[0][0] is None:
        return [Place(*phone, at, values) for at, values in ready for phone in phones]
    return [
        Place(*phones[number % len(phones)], at, values)
        for number, (at, values) in enumerate(ready)
    ]


def _phones(db: Database, targets: Targets) -> list[tuple[str, str]]:
    """Give the phones by serial and hardware serial, each once."""
    if targets.serials:
        found = {}
        for at, serial in enumerate(targets.serials):
            known = devices.known(db, serial)
            if known is None:
                detail = f"There is no device {serial}."
                raise NoDevice(path=f"targets.serials.{at}", detail=detail)
            found[known.hardware_serial] = (known.serial, known.hardware_serial)
        return list(found.values())
    wanted = set(targets.tags)
    tagged = [each for each in devices.listing(db) if wanted & set(each["tags"])]
    if not tagged:
        raise NoDevice(path="targets.tags", detail="No device has any of these tags.")
    return [
        (each["serial"], each["hardware_serial"] or each["serial"]) for each in tagged[:PHONES_MOST]
    ]


def _run(group: TaskGroup, row: TaskRow, plan: Plan, number: int) -> TaskRun:
    place = plan.places[number]
    return TaskRun(
        group_id=group.id,
        task_id=row.id,
        revision=row.revision,
        number=number,
        name=row.name,
        app=as_far_as_known(plan.app, place.values)[:APP_CHARS],
        row=place.row,
        inputs=place.values,
        fixed=place.hardware_serial is not None,
        serial=place.serial,
        hardware_serial=place.hardware_serial,
        first=plan.first,
        # created one after the other, so that the order of the numbers is the order in line
        created=utc_now() + timedelta(microseconds=number),
    )


def _again(run: TaskRun, row: TaskRow, app: str) -> TaskRun:
    return TaskRun(
        group_id=run.group_id,
        task_id=row.id,
        revision=row.revision,
        number=run.number,
        name=row.name,
        app=as_far_as_known(app, run.inputs)[:APP_CHARS],
        row=run.row,
        inputs=run.inputs,
        fixed=run.fixed,
        serial=run.serial if run.fixed else None,
        hardware_serial=run.hardware_serial if run.fixed else None,
    )
