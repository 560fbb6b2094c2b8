"""The newest draft of a task, from wherever it came."""

from dataclasses import replace
from functools import partial
from typing import Any

from flask import Blueprint

from core import settings
from core.errors import Conflict, Invalid, NotFound
from core.memory import actions
from core.runs import acts, store
from core.tasks import drafts, from_run
from core.tasks.drafts import Kept
from core.words import phrase
from mcp_agent.modes import CHECK
from mcp_agent.runner import RunStart
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import owners, principal
from web.schemas.drafts import DraftMade, DraftShown, DraftTried

NONE: dict[str, Any] = {
    "draft": None,
    "warnings": [],
    "prompt": "",
    "serial": "",
    "created": None,
    "replay": None,
}
blueprint = Blueprint("drafts", __name__, url_prefix="/api/agent")


@blueprint.get("/draft")
@contract(gives=DraftShown)
def draft() -> dict[str, Any]:
    """Return the newest draft; its ``draft`` is null while there was none."""
    return _shown()


@blueprint.post("/draft/check")
@contract(DraftTried, DraftMade, status=202)
def check(json: DraftTried) -> tuple[dict[str, Any], int]:
    """Do the newest draft once without a model; the run says what came of it."""
    kept = settings.load(console().instance).agent_task_draft
    if kept is None:
        raise NotFound(kind="draft", name="")
    serial = json.serial or str(kept.get("serial", ""))
    return {**_shown(), **_start(serial, None, str(kept["draft"]["name"]))}, 202


@blueprint.post("/runs/<run_id>/task")
@owners
@contract(gives=DraftMade, status=201)
def from_a_run(run_id: str) -> tuple[dict[str, Any], int]:
    """Make a draft of what a run did on its phone, and begin to check it if the phone is free."""
    db, lang = console().instance.db, reader_lang()
    run = store.get(db, run_id)
    steps = from_run.steps_of(acts.of_run(db, run_id))
    if not steps:
        raise Invalid(path="run_id", detail=phrase("draft.no_acts", lang))
    inputs = {"password": "password"} if "{{password}}" in str(steps) else {}
    name = " ".join(run.prompt.split())[: drafts.NAME_CHARS]
    made = drafts.check(name, steps, inputs, partial(actions.steps_of, db))
    kept = Kept(made, drafts.warnings(made, lang), run.prompt, run.serial or "")
    drafts.keep(db, kept)
    try:
        begun = _start(kept.serial, run.conv_id, name)
    except Conflict as error:  # the phone is not free: it can be checked later
        why = phrase("draft.unchecked", lang, error=error.words(lang).message)
        drafts.keep(db, replace(kept, warnings=(*kept.warnings, why)))
        begun = {"run_id": None, "conv_id": None}
    return {**_shown(), **begun}, 201


def _start(serial: str, conv_id: str | None, name: str) -> dict[str, Any]:
    lang = reader_lang()
    start = RunStart(
        phrase("draft.check", lang, name=name),
        serial,
        conv_id=conv_id,
        mode=CHECK,
        lang=lang,
        user_id=principal().user_id,
    )
    record = console().runner.start(start)
    return {"run_id": record.run_id, "conv_id": record.conv_id}


def _shown() -> dict[str, Any]:
    return {**NONE, **(settings.load(console().instance).agent_task_draft or {})}
