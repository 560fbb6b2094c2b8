"""Proposals to change a step of a task."""

from typing import Any, Literal

from web.schemas.base import Gives, Takes


class ProposalPictures(Gives):
    """How the screen was before the mended step and after it: addresses, or null."""

    before: str | None
    after: str | None


class ProposalShown(Gives):
    """One step that was mended while a task ran; ``proved`` says that this run went well."""

    proposal_id: str
    task_id: str
    run_id: str
    revision: int
    path: str
    before: dict[str, Any]
    after: dict[str, Any]
    why: str
    proved: bool
    pictures: ProposalPictures
    status: Literal["open", "accepted", "rejected"]
    created: str
    decided: str | None
    decided_by: str


class ProposalPage(Gives):
    """A task's proposals, those that wait first."""

    items: list[ProposalShown]
    next: str | None


class Decision(Takes):
    """What a human says to a proposal."""

    accept: bool
