"""Experiences: how kinds of jobs go, in words."""

from pydantic import Field

from core.memory.experiences import RECIPE_CHARS, TASK_CHARS
from web.schemas.base import Gives, Takes
from web.schemas.reviews import ReviewShown


class ExperienceChange(Takes):
    """A job in the words it is asked for, and how it goes."""

    task: str = Field(min_length=1, max_length=TASK_CHARS)
    recipe: str = Field(min_length=1, max_length=RECIPE_CHARS)
    app: str = Field(default="", max_length=200)


class ExperienceShown(Gives):
    """An experience.

    ``hits`` counts the runs that were told of it, ``confidence`` how far to trust it by how they
    ended; ``steps`` and ``tokens`` are those of the run that taught it, and what later runs saved
    against them. ``stale`` says why it is only a hint, if it is; lists say in ``review`` what was
    thought of it last.
    """

    id: str
    task: str
    recipe: str
    app: str
    lang: str
    package: str
    app_version: str
    run_id: str
    proved: bool
    stale: str
    steps: int
    tokens: int
    hits: int
    successes: int
    failures: int
    confidence: float
    steps_saved: int
    tokens_saved: int
    created: str
    updated: str
    review: ReviewShown | None = None


class ExperiencePage(Gives):
    """Experiences, last changed first."""

    items: list[ExperienceShown]
    next: str | None
