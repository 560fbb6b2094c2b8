"""The newest draft of a task, from wherever it came."""

from typing import Any

from flask import Blueprint

from core import settings
from web.api import contract
from web.console import console
from web.schemas.drafts import DraftShown

blueprint = Blueprint("drafts", __name__, url_prefix="/api/agent")


@blueprint.get("/draft")
@contract(gives=DraftShown)
def draft() -> dict[str, Any]:
    """Return the newest draft; its ``draft`` is null while there was none."""
    kept = settings.load(console().instance).agent_task_draft or {}
    return DraftShown.model_validate(kept).model_dump()
