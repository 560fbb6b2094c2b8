"""Find what JSON text may hold and a database may not: half characters, and what is no number."""

import math
from collections.abc import Iterator
from typing import Any


def odd_place(body: dict[str, Any]) -> str | None:
    """Name the first place, as ``rows.0.page``, that could not be kept; None where all can."""
    todo: list[tuple[str, Any]] = [("", body)]
    while todo:
        path, value = todo.pop()
        if _is_odd(value):
            return path
        for name, inner in _parts(value):
            if _is_odd(name):
                return path
            todo.append((f"{path}.{name}" if path else str(name), inner))
    return None


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _is_odd(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, str) and not value.isascii() and _is_half(value)


def _is_half(text: str) -> bool:
    """Say whether half of a surrogate pair stands in a text: UTF-8 has no such thing."""
    return any("\ud800" <= each <= "\udfff" for each in text)
