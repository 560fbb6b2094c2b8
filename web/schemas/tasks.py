"""Tasks, their revisions and groups, and the runs of tasks."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.schedule import Schedule
from core.tasks.schema import ROWS_MOST, Policy, Targets, TaskSpec, Value
from web.schemas.base import ErrorBody, Gives, Takes

Status = Literal["queued", "running", "success", "partial", "failed", "stopped", "needs_human"]
Cause = Literal["person", "schedule"]


class NewTask(TaskSpec):
    """A task to be saved; `GET /api/agent/steps` describes the steps."""


class TaskChange(TaskSpec):
    """A task to be saved on top of the ``revision`` that the person saw."""

    revision: int = Field(ge=1)
    note: str = Field(default="", max_length=200)


class TaskText(Takes):
    """A task as a file of YAML or JSON."""

    text: str = Field(min_length=1, max_length=1_000_000)


class Rollback(Takes):
    """Which revision the person saw as the newest."""

    revision: int = Field(ge=1)


class TaskStart(Takes):
    """What a task is started with; what is left out is as the task says.

    ``first`` is the index of the step to begin at; what the steps before it read from the screen
    must then be given with the inputs.
    """

    serials: list[Annotated[str, Field(min_length=1, max_length=128)]] = Field(
        default_factory=list, max_length=200
    )
    inputs: dict[str, Value] = Field(default_factory=dict, max_length=50)
    rows: list[dict[str, Value]] | None = Field(default=None, max_length=ROWS_MOST)
    first: int = Field(default=0, ge=0)


class Planned(BaseModel):
    """A schedule to be tried out."""

    model_config = ConfigDict(extra="ignore")

    cron: str | None = None
    zone: str = "UTC"
    every_s: int | None = None
    at: str | None = None


class TaskSearch(BaseModel):
    """What to look for, and where the page before ended."""

    model_config = ConfigDict(extra="ignore")

    q: str = ""
    cursor: str | None = None


class TaskFile(BaseModel):
    """How a task is written."""

    model_config = ConfigDict(extra="ignore")

    format: Literal["yaml", "json"] = "yaml"


class Against(BaseModel):
    """The revision to compare with; without it the one before."""

    model_config = ConfigDict(extra="ignore")

    against: int | None = Field(default=None, ge=1)


class RunSearch(BaseModel):
    """Which task runs to list; ``status`` may name several, with commas between."""

    model_config = ConfigDict(extra="ignore")

    task_id: str = ""
    group_id: str = ""
    serial: str = ""
    status: str = ""
    q: str = ""
    since: str = ""
    until: str = ""
    cursor: str | None = None


class GroupShown(Gives):
    """Runs that were started together; ``counts`` says how many stand how."""

    group_id: str
    task_id: str
    name: str
    revision: int
    cause: Cause
    who: str
    scheduled_for: str | None
    created: str
    ended: str | None
    counts: dict[str, int]
    runs: int


class TaskShown(Gives):
    """A task; ``next`` are its next due times, ``last`` the runs that were started last."""

    task_id: str
    name: str
    steps: list[dict[str, Any]]
    inputs: dict[str, Value | None]
    rows: list[dict[str, Value]]
    targets: Targets
    schedule: Schedule | None
    policy: Policy
    revision: int
    paused: bool
    failures: int
    next: list[str]
    created: str
    created_by: str
    updated: str
    updated_by: str
    last: GroupShown | None = None


class TaskPage(Gives):
    """Tasks, last changed first; ``unreadable`` names by id those that another version wrote."""

    items: list[TaskShown]
    unreadable: dict[str, str]
    next: str | None


class GroupStarted(Gives):
    """The runs are in line; they begin as soon as their phones are free."""

    group_id: str
    run_ids: list[str]


class NextTimes(Gives):
    """When a schedule is due next."""

    items: list[str]


class RevisionShown(Gives):
    """When and by whom a task was saved."""

    revision: int
    who: str
    note: str
    created: str


class RevisionPage(Gives):
    """Revisions, newest first."""

    items: list[RevisionShown]
    next: str | None


class RevisionWhole(RevisionShown):
    """A task as it was."""

    task: dict[str, Any]


class Difference(Gives):
    """One place at which two revisions differ."""

    path: str
    kind: Literal["added", "removed", "changed"]
    old: Any = None
    new: Any = None


class Differences(Gives):
    """What was changed from one revision to another."""

    old: int
    new: int
    items: list[Difference]


class StepNote(Gives):
    """Something worth knowing about a step."""

    code: str
    message: str


class StepPicture(Gives):
    """A picture of the screen after a step, or one that the step took, by its ``name``."""

    url: str
    name: str


class TaskStepShown(Gives):
    """What came of a step; ``path`` is its place in the task's steps."""

    n: int
    path: str
    type: str
    status: Literal["ok", "failed", "stopped"]
    ms: int
    ended: str
    optional: bool = False
    said: str = ""
    selector: dict[str, Any] | None = None
    screen: str = ""
    notes: list[StepNote] = Field(default_factory=list)
    pictures: list[StepPicture] = Field(default_factory=list)
    error: ErrorBody | None = None


class TaskRunShown(Gives):
    """One execution on one phone; ``at`` is the step it is at, ``path`` the one it ended at."""

    run_id: str
    task_id: str
    group_id: str
    name: str
    revision: int
    cause: Cause
    who: str
    number: int
    row: int | None
    serial: str | None
    hardware_serial: str | None
    status: Status
    attempt: int
    at: str
    path: str
    error: ErrorBody | None
    created: str
    not_before: str
    started: str | None
    ended: str | None
    ms: int | None


class TaskRunDetail(TaskRunShown):
    """A run with its steps, as they began; ``seen`` is the screen at which it failed."""

    inputs: dict[str, str]
    values: dict[str, str]
    seen: str
    steps: list[TaskStepShown]


class TaskRunPage(Gives):
    """Task runs, newest first."""

    items: list[TaskRunShown]
    next: str | None


class MatrixCell(TaskRunShown):
    """The newest run of a place in a group; ``tries`` counts the retries, too."""

    tries: int


class Matrix(GroupShown):
    """A group with a cell a phone and row."""

    cells: list[MatrixCell]


class GroupPage(Gives):
    """Groups, newest first."""

    items: list[GroupShown]
    next: str | None
