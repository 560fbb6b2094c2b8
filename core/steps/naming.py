"""Give the selectors that find an element, the most lasting first.

An id outlives a redesign, words outlive an update of the layout, a place in the order outlives
little. Each is tried on the screen itself, so none of them means something else there.
"""

from collections.abc import Iterator
from typing import Any

from core.screen import lookup
from core.screen.elements import Element
from core.screen.hierarchy import Node
from core.screen.screen import Screen
from core.steps.schema import Selector

MOST = 5
CHARS = 200


def selectors_of(screen: Screen, element: Element) -> list[Selector]:
    """List selectors of an element of this screen; none when it cannot be told from others."""
    if element.node is None:
        return []
    sure: list[Selector] = []
    counted: list[Selector] = []
    for keys in _candidates(element.node):
        found = lookup.elements(screen, keys)
        at = next((i for i, each in enumerate(found) if _is_it(each, element)), None)
        if at is not None:
            only = len(found) == 1
            made = Selector.model_validate(keys if only else {**keys, "instance": at})
            (sure if only else counted).append(made)
    return [*sure, *counted][:MOST]


def _candidates(node: Node) -> Iterator[dict[str, Any]]:
    """Give sets of keys, the most lasting first."""
    rid = node.get("resource-id")
    words = list(_words(node))
    ids: dict[str, Any] = {"resourceId": rid} if 0 < len(rid) <= CHARS else {}
    if ids:
        yield ids
    for said in words:
        yield said
        if ids:
            yield {**ids, **said}
    for child in node.walk():
        if child is not node:
            yield from _words(child)
    if node.get("class"):
        yield {"className": node.get("class")}


def _words(node: Node) -> Iterator[dict[str, Any]]:
    for key, name in (("text", "text"), ("description", "content-desc")):
        said = node.get(name)
        if said.strip() and len(said) <= CHARS and "{{" not in said and not node.is_on("password"):
            yield {key: said}


def _is_it(found: Element, wanted: Element) -> bool:
    """Say whether a tap on what was found reaches the element: it, or a text within its row."""
    return found.node is wanted.node or (
        found.bounds.area > 0 and wanted.bounds.contains(found.point) and not found.clickable
    )
