"""What a person saves as a task: steps, inputs, rows of data, targets, a schedule, a policy."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from core.schedule import Schedule
from core.steps.lines import Pictures
from core.steps.schema import Strict

ROWS_MOST = 1_000
PHONES_MOST = 200

Value = str | int | float | bool
Serial = Annotated[str, Field(min_length=1, max_length=128)]
Tag = Annotated[str, Field(min_length=1, max_length=64)]


class Targets(Strict):
    """Which phones: by ``serials``, by ``tags`` (with any of them), or any that is free.

    ``any`` is how many; true means one, or as many as there are rows. With ``each`` every row of
    data goes to every phone, else the rows are dealt out to the phones in order.
    """

    serials: tuple[Serial, ...] = Field(default=(), max_length=PHONES_MOST)
    tags: tuple[Tag, ...] = Field(default=(), max_length=20)
    any: bool | Annotated[int, Field(ge=1, le=PHONES_MOST)] = False
    each: bool = False

    @model_validator(mode="after")
    def _is_one(self) -> "Targets":
        if sum(bool(given) for given in (self.serials, self.tags, self.any)) != 1:
            raise ValueError("give one of serials, tags and any")
        return self


class Policy(Strict):
    """How a task is run.

    Args:
        missed: What is done about due times at which nobody was there: the latest, all of the
            last 24, or none.
        retries: How often a run that failed is begun anew; its acts may then be done twice.
        retry_after_s: How long before that.
        timeout_s: A run may last so long.
        queue_s: A run waits so long for a phone that is busy or away; its turn after others of
            the same start is waited for as long as that goes on.
        parallel: So many phones at once.
        per_app: So many runs at once of all tasks that open the same app; None is no limit.
        stagger_s: Between the starts of two phones.
        battery_min: Percent below which a phone is left alone.
        storage_min_mb: Free space below which a phone is left alone.
        unlocked: Unlock the phone first; one that stays locked is left alone.
        app_there: The app that the task opens first must be installed.
        may_risk: Steps may pay, send, delete and the like, without anybody's word.
        heal: A step that finds nothing may be mended by the agent.
        pictures: Of which steps a picture is kept.
        pause_after: The schedule is paused after so many failures in a row; 0 is never.
    """

    missed: Literal["latest", "all", "skip"] = "latest"
    retries: int = Field(default=0, ge=0, le=5)
    retry_after_s: float = Field(default=30, ge=0, le=3_600)
    timeout_s: float = Field(default=900, ge=1, le=86_400)
    queue_s: float = Field(default=3_600, ge=0, le=86_400)
    parallel: int = Field(default=10, ge=1, le=PHONES_MOST)
    per_app: int | None = Field(default=None, ge=1, le=PHONES_MOST)
    stagger_s: float = Field(default=0, ge=0, le=3_600)
    battery_min: int = Field(default=0, ge=0, le=100)
    storage_min_mb: int = Field(default=0, ge=0, le=1_000_000)
    unlocked: bool = True
    app_there: bool = True
    may_risk: bool = False
    heal: bool = False
    pictures: Pictures = "failed"
    pause_after: int = Field(default=5, ge=0, le=100)


class TaskSpec(Strict):
    """One task as a person wrote it; the steps are checked by `core.tasks.checks`.

    ``inputs`` holds a value for each ``{{name}}``; null means that each run must be given one.
    A row of data stands in place of the inputs of the same names.
    """

    name: str = Field(min_length=1, max_length=100)
    steps: list[dict[str, Any]]
    inputs: dict[str, Value | None] = Field(default_factory=dict, max_length=50)
    rows: list[dict[str, Value]] = Field(default_factory=list, max_length=ROWS_MOST)
    targets: Targets = Targets(any=True)
    schedule: Schedule | None = None
    policy: Policy = Policy()

    @field_validator("name")
    @classmethod
    def _shows(cls, name: str) -> str:
        if not name.strip():
            raise ValueError("it is blank")
        return name.strip()

    @property
    def body(self) -> dict[str, Any]:
        """Give it as it is stored and shown, with what is as usual."""
        return dict(json.loads(self.model_dump_json()))
