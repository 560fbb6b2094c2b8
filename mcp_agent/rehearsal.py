"""Do a draft on the run's own phone, without a model, and say what came of it.

It begins at the home screen, with the apps as they were left, as a task does. Nobody is asked
during it: a step that a person would have to let through ends it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from core.devices.remote import RemotePhones
from core.errors import ConsoleError, NeedsHuman
from core.runs.events import Picture, ProviderEvent, ToolFinished, ToolStarted
from core.steps.checks import as_json, walk
from core.steps.hands import Stop
from core.steps.lines import Asked, Began, Ended, Shot
from core.steps.record import StepRecord
from core.tasks.drafts import Draft, Replay
from core.words import Lang, phrase

LIMIT_S = 300.0
SEEN_CHARS = 6_000
#: What a rehearsal's steps are called among a run's: this and their type.
TOOL = "replay."
SERVER = "steps"
HOME = {"type": "press_key", "key": "home"}


@dataclass(frozen=True)
class Stage:
    """The phone of a run, under its lease; ``tell`` gets what happens, in the reader's thread."""

    phones: RemotePhones
    serial: str
    owner: str
    fence: Callable[[], int]
    autonomy: str
    lang: Lang
    tell: Callable[[ProviderEvent], None]

    def rehearse(self, draft: Draft, stop: Stop) -> Replay:
        """Do a draft from the home screen on; what breaks is told in the answer."""
        show = _Show(self, draft)
        limited = _Limited(stop, time.monotonic() + LIMIT_S)
        try:
            self._go_home(limited)
            ended = self._do(Asked(as_json(draft.steps), dict(draft.inputs)), show, limited)
        except ConsoleError as broken:
            return Replay(False, show.told, *self._words(broken), broken=True)
        if ended.verdict == "stopped":
            why = phrase(f"draft.{limited.why}", self.lang)
            return Replay(False, show.told, why, why, broken=True)
        return Replay(
            ended.verdict in ("success", "partial"),
            show.told,
            *self._words(ended.error),
            seen=ended.seen[:SEEN_CHARS],
            path=ended.path,
            asks=isinstance(ended.error, NeedsHuman),
        )

    def _words(self, error: ConsoleError | None) -> tuple[str, str]:
        """Say an error for a model, and for a person."""
        return (str(error), error.words(self.lang).message) if error else ("", "")

    def _go_home(self, stop: Stop) -> None:
        asked = Asked([HOME], autonomy=self.autonomy, pictures="none")
        for line in self.phones.steps(self.serial, asked, self.owner, self.fence(), stop):
            if isinstance(line, Ended) and line.error is not None:
                raise line.error

    def _do(self, asked: Asked, show: "_Show", stop: Stop) -> Ended:
        asked = Asked(asked.steps, asked.inputs, autonomy=self.autonomy, pictures="all")
        ended = Ended("stopped", {})
        for line in self.phones.steps(self.serial, asked, self.owner, self.fence(), stop):
            match line:
                case Began():
                    show.begin(line.path)
                case Shot():
                    show.pictures[line.path] = line.jpeg
                case StepRecord():
                    show.end(line)
                case Ended():
                    ended = line
        return ended


@dataclass
class _Show:
    """What is told of a rehearsal while it goes on."""

    stage: Stage
    draft: Draft
    pictures: dict[str, bytes] = field(default_factory=dict)
    records: list[StepRecord] = field(default_factory=list)
    _calls: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def __post_init__(self) -> None:
        self._steps = dict(walk(self.draft.steps))

    @property
    def told(self) -> tuple[dict[str, object], ...]:
        """Give what came of each step, as the API shows it."""
        ordered = sorted(self.records, key=lambda record: record.n)
        return tuple(record.shown(self.stage.lang) for record in ordered)

    def begin(self, path: str) -> None:
        """Tell that a step begins."""
        self._count += 1
        call_id = f"replay-{id(self)}-{self._count}"
        self._calls[path] = call_id
        step = self._steps.get(path)
        args = {} if step is None else _gist(as_json([step])[0])
        kind = step.type if step is not None else "step"
        self.stage.tell(ToolStarted(call_id, f"{TOOL}{kind}", {"path": path, **args}, SERVER))

    def end(self, record: StepRecord) -> None:
        """Tell what came of it."""
        self.records.append(record)
        jpeg = self.pictures.pop(record.path, None)
        notes = " ".join(note.said(self.stage.lang) for note in record.notes)
        error = record.error.words(self.stage.lang).message if record.error else ""
        call_id = self._calls.pop(record.path, None)
        if call_id is not None:
            text = " ".join(filter(None, (record.said, notes, error)))
            pictures = (Picture(jpeg),) if jpeg else ()
            done = ToolFinished(call_id, "ok", text, pictures, ms=record.ms)
            self.stage.tell(done if record.status == "ok" else replace(done, status="error"))


class _Limited:
    """A stop that also comes when a rehearsal has lasted long enough."""

    def __init__(self, stop: Stop, until: float) -> None:
        self._stop = stop
        self._until = until

    @property
    def why(self) -> str:
        """Say in a phrase's key what broke the rehearsal off."""
        if self._stop.is_set():
            return "stopped"
        return "too_long" if time.monotonic() > self._until else "phone_taken"

    def is_set(self) -> bool:
        """Say whether to stop now."""
        return self._stop.is_set() or time.monotonic() > self._until

    def wait(self, timeout: float) -> bool:
        """Wait a while, less when a stop comes."""
        return self._stop.wait(timeout) or self.is_set()


def _gist(step: dict[str, object]) -> dict[str, object]:
    """Leave out of a step what its line has no room for."""
    hidden = ("type", "then", "else", "steps", "expect", "alternatives", "note")
    return {key: value for key, value in step.items() if key not in hidden}
