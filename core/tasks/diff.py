"""Say what differs between two revisions of a task, place by place."""

import difflib
import json
from typing import Any


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, Any]]:
    """List what was added, removed and changed.

    Returns:
        ``{path, kind, old?, new?}`` each; steps are matched by likeness, so a step that was put in
        between is one change. ``path`` is the place in the new task, of what is gone in the old.
    """
    found: list[dict[str, Any]] = []
    for key in [*old, *(key for key in new if key not in old)]:
        one, other = old.get(key), new.get(key)
        if isinstance(one, list) and isinstance(other, list):
            found += _lists(one, other, key)
        elif isinstance(one, dict) and isinstance(other, dict):
            found += [_prefixed(key, each) for each in changes(one, other)]
        elif one != other:
            found.append(_change(key, one, other))
    return found


def _lists(old: list[Any], new: list[Any], path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    matcher = difflib.SequenceMatcher(None, [*map(_text, old)], [*map(_text, new)], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        for at in range(max(b - a, d - c)):
            one = old[a + at] if a + at < b else None
            other = new[c + at] if c + at < d else None
            place = f"{path}.{c + at if other is not None else a + at}"
            found.append(_change(place, one, other))
    return found


def _change(path: str, old: Any, new: Any) -> dict[str, Any]:
    kind = "added" if old is None else "removed" if new is None else "changed"
    return {"path": path, "kind": kind, "old": old, "new": new}


def _prefixed(key: str, change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "path": f"{key}.{change['path']}"}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
