"""The libraries of experiences and actions, and what steps are made of."""

from typing import Any

from flask import Blueprint
from pydantic import BaseModel, ConfigDict

from core.memory import actions, audit, experiences
from core.memory.actions import NewAction
from core.memory.experiences import NewExperience
from core.similar import spoken
from core.steps.checks import json_schema, parse_steps
from core.steps.types import NEVER_IN_ACTIONS
from core.steps.values import names_in
from mcp_agent.offline import plain
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import only_asks, principal
from web.schemas.actions import (
    ActionChange,
    ActionPage,
    ActionShown,
    StepsCheck,
    StepsChecked,
    StepsShown,
)
from web.schemas.base import Ok
from web.schemas.experiences import ExperienceChange, ExperiencePage, ExperienceShown

blueprint = Blueprint("memory", __name__, url_prefix="/api/agent")


class Search(BaseModel):
    """What to look for, and where the page before ended."""

    model_config = ConfigDict(extra="ignore")

    q: str = ""
    app: str = ""
    cursor: str | None = None


@blueprint.get("/steps")
@contract(gives=StepsShown)
def steps() -> dict[str, Any]:
    """Describe the types of steps, as a JSON Schema of a list of them."""
    return {"schema": json_schema(), "never_in_actions": list(NEVER_IN_ACTIONS)}


@blueprint.post("/steps/check")
@contract(StepsCheck, StepsChecked)
@only_asks
def check_steps(json: StepsCheck) -> dict[str, Any]:
    """Say whether steps could be saved, and which values they need; nothing is kept."""
    return {"ok": True, "inputs": names_in(parse_steps(json.steps))}


@blueprint.get("/experiences")
@contract(gives=ExperiencePage, query=Search)
def experience_listing(query: Search) -> dict[str, Any]:
    """List experiences, last changed first."""
    db, lang = console().instance.db, reader_lang()
    page = experiences.listing(db, query.q.strip(), query.app.strip(), query.cursor, lang)
    judged = audit.newest(db, [each["id"] for each in page["items"]], lang)
    return {**page, "items": [{**each, "review": judged.get(each["id"])} for each in page["items"]]}


@blueprint.post("/experiences")
@contract(ExperienceChange, ExperienceShown, status=201)
def create_experience(json: ExperienceChange) -> tuple[dict[str, Any], int]:
    """Keep an experience that a person wrote."""
    wanted = NewExperience(json.task, json.recipe, json.app, spoken(json.task))
    with console().instance.db.write() as session:
        return experiences.add(session, wanted).shown(reader_lang()), 201


@blueprint.get("/experiences/<experience_id>")
@contract(gives=ExperienceShown)
def read_experience(experience_id: str) -> dict[str, Any]:
    """Return an experience."""
    return experiences.get(console().instance.db, experience_id).shown(reader_lang())


@blueprint.put("/experiences/<experience_id>")
@contract(ExperienceChange, ExperienceShown)
def change_experience(experience_id: str, json: ExperienceChange) -> dict[str, Any]:
    """Say an experience anew."""
    with console().instance.db.write() as session:
        return experiences.change(session, experience_id, **json.model_dump()).shown(reader_lang())


@blueprint.delete("/experiences/<experience_id>")
@contract(gives=Ok)
def remove_experience(experience_id: str) -> dict[str, Any]:
    """Forget an experience."""
    audit.delete(console().instance.db, experience_id, principal().person)
    return {"ok": True}


@blueprint.get("/actions")
@contract(gives=ActionPage, query=Search)
def listing(query: Search) -> dict[str, Any]:
    """List actions, last changed first."""
    return actions.listing(console().instance.db, query.q.strip(), query.cursor, reader_lang())


@blueprint.post("/actions")
@contract(ActionChange, ActionShown, status=201)
def create(json: ActionChange) -> tuple[dict[str, Any], int]:
    """Save a new action; steps are checked, and a wrong place is named."""
    return actions.create(console().instance.db, _wanted(json)).shown(reader_lang()), 201


@blueprint.get("/actions/<action_id>")
@contract(gives=ActionShown)
def read(action_id: str) -> dict[str, Any]:
    """Return an action."""
    return actions.get(console().instance.db, action_id).shown(reader_lang())


@blueprint.put("/actions/<action_id>")
@contract(ActionChange, ActionShown)
def change(action_id: str, json: ActionChange) -> dict[str, Any]:
    """Save an action anew, with the same checks."""
    return actions.change(console().instance.db, action_id, _wanted(json)).shown(reader_lang())


@blueprint.delete("/actions/<action_id>")
@contract(gives=Ok)
def remove(action_id: str) -> dict[str, Any]:
    """Forget an action; steps that run it will say that it is gone."""
    actions.remove(console().instance.db, action_id)
    return {"ok": True}


def _wanted(json: ActionChange) -> NewAction:
    wanted = NewAction(json.name, json.steps, tuple(json.aliases), json.app)
    plain.refuse(wanted)
    return wanted
