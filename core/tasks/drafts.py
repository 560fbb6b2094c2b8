"""Drafts: steps that somebody proposes as a task, checked as a task's would be.

A draft is no task: it becomes one only when a human saves it. The newest is kept, and no other.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.clock import iso, utc_now
from core.db import Database
from core.errors import Invalid, NotFound
from core.models import AppMeta
from core.steps import types, values
from core.steps.checks import as_json, parse_steps, walk
from core.steps.schema import OPEN, StepParams, Steps
from core.words import Lang, phrase

KEY = "agent_task_draft"
NAME_CHARS = 100
#: Finds a saved action by name or alias: its own name, and its steps.
FindAction = Callable[[str], tuple[str, Steps]]
#: Where a run that comes from anywhere can begin.
BEGINNINGS = ("open_app", "close_app", "open_url", "run_action")
#: Steps that look, and so say whether it went as it should.
PROOFS = ("wait_for", "assert", "extract", "if_exists", "scroll_to")


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal; ``inputs`` holds a value to try for each ``{{name}}``."""

    name: str
    steps: Steps
    inputs: dict[str, str] = field(default_factory=dict)

    def shown(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        return {"name": self.name, "steps": as_json(self.steps), "inputs": self.inputs}


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of doing a draft without a model; ``steps`` as `GET /api/agent/draft` shows them.

    ``error`` is why it failed, for a model, and ``said`` the same for a person; ``path`` is
    where, and ``seen`` the screen then, as a model reads it. ``asks`` says
    that it came to a step that only a person may let through, ``broken`` that nobody knows how it
    would have ended.
    """

    ok: bool
    steps: tuple[dict[str, Any], ...] = ()
    error: str = ""
    said: str = ""
    seen: str = ""
    path: str = ""
    asks: bool = False
    broken: bool = False

    def shown(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        return {"ok": self.ok, "steps": list(self.steps)}


@dataclass(frozen=True, slots=True)
class Kept:
    """The newest draft with all that is known of it."""

    draft: Draft
    warnings: tuple[str, ...]
    prompt: str
    serial: str = ""
    replay: Replay | None = None
    created: datetime = field(default_factory=utc_now)

    def shown(self) -> dict[str, Any]:
        """Give it in the form of ``GET /api/agent/draft``."""
        return {
            "draft": self.draft.shown(),
            "warnings": list(self.warnings),
            "prompt": self.prompt,
            "serial": self.serial,
            "created": iso(self.created),
            "replay": self.replay.shown() if self.replay else None,
        }


def check(name: Any, steps: Any, inputs: Any, action: FindAction) -> Draft:
    """Take a draft from outside.

    Args:
        name: What the task shall be called.
        steps: A list of steps, or the JSON text of one.
        inputs: A value for each ``{{name}}``, or the JSON text of that.
        action: Finds the saved actions that steps run.

    Raises:
        Invalid: It does not fit; ``path`` names the first place that is wrong.
    """
    called = name.strip() if isinstance(name, str) else ""
    if not called or len(called) > NAME_CHARS:
        detail = f"name is no text of 1 to {NAME_CHARS} characters."
        raise Invalid(path="name", detail=detail)
    parsed = parse_steps(_unpacked(steps, "steps"))
    given = _unpacked(inputs or {}, "inputs")
    if not isinstance(given, Mapping):
        detail = 'inputs is an object of names and values, as {"word": "coffee"}.'
        raise Invalid(path="inputs", detail=detail)
    made = _follow_actions(parsed, action)
    ready = values.checked(given)
    values.need(parsed, {**ready, **dict.fromkeys(made, "")})
    return Draft(called, parsed, ready)


def warnings(draft: Draft, lang: Lang) -> tuple[str, ...]:
    """Say what is allowed in a draft and may still go wrong one day."""
    said = [
        phrase("draft.points", lang, n=numbered(path), path=path)
        for path, step in walk(draft.steps)
        if _points(step)
    ]
    if draft.steps[0].type not in BEGINNINGS:
        said.append(phrase("draft.begins", lang))
    if not any(step.type in PROOFS for _, step in walk(draft.steps)):
        said.append(phrase("draft.unproved", lang))
    needed = values.names_in(draft.steps)
    unused = [name for name in draft.inputs if name not in needed]
    if unused:
        said.append(phrase("draft.unused", lang, names=", ".join(unused)))
    return tuple(said)


def replayed(replay: Replay, lang: Lang) -> tuple[str, ...]:
    """Say how far the check came, where it did not come to the end."""
    if replay.ok:
        return ()
    key = "unchecked" if replay.broken else "asks" if replay.asks else "fails"
    return (
        phrase(f"draft.{key}", lang, n=numbered(replay.path), path=replay.path, error=replay.said),
    )


def numbered(path: str) -> str:
    """Give a step's place as people count: ``steps.1.then.0`` is 2.1."""
    return ".".join(str(int(part) + 1) for part in path.split(".") if part.isdecimal())


def keep(db: Database, kept: Kept) -> None:
    """Keep a draft in place of the one before; `core.settings` reads it."""
    with db.write() as session:
        session.merge(AppMeta(key=KEY, value=json.dumps(kept.shown(), ensure_ascii=False)))


def _points(step: StepParams) -> bool:
    """Say whether a step names a place of one screen instead of an element."""
    return isinstance(step, types.ClickXy) or (
        isinstance(step, types.Swipe) and step.direction is None
    )


def _unpacked(raw: Any, path: str) -> Any:
    """Read what came as JSON text, as some models send it."""
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except ValueError as error:
        detail = f"{path} is a text, and no JSON that is whole: {error}."
        raise Invalid(path=path, detail=detail) from error


def _follow_actions(steps: Steps, action: FindAction) -> set[str]:
    """Make sure that every action that steps run is there; gives what these will extract.

    Raises:
        Invalid: One is not; no action can run itself, as that is refused when it is saved.
    """
    made: set[str] = set()
    for place, step in walk(steps):
        if isinstance(step, types.RunAction) and OPEN not in step.name:
            path = f"{place}.name"
            try:
                made |= values.extracted(action(step.name)[1])
            except NotFound as error:
                raise Invalid(path=path, detail=f"{path}: {error}") from error
    return made
