"""What came of each step, as it is told and stored."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from core.errors import ConsoleError, PersonNeeded, from_wire
from core.screen.screen import Screen
from core.steps.schema import Selector
from core.words import Lang, phrase

Status = Literal["ok", "failed", "stopped"]
Verdict = Literal["success", "partial", "failed", "stopped"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing about a step that went well all the same."""

    code: str
    details: dict[str, Any] = field(default_factory=dict)

    def said(self, lang: Lang) -> str:
        """Say it."""
        return phrase(f"step.{self.code}", lang, **self.details)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step that was carried out.

    ``n`` counts from 1 in the order in which steps began; a step with others inside is told after
    them. ``path`` is its place in the list, ``screen`` names the screen on which it acted.
    """

    n: int
    path: str
    type: str
    status: Status
    ms: int
    optional: bool = False
    said: str = ""
    selector: dict[str, Any] | None = None
    screen: str = ""
    notes: tuple[Note, ...] = ()
    error: ConsoleError | None = None

    def shown(self, lang: Lang) -> dict[str, Any]:
        """Give it as the API shows it; what it has nothing of is left out."""
        error = self.error
        said: dict[str, Any] = {
            "optional": self.optional,
            "said": self.said,
            "selector": self.selector,
            "screen": self.screen,
            "notes": [{"code": note.code, "message": note.said(lang)} for note in self.notes],
            "error": {**error.body(lang), "path": self.path} if error else None,
        }
        head = {"n": self.n, "path": self.path, "type": self.type, "status": self.status}
        return {**head, "ms": self.ms, **{key: value for key, value in said.items() if value}}

    def wire(self) -> dict[str, Any]:
        """Give it as it is stored and crosses the loopback, in no language; see `read_record`."""
        said = {name: getattr(self, name) for name in self.__slots__}
        said["notes"] = [{"code": note.code, "details": note.details} for note in self.notes]
        said["error"] = self.error.wire() if self.error else None
        return {key: value for key, value in said.items() if value or key in ("n", "ms")}


def read_record(wire: dict[str, Any]) -> StepRecord:
    """Rebuild what `StepRecord.wire` gave."""
    notes = tuple(Note(each["code"], each["details"]) for each in wire.get("notes", ()))
    error = from_wire(wire["error"]) if wire.get("error") else None
    return StepRecord(**{**wire, "notes": notes, "error": error})


@dataclass(frozen=True, slots=True)
class Waiting:
    """The runner waits: for the phone, or for a person when ``need`` says so.

    Who drives the runner may leave it here and go on later; the same act is then tried again.
    """

    path: str
    need: PersonNeeded | None = None


@dataclass
class Trace:
    """What a step notes down while it is carried out; ``seen`` is the screen on which it acts."""

    n: int
    path: str
    said: str = ""
    selector: Selector | None = None
    seen: Screen | None = None
    notes: list[Note] = field(default_factory=list)

    def note(self, code: str, **details: Any) -> None:
        """Add something worth knowing, once."""
        made = Note(code, details)
        if made not in self.notes:
            self.notes.append(made)


Event = StepRecord | Waiting
Doing = Generator[Event, None, T]
