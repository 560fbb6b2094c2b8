"""The newest draft of a task."""

from typing import Any

from pydantic import Field

from web.schemas.base import Gives, Takes


class DraftBody(Gives):
    """Steps that are proposed as a task; ``inputs`` holds a value to try for each of them."""

    name: str
    steps: list[dict[str, Any]]
    inputs: dict[str, str]


class ReplayShown(Gives):
    """What came of doing it once without a model: each step ``{n, path, type, status, error?}``."""

    ok: bool
    steps: list[dict[str, Any]]


class DraftShown(Gives):
    """The newest draft, if there is one; ``replay`` is null when it was not tried."""

    draft: DraftBody | None
    warnings: list[str]
    prompt: str
    serial: str
    created: str | None
    replay: ReplayShown | None


class DraftTried(Takes):
    """Where to try the newest draft; without a serial, where it was made."""

    serial: str | None = Field(default=None, max_length=128)


class DraftMade(DraftShown):
    """A draft, and the run that checks it; null when that could not begin now."""

    run_id: str | None
    conv_id: str | None
