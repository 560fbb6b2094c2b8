"""Proposals that mended a step of a task while it ran, for a human to decide."""

from typing import Any

from flask import Blueprint, g

from core.tasks import proposals
from web.api import contract
from web.console import console
from web.schemas.proposals import Decision, ProposalPage
from web.schemas.tasks import TaskShown

blueprint = Blueprint("proposals", __name__, url_prefix="/api/tasks")


@blueprint.get("/<task_id>/proposals")
@contract(gives=ProposalPage)
def listing(task_id: str) -> dict[str, Any]:
    """List a task's proposals, those that wait first."""
    return proposals.listing(console().instance.db, task_id)


@blueprint.post("/<task_id>/proposals/<proposal_id>")
@contract(Decision, TaskShown)
def decide(task_id: str, proposal_id: str, json: Decision) -> dict[str, Any]:
    """Take a proposal into the task as a new revision, or turn it down; gives the task."""
    db, who = console().instance.db, g.principal.name
    task = proposals.decide(db, task_id, proposal_id, who, accept=json.accept)
    return {**task.shown(), "last": None}
