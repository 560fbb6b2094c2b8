"""Reviews of memories."""

from typing import Any, Literal

from web.schemas.base import ErrorBody, Gives


class Reviewing(Gives):
    """Whether a review began; it did not where one runs already."""

    started: bool


class ReviewState(Gives):
    """When memories were and will be reviewed, and how many suggestions wait for a person.

    ``left`` is how many a running review has still before it; ``failed`` says why the latest one
    did not come to its end.
    """

    running: bool
    left: int
    waiting: int
    latest: str | None
    due: str | None
    failed: ErrorBody | None = None


class EvidenceShown(Gives):
    """One thing that speaks against a memory."""

    code: str
    details: dict[str, Any]
    message: str


class ReviewShown(Gives):
    """What was thought of an experience and what a person said to it.

    ``action`` is ``keep`` or ``pending``, once decided ``kept`` or ``deleted``, and ``anew`` where
    it was only put into other words; ``by`` is the model that judged, or ``rules``. ``score`` goes
    from 0 to 10. Those that wait show the recipe.
    """

    id: str
    experience_id: str
    task: str
    action: Literal["keep", "pending", "kept", "deleted", "anew"]
    score: float | None
    reason: str
    evidence: list[EvidenceShown]
    by: str
    created: str
    decided: str | None
    decided_by: str
    recipe: str | None = None
    app: str | None = None


class ReviewPage(Gives):
    """Reviews, one page."""

    items: list[ReviewShown]
    next: str | None
