"""Runs: asked for, followed, answered, listed."""

from typing import Any, Literal

from pydantic import Field

from web.schemas.attachments import AttachmentIds
from web.schemas.base import Gives, Takes


class NewRun(Takes):
    """One sentence for a phone.

    ``replaces`` is the id of the message of ``conv_id`` that this is said in place of: it and all
    that followed stay to be read, and count no more.
    """

    prompt: str = Field(min_length=1, max_length=20_000)
    serial: str | None = Field(default=None, max_length=128)
    conv_id: str | None = Field(default=None, max_length=16)
    mode: Literal["chat", "designer"] = "chat"
    channel: Literal["phone"] = "phone"
    autonomy: Literal["observe", "confirm_all", "confirm_risky", "auto"] | None = None
    replaces: int | None = Field(default=None, ge=1, le=2**63 - 1)

    attachments: AttachmentIds = ()


class RunStarted(Gives):
    """The run is accepted and will end, whatever happens."""

    run_id: str
    conv_id: str


class Followup(Takes):
    """Something to add while it runs."""

    text: str = Field(min_length=1, max_length=20_000)
    attachments: AttachmentIds = ()


class Answer(Takes):
    """What a person says to a run's question; one of its options' values, or text."""

    question_id: str = Field(min_length=1, max_length=16)
    value: str = Field(min_length=1, max_length=4_000)


class Option(Gives):
    """One answer to choose."""

    value: str
    label: str


class QuestionShown(Gives):
    """What a run waits for; as in its ``question`` event."""

    question_id: str
    kind: Literal["question", "approval", "takeover"]
    title: str
    question: str
    options: list[Option]
    expires_at: str | None


class LiveRun(Gives):
    """A run that goes on."""

    run_id: str
    conv_id: str
    serial: str | None
    mode: str
    status: str
    step: int
    max_steps: int
    question: QuestionShown | None = None


class Snapshot(Gives):
    """What runs now: the oldest as ``run``, all of them in ``runs``."""

    running: bool
    run: LiveRun | None
    runs: list[LiveRun]


class RunShown(LiveRun):
    """A run of the history."""

    channel: str
    provider: str
    prompt: str
    created: str
    ended: str | None


class RunDetail(RunShown):
    """A run with its steps, in the payload of the ``step`` event.

    ``learned`` is the card `memory.learned` in the same form, once the run was learned from.
    """

    steps: list[dict[str, Any]]
    learned: dict[str, Any] | None = None


class EventShown(Gives):
    """One event of a run, with the payload of CONTRACTS 3."""

    id: int
    event: str
    data: dict[str, Any]


class EventPage(Gives):
    """Events of a run, oldest first."""

    items: list[EventShown]
    next: int | None


class Again(Takes):
    """How to go on after a run that broke off: where it was, or from the beginning."""

    how: Literal["resume", "restart"]


class RunPage(Gives):
    """Runs, newest first."""

    items: list[RunShown]
    next: str | None
