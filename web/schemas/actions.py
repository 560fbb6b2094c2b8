"""Saved actions, and the steps they are made of."""

from typing import Annotated, Any

from pydantic import Field

from web.schemas.base import Gives, Ok, Takes


class ActionChange(Takes):
    """A named list of steps; `GET /api/agent/steps` describes the steps."""

    name: str = Field(min_length=1, max_length=100)
    aliases: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default_factory=list, max_length=20
    )
    app: str = Field(default="", max_length=200)
    steps: list[dict[str, Any]]


class ActionShown(Gives):
    """A saved action; ``uses`` counts how often it was replayed.

    ``proved`` says that these very steps have led where they should, ``stale`` why they are only a
    hint any more; ``run_id`` is the run that taught them.
    """

    id: str
    name: str
    aliases: list[str]
    app: str
    steps: list[dict[str, Any]]
    uses: int
    used: str | None
    run_id: str
    app_version: str
    proved: bool
    stale: str
    successes: int
    failures: int
    created: str
    updated: str


class ActionPage(Gives):
    """Actions, last changed first."""

    items: list[ActionShown]
    next: str | None


class StepsCheck(Takes):
    """Steps that somebody is about to save."""

    steps: list[dict[str, Any]]


class StepsChecked(Ok):
    """They fit; ``inputs`` are the values that they need from outside."""

    inputs: list[str]


class StepsShown(Gives):
    """The JSON Schema of a list of steps, and the types that never stand in an action."""

    schema_: dict[str, Any] = Field(alias="schema")
    never_in_actions: list[str]
