"""The review of memories: what was judged, what waits for a person, and what the person says."""

from typing import Any

from flask import Blueprint
from pydantic import BaseModel, ConfigDict

from core.clock import iso, utc_now
from core.memory import audit
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import principal
from web.schemas.base import Ok
from web.schemas.reviews import Reviewing, ReviewPage, ReviewState

blueprint = Blueprint("review", __name__, url_prefix="/api/agent/experiences")


class Page(BaseModel):
    """Where the page before ended."""

    model_config = ConfigDict(extra="ignore")

    cursor: str | None = None


@blueprint.post("/audit")
@contract(gives=Reviewing, status=202)
def begin() -> tuple[dict[str, Any], int]:
    """Review what changed since the last review, now; one that runs already is not doubled."""
    return {"started": console().clock.audit_now(reader_lang())}, 202


@blueprint.get("/audit")
@contract(gives=ReviewState)
def state() -> dict[str, Any]:
    """Say when memories were reviewed, when they will be, and how many wait for a person."""
    here = console()
    db, running, failed = here.instance.db, here.clock.auditing, here.clock.audit_failed
    latest = audit.latest(db)
    due = min((at for job, at in here.clock.due().items() if job.startswith("audit")), default=None)
    return {
        "running": running,
        "left": audit.left(db, utc_now()) if running else 0,
        "waiting": audit.waiting(db),
        "latest": iso(latest) if latest else None,
        "due": iso(due) if due else None,
        "failed": failed.body(reader_lang()) if failed and not running else None,
    }


@blueprint.get("/audit/queue")
@contract(gives=ReviewPage, query=Page)
def queue(query: Page) -> dict[str, Any]:
    """List what waits for a person, the worst first."""
    return audit.queue(console().instance.db, reader_lang(), query.cursor)


@blueprint.get("/audit/history")
@contract(gives=ReviewPage, query=Page)
def history(query: Page) -> dict[str, Any]:
    """List all that was judged and decided, newest first."""
    return audit.history(console().instance.db, reader_lang(), query.cursor)


@blueprint.post("/<experience_id>/keep")
@contract(gives=Ok)
def keep(experience_id: str) -> dict[str, Any]:
    """Keep an experience; it is not suggested again unless its evidence changes."""
    audit.keep(console().instance.db, experience_id, principal().person)
    return {"ok": True}
