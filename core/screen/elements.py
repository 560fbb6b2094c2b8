"""Number what a person could read or act on, one line an element.

A clickable row without a label of its own takes the labels of what it holds, so that a model
reads one line a row; a row around a switch is listed as the switch, since that is what a tap
changes. Nodes without area are never listed: their centre must never be tapped.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from core.devices.base import Bounds, Point
from core.screen.hierarchy import Node

LABEL_LIMIT = 80
JOINT = " · "

ACTS = ("clickable", "long-clickable", "checkable", "scrollable")
FIELDS = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
LISTS = ("RecyclerView", "ListView", "GridView", "ScrollView", "ViewPager")


@dataclass(frozen=True, slots=True)
class Element:
    """A numbered node of one screen.

    ``texts`` are all the words that find it: text, description, hint, and for a row those of
    its children. ``label`` is whole, only `line` cuts it.
    """

    number: int
    kind: str
    label: str
    texts: tuple[str, ...]
    flags: tuple[str, ...]
    short_id: str
    package: str
    bounds: Bounds
    depth: int
    clickable: bool

    @property
    def point(self) -> Point:
        """Give where a tap goes."""
        return self.bounds.center

    @property
    def name(self) -> str:
        """Say which element it is, for a sentence."""
        shown = self.label or (f"id={self.short_id}" if self.short_id else f"@{self.point}")
        return f"[{self.number}] {self.kind} {json.dumps(cut(shown), ensure_ascii=False)}"

    @property
    def gist(self) -> str:
        """Say what it is and how it stands, without number and place."""
        label = json.dumps(cut(self.label), ensure_ascii=False)
        return " ".join([self.kind, label, *self.flags])

    def line(self) -> str:
        """Give the element's line of the compact text, indented."""
        x, y = self.point
        return f"{'  ' * self.depth}[{self.number}] {self.gist} @{x},{y}"


def cut(text: str) -> str:
    """Cut a label at 80 characters and say how many more there were."""
    extra = len(text) - LABEL_LIMIT
    return text if extra <= 0 else f"{text[:LABEL_LIMIT]}…(+{extra})"


def number(windows: tuple[Node, ...], visible: Bounds, covered: Bounds | None) -> list[Element]:
    """List the elements of some windows.

    Args:
        windows: Root nodes, in the order in which they shall be listed.
        visible: The screen; what lies outside is not there.
        covered: What the keyboard hides of these windows, if it is shown.
    """
    listing = _Listing(visible, covered)
    for window in windows:
        listing.add(window, 0)
    return listing.elements


