"""Why a memory is only a hint any more: kept in no language, said in the reader's.

What has no words, such as two versions of an app, is kept as it is said.
"""

import json
from typing import Any

from core.errors import ConsoleError
from core.words import Lang, error_words, phrase

CHARS = 200
ERROR = "error"
#: Details of an error that hold what a screen says.
ON_SCREEN = frozenset({"candidates", "nearest", "seen"})


def kept(code: str, **details: int) -> str:
    """Give a reason as it is kept."""
    return _wire({"code": code, "details": details})


def failed(error: ConsoleError) -> str:
    """Give what a replay failed of as it is kept; the longest details go where it is too long.

    A screen's own words are left out, since a reason is told to later runs.
    """
    details = {key: "…" if key in ON_SCREEN else said for key, said in error.details.items()}
    while len(text := _wire({ERROR: error.code, "details": details})) > CHARS and details:
        del details[max(details, key=lambda name: len(str(details[name])))]
    return text


def said(reason: str, lang: Lang) -> str:
    """Say a reason; one that was kept in words is said in those."""
    wire = _read(reason)
    if wire is None:
        return reason
    if ERROR in wire:
        return error_words(wire[ERROR], lang, wire["details"]).message
    return phrase(f"stale.{wire['code']}", lang, **wire["details"])


def kind(reason: str) -> str:
    """Give what tells two reasons apart: the code of one that has words, else all of it."""
    wire = _read(reason)
    return reason if wire is None else str(wire.get("code") or wire.get(ERROR))


def _read(reason: str) -> dict[str, Any] | None:
    """Read a reason that is kept by a code; None for one that is kept in words."""
    if not reason.startswith("{"):
        return None
    try:
        wire: dict[str, Any] = json.loads(reason)
    except ValueError:
        return None
    return wire


def _wire(reason: dict[str, object]) -> str:
    return json.dumps(reason, ensure_ascii=False)
