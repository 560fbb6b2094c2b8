"""Both libraries of memories as a whole: what they earned, taken out, brought in, forgotten."""

import json as text
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response
from pydantic import BaseModel, ConfigDict, Field, field_validator

from core.clock import utc_now
from core.memory import earned, library
from core.memory.actions import NewAction
from core.memory.experiences import NewExperience
from core.schedule import known_zone
from core.similar import spoken
from mcp_agent.offline import plain
from web.api import contract
from web.console import console
from web.schemas.library import (
    AppForgotten,
    AppName,
    Brought,
    EarnedDays,
    MemoryFigures,
    MemoryFile,
    RememberedApps,
)

blueprint = Blueprint("library", __name__, url_prefix="/api/agent/memory")

FILE = "phonedeck-memory.json"


class OfApp(BaseModel):
    """Of which app; all without."""

    model_config = ConfigDict(extra="ignore")

    app: str = ""


class OfZone(BaseModel):
    """By whose calendar."""

    model_config = ConfigDict(extra="ignore")

    zone: str = Field(default="UTC", max_length=64)

    @field_validator("zone")
    @classmethod
    def _is_known(cls, zone: str) -> str:
        return known_zone(zone).key


@blueprint.get("")
@contract(gives=MemoryFigures)
def figures() -> dict[str, Any]:
    """Say how much is remembered, and what it saved."""
    return library.figures(console().instance.db)


@blueprint.get("/days")
@contract(gives=EarnedDays, query=OfZone)
def days(query: OfZone) -> dict[str, Any]:
    """Say what the memory earned on each of the last days, by the calendar of a zone."""
    items = earned.days(console().instance.db, known_zone(query.zone), utc_now())
    return {"items": items, "next": None}


@blueprint.get("/apps")
@contract(gives=RememberedApps)
def apps() -> dict[str, Any]:
    """List the apps that something is remembered of, those with most first."""
    return {"items": library.apps(console().instance.db), "next": None}


@blueprint.get("/export")
@contract(query=OfApp)
def export(query: OfApp) -> Response:
    """Give all that is remembered, or all of one app, as a file that `import` takes."""
    items = library.taken_out(console().instance.db, query.app.strip())
    answer = Response(_as_file(items), mimetype="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{FILE}"'
    return answer


@blueprint.post("/import")
@contract(MemoryFile, Brought)
def bring_in(json: MemoryFile) -> dict[str, Any]:
    """Add what a file holds and is not there yet: everything, or nothing when a part is wrong."""
    wanted = [
        NewExperience(**{**each.model_dump(), "lang": spoken(each.task)})
        for each in json.experiences
    ]
    named = [
        NewAction(each.name, each.steps, tuple(each.aliases), each.app) for each in json.actions
    ]
    for at, action in enumerate(named):
        plain.refuse(action, f"actions.{at}.")
    brought = library.bring_in(console().instance.db, wanted, named)
    return {
        "experiences": brought.experiences,
        "actions": brought.actions,
        "known": brought.known,
        "taken": list(brought.taken),
    }


@blueprint.post("/forget")
@contract(AppName, AppForgotten)
def forget(json: AppName) -> dict[str, int]:
    """Forget every experience and action of one app."""
    return library.forget(console().instance.db, json.app.strip())


def _as_file(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Write the file piece by piece, since a library may be large."""
    kind, first = "experience", True
    yield '{"version": 1, "experiences": ['
    for item in items:
        if item["kind"] != kind:
            kind, first = "action", True
            yield '\n], "actions": ['
        body = {key: value for key, value in item.items() if key != "kind"}
        yield f"{'' if first else ','}\n{text.dumps(body, ensure_ascii=False)}"
        first = False
    yield "\n]}\n" if kind == "action" else '\n], "actions": []}\n'
