"""Give the selectors that find an element, the most lasting first.

An id outlives a redesign, words outlive an update of the layout, a place in the order outlives
little. Each is tried on the screen itself, so none of them means something else there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import Invalid
from core.screen import lookup
from core.screen.elements import Element, is_field
from core.screen.hierarchy import Node
from core.screen.screen import Screen
from core.steps.schema import Selector

MOST = 6
CHARS = 200
#: A longer text is a message or a headline, which is another one tomorrow.
LABEL_CHARS = 24
PART_CHARS = 2
#: What shrinkers write instead of ids, the same for every view.
_NO_ID = re.compile(r"obfuscated|:id/?$")
_CHANGING = re.compile(r"\d")

Lasting = Literal["strong", "fair", "weak"]
_ORDER: tuple[Lasting, ...] = ("strong", "fair", "weak")


@dataclass(frozen=True, slots=True)
class Rank:
    """A selector that means one element of a screen, and how long it is likely to."""

    selector: Selector
    lasting: Lasting

    def shown(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        return {"selector": self.selector.given, "lasting": self.lasting}


def ranked(screen: Screen, element: Element) -> list[Selector]:
    """List selectors of an element of this screen; none when it cannot be told from others."""
    return [rank.selector for rank in ranks(screen, element)]


def ranks(screen: Screen, element: Element) -> list[Rank]:
    """List selectors of an element of this screen with how lasting each is, at most six."""
    if element.node is None:
        return []
    sure: list[Rank] = []
    counted: list[Rank] = []
    for keys, lasting in _candidates(element.node):
        fitting = lookup.elements(screen, keys)
        at = next((i for i, each in enumerate(fitting) if _is_it(each, element)), None)
        if at is None:
            continue
        if len(fitting) == 1:
            sure.append(_rank(keys, lasting))
        else:
            counted.append(_rank({**keys, "instance": at}, _less(lasting)))
    found = [*sure, *counted]
    if all(rank.lasting != "strong" for rank in found):
        found += _by_path(screen, element)
    return sorted(found, key=lambda rank: _ORDER.index(rank.lasting))[:MOST]


def _rank(keys: dict[str, Any], lasting: Lasting) -> Rank:
    return Rank(Selector.model_validate(keys), lasting)


def _less(lasting: Lasting) -> Lasting:
    return "fair" if lasting == "strong" else "weak"


def _candidates(node: Node) -> Iterator[tuple[dict[str, Any], Lasting]]:
    """Give sets of keys, the most lasting first."""
    rid = node.get("resource-id")
    ids: dict[str, Any] = {"resourceId": rid} if _is_id(rid) else {}
    if ids:
        yield ids, "strong"
    for said, lasting in _words(node):
        yield said, lasting
        if ids:
            yield {**ids, **said}, lasting
    for child in node.walk():
        if child is not node:
            yield from _words(child)
    if node.get("class"):
        yield {"className": node.get("class")}, "weak"


def _is_id(rid: str) -> bool:
    return 0 < len(rid) <= CHARS and not _NO_ID.search(rid)


def _words(node: Node) -> Iterator[tuple[dict[str, Any], Lasting]]:
    for key, name in (("text", "text"), ("description", "content-desc")):
        said = node.get(name)
        if not said.strip() or len(said) > CHARS or "{{" in said or node.is_on("password"):
            continue
        lasting = _lasting(said)
        # what a field says is what somebody typed
        yield {key: said}, "weak" if key == "text" and is_field(node) else lasting
        part = max(_CHANGING.split(said), key=len).strip()
        if lasting == "fair" and PART_CHARS <= len(part) <= LABEL_CHARS and part != said:
            yield {f"{key}Contains": part}, "fair"


def _lasting(said: str) -> Lasting:
    return "fair" if len(said) > LABEL_CHARS or _CHANGING.search(said) else "strong"


def _is_it(found: Element, wanted: Element) -> bool:
    """Say whether a tap on what was found reaches the element: it, or a text within its row."""
    return found.node is wanted.node or (
        found.bounds.area > 0 and wanted.bounds.contains(found.point) and not found.clickable
    )


def _by_path(screen: Screen, element: Element) -> Iterator[Rank]:
    """Give the way down to the element from the nearest one above it that has its own id."""
    above = _above(screen, element.node)
    for depth, node in enumerate(above):
        rid = node.get("resource-id")
        if depth == 0 or not _is_id(rid) or '"' in rid:
            continue
        down = [*reversed(above[:depth])]
        parents = [node, *down]
        places = [at.children.index(to) + 1 for at, to in zip(parents, down, strict=False)]
        path = f'//node[@resource-id="{rid}"]' + "".join(f"/node[{place}]" for place in places)
        try:
            found = lookup.elements(screen, {"xpath": path})
        except Invalid:  # an id of odd characters cannot be written as a path
            continue
        if len(found) == 1 and found[0].node is element.node:
            yield _rank({"xpath": path}, "weak")
            return


def _above(screen: Screen, wanted: Node | None) -> list[Node]:
    """List the element's node and those that hold it, the nearest first."""
    for window in screen.hierarchy.windows:
        todo: list[tuple[Node, list[Node]]] = [(window, [])]
        while todo:
            node, above = todo.pop()
            if node is wanted:
                return [node, *reversed(above)]
            todo += [(child, [*above, node]) for child in node.children]
    return []
