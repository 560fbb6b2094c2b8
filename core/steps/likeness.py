"""Tell whether a screen is the one that a step was made for.

What a screen shows changes, what it is made of does not: the set of its ids, or of its nodes'
classes with their depth where an app gives no ids (Flutter, games). No words are looked at.
"""

from collections.abc import Iterator

import xxhash

from core.screen.covers import is_seen
from core.screen.hierarchy import Node
from core.screen.screen import Screen
from core.steps.schema import MANY, Expect

ALIKE = 0.85
#: An app with fewer ids than this is told by its shape.
IDS_LEAST = 3


def of(screen: Screen) -> Expect:
    """Take down what a screen is made of, for a step's ``expect``."""
    found = [(node, depth) for node, depth in _nodes(screen) if is_seen(node, screen.size.bounds)]
    ids = sorted({node.get("resource-id") for node, _ in found} - {""})
    if len(ids) >= IDS_LEAST:
        return Expect(app=screen.app.package, ids=tuple(ids[:MANY]))
    shape = sorted({f"{depth}:{node.get('class').rpartition('.')[2]}" for node, depth in found})
    return Expect(app=screen.app.package, shape=tuple(shape[:MANY]))


def likeness(wanted: Expect, now: Expect) -> float:
    """Say how much two screens have in common, from 0 to 1; another app has nothing."""
    if wanted.app and wanted.app != now.app:
        return 0.0
    if not wanted.ids and not wanted.shape:
        return 1.0
    one, other = (wanted.ids, now.ids) if wanted.ids else (wanted.shape, now.shape)
    both = len(set(one) & set(other))
    return 2 * both / (len(set(one)) + len(set(other)))


def mark(screen: Expect) -> str:
    """Give a short name of a screen, the same whenever it is made of the same."""
    parts = "\n".join((screen.app, *screen.ids, *screen.shape))
    return xxhash.xxh3_64_hexdigest(parts.encode())


def _nodes(screen: Screen) -> Iterator[tuple[Node, int]]:
    """Go through what is the app's own; bars, keys and what lies over it do not count."""
    todo = [(window, 0) for window in screen.hierarchy.windows]
    while todo:
        node, depth = todo.pop()
        if node.get("package") in ("", screen.app.package):
            yield node, depth
        todo.extend((child, depth + 1) for child in node.children)
