"""Find nodes by uiautomator2's selector dictionaries.

``instance`` counts among what the other keys left, level by level; a regular expression must match
the whole value, as in Java.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from virtual_phone.hierarchy import flags
from virtual_phone.ui import Node, Window


@dataclass(frozen=True, slots=True)
class Found:
    """A node with what only its place in the tree tells."""

    node: Node
    package: str
    index: int
    parent: Node | None


_VALUES: dict[str, Callable[[Found], str]] = {
    "text": lambda f: f.node.shown,
    "className": lambda f: f.node.cls,
    "description": lambda f: f.node.desc,
    "packageName": lambda f: f.package,
    "resourceId": lambda f: f.node.rid,
}
_FLAGS = {"longClickable": "long-clickable"}
_FLAG_NAMES = (
    *("checkable", "checked", "clickable", "longClickable", "scrollable"),
    *("enabled", "focusable", "focused", "selected"),
)
_TESTS: dict[str, Callable[[str, str], bool]] = {
    "": lambda value, wanted: value == wanted,
    "Contains": lambda value, wanted: wanted.lower() in value.lower(),
    "StartsWith": lambda value, wanted: value.lower().startswith(wanted.lower()),
    "Matches": lambda value, wanted: re.fullmatch(wanted, value, re.DOTALL) is not None,
}
_PLACE = {"mask", "childOrSibling", "childOrSiblingSelector", "instance"}


def walk(node: Node, package: str, index: int = 0, parent: Node | None = None) -> Iterator[Found]:
    """Yield a node and all below it, parents first."""
    if node.recorded:
        package = node.recorded.get("package", package)
    yield Found(node, package, index, parent)
    for number, child in enumerate(node.visible_children()):
        yield from walk(child, package, number, node)


def find_all(windows: list[Window], selector: dict[str, Any] | str) -> list[Found]:
    """Return every node that a selector, or the name of a held child, means, topmost last.

    Raises:
        ValueError: the selector uses a key that does not exist.
    """
    if isinstance(selector, str):
        return _held(windows, selector)
    everything = [
        found
        for window in windows
        for root in window.roots()
        for found in walk(root, window.package)
    ]
    matches = _level(everything, selector)
    steps = zip(
        selector.get("childOrSibling", []), selector.get("childOrSiblingSelector", []), strict=True
    )
    for relation, below in steps:
        pool: list[Found] = []
        for match in matches:
            pool += _relatives(match, relation)
        matches = _level(pool, below)
    return matches


def hold(parent: dict[str, Any], child: dict[str, Any], key: str, wanted: str | int) -> str:
    """Name the child of a collection that has words in it, or is the one of that number."""
    return json.dumps([parent, child, key, wanted], ensure_ascii=False)


def _held(windows: list[Window], name: str) -> list[Found]:
    parent, child, key, wanted = json.loads(name)
    found: list[Found] = []
    for holder in find_all(windows, parent)[:1]:
        inside = [f for f in walk(holder.node, holder.package) if f.node is not holder.node]
        found += _level(inside, child)
    if key == "instance":
        return found[int(wanted) :][:1]
    return [f for f in found if any(_VALUES[key](below) == wanted for below in walk(f.node, ""))]


def _relatives(found: Found, relation: str) -> list[Found]:
    start = found.node if relation == "child" else found.parent
    if start is None:
        return []
    return [f for f in walk(start, found.package) if f.node is not start]


def _level(pool: list[Found], selector: dict[str, Any]) -> list[Found]:
    tests = [_test(key, value) for key, value in selector.items() if key not in _PLACE]
    matches = [found for found in pool if all(test(found) for test in tests)]
    if "instance" in selector:
        number = int(selector["instance"])
        return matches[number : number + 1]
    return matches


def _test(key: str, wanted: Any) -> Callable[[Found], bool]:
    if key == "index":
        return lambda found: found.index == wanted
    if key in _FLAG_NAMES:
        return lambda found: flags(found.node)[_FLAGS.get(key, key)] == wanted
    for suffix in ("Contains", "StartsWith", "Matches", ""):
        name = key.removesuffix(suffix) if suffix else key
        if key.endswith(suffix) and name in _VALUES:
            test, value = _TESTS[suffix], _VALUES[name]
            return lambda found: test(value(found), str(wanted))
    raise ValueError(f"unknown selector key {key}")
