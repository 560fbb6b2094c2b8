"""The yard of the line of task runs: which of those that wait may begin now, and on which phone."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from core.clock import utc_now
from core.devices import lease
from core.devices.lease import LEASE_S, Claim
from core.errors import Invalid
from core.models import Device, TaskGroup, TaskRevision, TaskRun
from core.steps.checks import misfit
from core.tasks.schema import TaskSpec
from core.words import Lang, phrase

LOOKED_AT = 500  # runs of one group


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is carried from now on."""

    run_id: str
    task_id: str
    group_id: str
    revision: int
    cause: str
    serial: str
    hardware_serial: str
    fence: int
    attempt: int
    first: int
    inputs: dict[str, str]
    app: str
    spec: TaskSpec


class Specs:
    """The tasks that waiting runs belong to, read once each."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.known: dict[tuple[str, int], TaskSpec] = {}

    def of(self, row: TaskRun) -> TaskSpec:
        """Give the task of a run, as it was when the run was put in line.

        Raises:
            Invalid: Another version wrote it, and it fits this one no more.
        """
        key = (row.task_id, row.revision)
        if key not in self.known:
            kept = self.session.get_one(TaskRevision, key)
            try:
                self.known[key] = TaskSpec.model_validate(kept.body)
            except ValidationError as error:
                raise misfit(error, "task") from error
        return self.known[key]


class Yard:
    """What runs now, and which of those that wait may begin."""

    def __init__(self, session: Session, owner: str, places: int) -> None:
        self.session = session
        self.owner = owner
        self.now = utc_now()
        self.specs = Specs(session)
        running = session.execute(
            select(TaskRun.group_id, TaskRun.app).where(TaskRun.status == "running")
        ).all()
        self.free_places = places - len(running)
        self.of_group = Counter(group_id for group_id, _ in running)
        self.of_app = Counter(app for _, app in running if app)
        self.phones = self._free_phones()

    def begin_next(self) -> Job | None:
        """Begin the first that may; groups in the order in which they were started."""
        if self.free_places <= 0 or not self.phones:
            return None
        mine = TaskRun.hardware_serial.in_([each.hardware_serial for each in self.phones]) | (
            TaskRun.serial.in_([each.serial for each in self.phones])
        )
        due = (TaskRun.status == "queued") & (TaskRun.not_before <= self.now)
        # whose phone is not free is not looked at: a thousand of them keep nobody waiting
        could = due & (TaskRun.fixed.is_(False) | mine)
        oldest = func.min(TaskRun.created)
        by_group = select(TaskRun.group_id).where(could).group_by(TaskRun.group_id)
        for group_id in self.session.scalars(by_group.order_by(oldest)).all():
            rows = select(TaskRun).where(could, TaskRun.group_id == group_id)
            found = self._next_of(rows.order_by(TaskRun.created, TaskRun.number))
            if found is not None:
                return self._begin(*found)
        return None

    def _next_of(self, rows: Select[TaskRun]) -> tuple[TaskRun, Device] | None:
        for row in self.session.scalars(rows.limit(LOOKED_AT)).all():
            try:
                if not self._group_may(row):
                    return None
                phone = self._phone(row) if self._app_may(row) else None
            except Invalid as error:  # it would stand in everybody's way for ever
                row.status, row.error, row.ended = "failed", error.wire(), self.now
                continue
            if phone is not None:
                return row, phone
        return None

    def _group_may(self, row: TaskRun) -> bool:
        policy = self.specs.of(row).policy
        if self.of_group[row.group_id] >= policy.parallel:
            return False
        if not policy.stagger_s:
            return True
        last = self.session.scalar(
            select(func.max(TaskRun.started)).where(TaskRun.group_id == row.group_id)
        )
        return last is None or self.now - last >= timedelta(seconds=policy.stagger_s)

    def _app_may(self, row: TaskRun) -> bool:
        most = self.specs.of(row).policy.per_app
        return most is None or not row.app or self.of_app[row.app] < most

    def _free_phones(self) -> list[Device]:
        held = {row.hardware_serial for row in lease.all_in_force(self.session)}
        known = Device.hardware_serial != ""
        query = select(Device).where(Device.state == "ready", known).order_by(Device.serial)
        return [each for each in self.session.scalars(query) if each.hardware_serial not in held]

    def _phone(self, row: TaskRun) -> Device | None:
        """Find the run's phone, or any, among those that are free."""
        if row.fixed:
            mine = (row.hardware_serial, row.serial)
            found = (e for e in self.phones if e.hardware_serial == mine[0] or e.serial == mine[1])
        else:
            had = self._had(row)
            found = (each for each in self.phones if each.hardware_serial not in had)
        return next(found, None)

    def _had(self, row: TaskRun) -> set[str]:
        """Name the phones that the group's other runs took, where each is to take another one."""
        if row.row is not None:
            return set()
        others = select(TaskRun.hardware_serial).where(
            TaskRun.group_id == row.group_id, TaskRun.number != row.number
        )
        return {each for each in self.session.scalars(others) if each}

    def _begin(self, row: TaskRun, phone: Device) -> Job:
        group = self.session.get_one(TaskGroup, row.group_id)
        lang: Lang = "en" if group.lang == "en" else "zh"
        label = phrase("holder.task", lang, title=row.name)
        hardware_serial = phone.hardware_serial
        row.fence = lease.take(self.session, hardware_serial, Claim("task", row.id, label))
        row.serial, row.hardware_serial = phone.serial, hardware_serial
        row.status, row.owner, row.attempt = "running", self.owner, row.attempt + 1
        row.started, row.alive_until = self.now, self.now + timedelta(seconds=LEASE_S)
        row.at, row.error, row.path, row.seen, row.values = "", None, "", "", {}
        return Job(
            run_id=row.id,
            task_id=row.task_id,
            group_id=row.group_id,
            revision=row.revision,
            cause=group.cause,
            serial=phone.serial,
            hardware_serial=hardware_serial,
            fence=row.fence,
            attempt=row.attempt,
            first=row.first,
            inputs={name: str(value) for name, value in row.inputs.items()},
            app=row.app,
            spec=self.specs.of(row),
        )
