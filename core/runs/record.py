"""A run as it is asked for, as the rest of the program sees it, and as it ends.

Rows stay in `core.runs.store`; these are what goes in and comes out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.clock import iso
from core.models import Run
from core.runs.log import Entry
from core.words import Lang

TITLE_CHARS = 40


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What somebody asked for; ``owner`` names the process that will carry it out.

    A new conversation becomes that of ``user_id``. ``replaces`` is the message that this is said
    in place of.
    """

    prompt: str
    serial: str
    conv_id: str | None
    mode: str
    channel: str
    provider: str
    autonomy: str
    max_steps: int
    lang: Lang
    owner: str = "console"
    user_id: str | None = None
    replaces: int | None = None
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as the rest of the program sees it."""

    run_id: str
    conv_id: str
    serial: str | None
    hardware_serial: str | None
    mode: str
    channel: str
    provider: str
    autonomy: str
    lang: Lang
    prompt: str
    status: str
    step: int
    max_steps: int
    fence: int
    created: datetime
    ended: datetime | None

    def shown(self) -> dict[str, Any]:
        """Give the run as the API shows it."""
        return {
            "run_id": self.run_id,
            "conv_id": self.conv_id,
            "serial": self.serial,
            "mode": self.mode,
            "channel": self.channel,
            "provider": self.provider,
            "status": self.status,
            "step": self.step,
            "max_steps": self.max_steps,
            "prompt": self.prompt,
            "created": iso(self.created),
            "ended": iso(self.ended) if self.ended else None,
        }


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: its last events, what the conversation keeps of it, and what it teaches."""

    status: str
    answer: str
    entries: Sequence[Entry]
    extra: dict[str, Any] = field(default_factory=dict)
    tokens: int = 0
    continuation: str | None = None
    attempt: int = 1
    lesson: Mapping[str, Any] | None = None


def record_of(run: Run) -> RunRecord:
    """Give a row as the rest of the program sees it."""
    return RunRecord(
        run_id=run.id,
        conv_id=run.conv_id,
        serial=run.serial,
        hardware_serial=run.hardware_serial,
        mode=run.mode,
        channel=run.channel,
        provider=run.provider,
        autonomy=run.autonomy,
        lang=lang_of(run),
        prompt=run.prompt,
        status=run.status,
        step=run.step,
        max_steps=run.max_steps,
        fence=run.fence,
        created=run.created,
        ended=run.ended,
    )


def lang_of(run: Run) -> Lang:
    """Give the language of whoever started a run."""
    return "en" if run.lang == "en" else "zh"


def title_of(prompt: str) -> str:
    """Give the beginning of a prompt, on one line."""
    return " ".join(prompt.split())[:TITLE_CHARS]
