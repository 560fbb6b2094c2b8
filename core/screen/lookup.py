"""Find nodes by a step's selector, whose keys are uiautomator2's.

All keys must hold; ``instance`` counts, from 0, what the others left. A ``resourceId`` may be given
without its package. An ``xpath`` names nodes by
their class, as uiautomator2 does (``//android.widget.TextView[@text="OK"]``), or all as ``node``.
"""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from core.errors import Invalid
from core.screen.covers import is_seen
from core.screen.elements import Element, unlisted
from core.screen.hierarchy import Hierarchy, Node
from core.screen.screen import Screen
from core.screen.xpaths import searches_too_much

#: How each key is held against a node; parts match in any case, as UiSelector does it.
_TESTS: dict[str, Callable[[Node, str], bool]] = {
    "text": lambda node, wanted: node.get("text") == wanted,
    "textContains": lambda node, wanted: wanted.lower() in node.get("text").lower(),
    "description": lambda node, wanted: node.get("content-desc") == wanted,
    "descriptionContains": lambda node, wanted: wanted.lower() in node.get("content-desc").lower(),
    "resourceId": lambda node, wanted: _is_id(node.get("resource-id"), wanted),
    "className": lambda node, wanted: node.get("class") == wanted,
}
KEYS = (*_TESTS, "xpath", "instance")

_BY_NODE = re.compile(r"(?:^|[/(:|])node\b")
_NO_NAME = re.compile(r"[^\w.-]")


def nodes(tree: Hierarchy, selector: Mapping[str, Any]) -> list[Node]:
    """List the nodes that a selector means, in the order of the dump.

    Args:
        tree: Where to look.
        selector: At least one key beside ``instance``.

    Raises:
        Invalid: A key is not known, the selector is empty, or ``xpath`` cannot be read.
    """
    unknown = [key for key in selector if key not in KEYS]
    if unknown:
        raise Invalid(path=f"selector.{unknown[0]}", detail=f"keys are {', '.join(KEYS)}.")
    keys = [key for key in selector if key in _TESTS]
    if not keys and "xpath" not in selector:
        raise Invalid(path="selector", detail=f"it needs one of {', '.join(KEYS[:-1])}.")
    found = [node for node in tree.walk() if all(_TESTS[key](node, selector[key]) for key in keys)]
    if "xpath" in selector:
        named = _by_xpath(tree, str(selector["xpath"]))
        found = [node for node in found if id(node) in named]
    instance = selector.get("instance")
    return found if instance is None else found[int(instance) :][:1]


def elements(screen: Screen, selector: Mapping[str, Any]) -> list[Element]:
    """List what a selector means on a screen and has area there, as elements that can be tapped.

    A node that stands on the list is its numbered element; any other, such as a layout or a row's
    text, becomes one with the number 0. A hidden node counts for no ``instance``.
    """
    plain = {key: value for key, value in selector.items() if key != "instance"}
    visible = screen.size.bounds
    listed = {id(element.node): element for element in screen.elements}
    found = [
        listed.get(id(node)) or unlisted(node, screen.app.package, visible, screen.covers)
        for node in nodes(screen.hierarchy, plain)
        if is_seen(node, visible)
    ]
    instance = selector.get("instance")
    return found if instance is None else found[int(instance) :][:1]


def _is_id(own: str, wanted: str) -> bool:
    """Hold an id against a whole one, or one without ``package:id/``."""
    return own == wanted or ("/" not in wanted and own.rpartition("/")[2] == wanted != "")


def _by_xpath(tree: Hierarchy, path: str) -> set[int]:
    """Evaluate on a copy whose tags are the nodes' classes; the copy has the same order."""
    if searches_too_much(path):  # a value that was filled in may have made it so
        raise Invalid(path="selector.xpath", detail=f"{path} searches within its searches.")
    root = etree.Element("hierarchy")
    root.extend(copy.deepcopy(window.xml) for window in tree.windows)
    copies = [each for child in root for each in child.iter()]
    if not _BY_NODE.search(path):
        for each in copies:
            each.tag = _NO_NAME.sub("-", each.get("class") or "") or "node"
    try:
        found = root.xpath(path)
    except (etree.XPathError, ValueError) as error:
        raise Invalid(path="selector.xpath", detail=f"{path}: {error}.") from error
    if not isinstance(found, list):
        raise Invalid(path="selector.xpath", detail=f"{path} gives a value, not elements.")
    originals = {each: id(node) for each, node in zip(copies, tree.walk(), strict=True)}
    return {originals[each] for each in found if each in originals}
