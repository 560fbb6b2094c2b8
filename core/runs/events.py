"""What can happen in a run: one union, whatever the brain.

Providers yield the first group; the runner adds the second, numbers the tool calls and turns
pictures into artifacts. How outsiders read them is `core/runs/wire.py`'s.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: What kind of failure ended a query; empty for none, or for one that has no kind.
Classification = Literal[
    "", "auth", "quota", "rate", "transport", "session", "tools", "watchdog", "bug"
]

#: Points as fractions of the screen.
Spots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Image bytes on their way from a tool to the model and to the artifacts folder."""

    data: bytes
    mime: str = "image/jpeg"


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The brain's session exists; ``continuation`` resumes it in a later run."""

    continuation: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A whole piece of text that was already streamed as deltas; said before tool calls."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning, shown and never sent back to it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call is sent; ``n``, from 1 within the run, and ``started`` are the runner's."""

    call_id: str
    name: str
    args: Mapping[str, Any]
    server: str = "phone"
    n: int = 0
    started: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call ended; what follows ``ms`` is filled in by the runner.

    ``before`` and ``image`` are the addresses of how the screen was and is. ``waits`` and
    ``touched`` are the brain's own: it did nothing yet, for a person is asked first; and where
    a finger came down and a swipe ended.
    """

    call_id: str
    status: Literal["ok", "error", "denied", "aborted"]
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    ms: int = 0
    n: int = 0
    name: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""
    before: str | None = None
    image: str | None = None
    waits: bool = False
    touched: Spots = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; the runner publishes the sum over the run's calls."""

    input: int
    output: int
    total: int | None = None
    cache_read: int = 0
    cost: float | None = None
    calls: int = 1
    currency: str = ""

    def __add__(self, other: "Usage") -> "Usage":
        """Sum two; a total that the vendor left out is input + output, a cost stays unknown."""
        costs = [each for each in (self.cost, other.cost) if each is not None]
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            total=self.all_tokens + other.all_tokens,
            cache_read=self.cache_read + other.cache_read,
            cost=sum(costs) if costs else None,
            calls=self.calls + other.calls,
            currency=self.currency or other.currency,
        )

    @property
    def all_tokens(self) -> int:
        """The vendor's total, or input + output where it gave none."""
        return self.input + self.output if self.total is None else self.total


@dataclass(frozen=True, slots=True)
class Notice:
    """Something degraded or is tried again; the run goes on.

    Readers get ``code`` and ``message``, which say all of it in words; the rest is for the log of
    the machine.
    """

    code: str
    message: str
    will_retry: bool = False
    attempt: int = 0
    delay_s: float = 0


@dataclass(frozen=True, slots=True)
class InputNeeded:
    """A person is asked; the run waits, without a model call."""

    question_id: str
    kind: Literal["question", "approval", "takeover"]
    title: str
    question: str
    options: tuple[tuple[str, str], ...] = ()
    expires_at: str | None = None


@dataclass(frozen=True, slots=True)
class Consumed:
    """The brain has taken in these inbox rows; only now may they be completed."""

    input_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The turn ended; on an error ``error_class`` is a code of the words' catalogue.

    ``extra`` is what the run's end carries beside the answer, for example a task's draft;
    ``consumed`` is for a brain that tells only at its turn's end which inputs it took in.
    """

    status: Literal["ok", "error", "aborted"]
    text: str = ""
    error_class: str | None = None
    http_status: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    consumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Activity:
    """The brain is alive though it says nothing; keeps the watchdog quiet.

    ``turn`` counts the model calls from 1, where the brain knows: it is the run's step.
    """

    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """The query is over; nothing comes after it.

    ``reason`` is ``finished``, what the abort said, or the code of the failure; ``retryable``
    says that the same input may do better later. These are for the log of the machine: how the
    run ends, the `TurnResult` says.
    """

    reason: str
    retryable: bool = False
    classification: Classification = ""


@dataclass(frozen=True, slots=True)
class Route:
    """Which hands the run got, and why."""

    channel: str
    reason: str
    considered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """Something the agent sent before its answer, or a person added during the run.

    What a person added has the ``message_id`` that `Consumed` names once the brain has read it,
    and the files that came with it, as `core.attachments.Attached.shown` gives them.
    """

    text: str
    sender: Literal["agent", "user"] = "agent"
    message_id: str = ""
    attachments: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """A person answered a question; ``by`` is their name, or empty when nobody did."""

    question_id: str
    value: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The run ended with an answer, or was stopped."""

    answer: str
    usage: Usage | None = None
    mode: str = "chat"
    stopped: bool = False
    verified: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended with an error, said in the language of whoever started it."""

    code: str
    message: str
    hint: str


ProviderEvent = (
    SessionStarted
    | TextDelta
    | TextSegment
    | ReasoningDelta
    | ToolStarted
    | ToolFinished
    | Usage
    | Notice
    | InputNeeded
    | Consumed
    | TurnResult
    | Activity
    | Closed
)
Event = ProviderEvent | Route | Message | Answered | Done | Failed