class _Listing:
    def __init__(self, visible: Bounds, covered: Bounds | None) -> None:
        self.visible = visible
        self.covered = covered
        self.elements: list[Element] = []
        self.merged: set[int] = set()  # switches that were listed as their row

    def add(self, node: Node, depth: int, said: str = "") -> None:
        """List a node and what is below it.

        Args:
            node: Where to begin.
            depth: How many parents were kept above it.
            said: What the line of the row or button around it shows already.
        """
        element = self._element(node, depth, said) if self._shown(node) else None
        if element is not None:
            self.elements.append(element)
            depth += 1
            if element.clickable:
                said = cut(element.label)
        for child in node.children:
            self.add(child, depth, said)

    def _shown(self, node: Node) -> bool:
        return self._seen(node).area > 0 and node.get("visible-to-user") != "false"

    def _seen(self, node: Node) -> Bounds:
        bounds = node.bounds.clip(self.visible)
        keys = self.covered
        if keys is None or bounds.bottom <= keys.top or bounds.top >= keys.bottom:
            return bounds
        return Bounds(bounds.left, bounds.top, bounds.right, keys.top)

    def _element(self, node: Node, depth: int, said: str) -> Element | None:
        own = words(node)
        if not is_actable(node):
            fresh = [text for text in own if text not in said]
            return self._make(node, own, depth) if fresh else None
        if id(node) in self.merged:
            return None
        if not own and node.is_on("clickable"):
            switch = self._only_switch(node)
            if switch is not None:
                self.merged.add(id(switch))
                return self._make(switch, [*self._row_words(node), *words(switch)], depth)
        if not own and not node.is_on("scrollable"):
            own = self._row_words(node)
        return self._make(node, own, depth)

    def _only_switch(self, row: Node) -> Node | None:
        found = [n for n in row.walk() if n is not row and n.is_on("checkable") and self._shown(n)]
        return found[0] if len(found) == 1 else None

    def _row_words(self, row: Node) -> list[str]:
        """Choose the words below a row that fit into its label, in order."""
        chosen: list[str] = []
        for text in self._passive(row):
            if text in chosen:
                continue
            if chosen and len(JOINT.join([*chosen, text])) > LABEL_LIMIT:
                break
            chosen.append(text)
        return chosen

    def _passive(self, row: Node) -> Iterator[str]:
        for child in row.children:
            if is_actable(child):
                continue
            if self._shown(child):
                yield from words(child)
            yield from self._passive(child)

    def _make(self, node: Node, texts: list[str], depth: int) -> Element:
        texts = list(dict.fromkeys(texts))
        kind = kind_of(node)
        label = JOINT.join(texts[:1] if kind == "field" else texts)
        short_id = node.get("resource-id").rpartition("/")[2]
        return Element(
            number=len(self.elements) + 1,
            kind=kind,
            label=label,
            texts=tuple(texts),
            flags=tuple(_flags(node, short_id if not label or kind == "field" else "")),
            short_id=short_id,
            package=node.get("package"),
            bounds=self._seen(node),
            depth=depth,
            clickable=is_actable(node) and not node.is_on("scrollable"),
        )


def is_actable(node: Node) -> bool:
    """Say whether a person could do something to the node itself."""
    return any(node.is_on(name) for name in ACTS) or is_field(node)


def is_field(node: Node) -> bool:
    """Say whether text can be typed into the node."""
    return node.get("class").endswith(FIELDS)


def words(node: Node) -> list[str]:
    """Give a node's own words, each once: text, description, hint.

    A password's text is left out. So is a switch's, which says only what ``on`` and ``off`` say.
    """
    hidden = node.is_on("password") or (node.is_on("checkable") and kind_of(node) == "switch")
    names = ("content-desc", "hint") if hidden else ("text", "content-desc", "hint")
    found = (" ".join(node.get(name).split()) for name in names)
    return list(dict.fromkeys(each for each in found if each))


def kind_of(node: Node) -> str:
    """Choose the element's kind from its class and what can be done to it."""
    name = node.get("class").rpartition(".")[2]
    if is_field(node):
        return "field"
    if node.is_on("checkable"):
        return _checkable_kind(name)
    if "Tab" in name and node.is_on("clickable"):
        return "tab"
    if name.endswith(LISTS) or node.is_on("scrollable"):
        return "list"
    if "Image" in name:
        return "icon" if node.is_on("clickable") else "image"
    if not (node.is_on("clickable") or node.is_on("long-clickable")):
        return "text"
    return _clickable_kind(node)


def _checkable_kind(name: str) -> str:
    if "Switch" in name or "Toggle" in name:
        return "switch"
    return "radio" if "Radio" in name else "checkbox"


def _clickable_kind(node: Node) -> str:
    if words(node) or node.get("class").endswith("Button"):
        return "button"
    return "item" if node.children else "icon"


def _flags(node: Node, short_id: str) -> Iterator[str]:
    if node.is_on("checkable"):
        yield "on" if node.is_on("checked") else "off"
    for name in ("selected", "focused"):
        if node.is_on(name):
            yield name
    if node.get("enabled") == "false":
        yield "disabled"
    for name in ("scrollable", "password"):
        if node.is_on(name):
            yield name
    if short_id and " " not in short_id:
        yield f"id={short_id}"
