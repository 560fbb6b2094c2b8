"""Find the JSON objects in what a model wrote: in prose, in a fence, in a list that was cut off."""

import json
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost objects that are whole; an outer one that was cut off gives its inner.

    A place from which nothing can be read is left behind, so that an answer of braces costs no
    more than its length.
    """
    at = fruitless = 0
    while (at := text.find("{", at)) >= 0 and fruitless < 1_000:
        try:
            found, at = _DECODER.raw_decode(text, at)
            found = _kept(found)
        except (ValueError, RecursionError):
            at, fruitless = at + 1, fruitless + 1
            continue
        yield found


def _kept(found: dict[str, Any]) -> dict[str, Any]:
    """Give an object as it can be kept: JSON may name half a sign, which no file takes."""
    sound: dict[str, Any] = json.loads(
        json.dumps(found, ensure_ascii=False).encode(errors="replace")
    )
    return sound
