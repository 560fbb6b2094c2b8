"""Both libraries of memories as a whole."""

from typing import Literal

from pydantic import Field

from core.memory.experiences import RECIPE_CHARS, TASK_CHARS
from web.schemas.actions import ActionChange
from web.schemas.base import Gives, Takes


class AppSaved(Gives):
    """What the experiences of one app saved; ``app`` is empty for those that name none."""

    app: str
    steps_saved: int
    tokens_saved: int
    hits: int


class MemoryFigures(Gives):
    """How much is remembered, how often it was used, and what it saved."""

    experiences: int
    actions: int
    waiting: int
    hits: int
    replays: int
    steps_saved: int
    tokens_saved: int
    apps: list[AppSaved]


class EarnedDay(Gives):
    """How runs that were told of memories ended on a day, what they saved, and replays."""

    day: str
    succeeded: int
    failed: int
    replays: int
    steps_saved: int
    tokens_saved: int


class EarnedDays(Gives):
    """The last days, today last, also those on which nothing happened."""

    items: list[EarnedDay]
    next: str | None


class RememberedApp(Gives):
    """How much is remembered of an app."""

    app: str
    experiences: int
    actions: int


class RememberedApps(Gives):
    """The apps that something is remembered of, those with most first."""

    items: list[RememberedApp]
    next: str | None


class ExperienceCarried(Takes):
    """An experience as it goes from one rack to another."""

    task: str = Field(min_length=1, max_length=TASK_CHARS)
    recipe: str = Field(min_length=1, max_length=RECIPE_CHARS)
    app: str = Field(default="", max_length=200)
    lang: Literal["zh", "en"] = "zh"
    package: str = Field(default="", max_length=200)
    app_version: str = Field(default="", max_length=100)
    proved: bool = False


class MemoryFile(Takes):
    """What an export holds."""

    version: Literal[1] = 1
    experiences: list[ExperienceCarried] = Field(default_factory=list, max_length=100_000)
    actions: list[ActionChange] = Field(default_factory=list, max_length=10_000)


class Brought(Gives):
    """What an import added; ``known`` was there already, of ``taken`` actions the name was."""

    experiences: int
    actions: int
    known: int
    taken: list[str]


class AppName(Takes):
    """An app's label or package."""

    app: str = Field(min_length=1, max_length=200, pattern=r"\S")


class AppForgotten(Gives):
    """How much was forgotten."""

    experiences: int
    actions: int
