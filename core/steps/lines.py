"""What is told of a run of steps while it goes on, one JSON object a line.

The MCP server carries steps out; the console and the runner read these lines over the loopback.
"""

import base64
from dataclasses import dataclass, field
from typing import Any, Literal

from core.errors import ConsoleError, from_wire
from core.steps.record import StepRecord, Verdict, read_record

Pictures = Literal["none", "failed", "all"]


@dataclass(frozen=True, slots=True)
class Ready:
    """What a phone must have before the first step; what is empty is not asked for."""

    battery_min: int = 0
    storage_min_mb: int = 0
    unlocked: bool = False
    app: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A run of steps that is to be carried out on one phone.

    Args:
        steps: As they came from JSON.
        inputs: Values for ``{{name}}``, also what was extracted before ``first``.
        first: Index of the step to begin at.
        autonomy: ``auto`` when somebody answers for risky steps; else such a step fails with
            `NeedsHuman`, as do all acts with ``confirm_all``.
        pictures: Of which steps a picture is told; those of ``screenshot`` steps always are.
        ready: What the phone must have before anything is done.
    """

    steps: list[Any]
    inputs: dict[str, Any] = field(default_factory=dict)
    first: int = 0
    autonomy: str = "confirm_risky"
    pictures: Pictures = "failed"
    ready: Ready = field(default_factory=Ready)


@dataclass(frozen=True, slots=True)
class Began:
    """A step began."""

    path: str


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the screen after a step, or the one that a ``screenshot`` step took."""

    path: str
    name: str
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The last line: what came of the run, and what was extracted.

    ``error`` is why it failed, at ``path``, and ``seen`` the compact text of the screen then.
    """

    verdict: Verdict
    values: dict[str, str]
    error: ConsoleError | None = None
    path: str = ""
    seen: str = ""


StepLine = Began | StepRecord | Shot | Ended


def as_wire(line: StepLine) -> dict[str, Any]:
    """Give a line as JSON."""
    match line:
        case Began():
            return {"began": line.path}
        case StepRecord():
            return {"record": line.wire()}
        case Shot():
            jpeg = base64.b64encode(line.jpeg).decode()
            return {"picture": jpeg, "path": line.path, "name": line.name}
        case Ended():
            error = line.error.wire() if line.error else None
            ended = {"verdict": line.verdict, "values": line.values, "path": line.path}
            return {**ended, "seen": line.seen, "error": error}


def from_line(wire: dict[str, Any]) -> StepLine:
    """Rebuild what `as_wire` gave."""
    if "began" in wire:
        return Began(wire["began"])
    if "record" in wire:
        return read_record(wire["record"])
    if "picture" in wire:
        return Shot(wire["path"], wire["name"], base64.b64decode(wire["picture"]))
    error = from_wire(wire["error"]) if wire["error"] else None
    return Ended(wire["verdict"], wire["values"], error, wire["path"], wire["seen"])
