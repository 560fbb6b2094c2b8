"""Number what a person could read or act on, one line an element.

A clickable row without a label of its own takes the labels of what it holds, so that a model
reads one line a row; a row around a switch is listed as the switch, since that is what a tap
changes. Nodes without area are never listed: their centre must never be tapped.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.devices.base import Bounds, Point
from core.screen.covers import KEYBOARD, Cover, free, inside, is_seen
from core.screen.hierarchy import Node
from core.screen.kinds import (
    is_actable,
    is_field,
    is_turned_over,
    kind_of,
    nickname,
    short_id,
    stands,
)
from core.screen.labels import JOINT, LABEL_LIMIT, clean, cut, glyphs_only, is_said, lines, words
from core.screen.windows import Role, Window

__all__ = ["JOINT", "LABEL_LIMIT", "Element", "cut", "is_field"]


@dataclass(frozen=True, slots=True)
class Element:
    """A numbered node of one screen.

    ``texts`` are all the words that find it: text, description, hint, the lines of these, and for
    a row the words of what it holds. ``label`` is whole; lines show its ``parts``, each cut.
    ``bounds`` is the part that can be touched. ``covered`` names what lies over it, ``keyboard`` or
    a package: such an element must not be tapped before that is gone.
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
    parts: tuple[str, ...] = ()
    covered: str = ""
    node: Node | None = field(default=None, compare=False, repr=False)

    @property
    def point(self) -> Point:
        """Give where a tap goes."""
        return self.bounds.center

    @property
    def stands(self) -> Literal["on", "off"] | None:
        """Say how a switch stands; None for what is none, such as one of a choice."""
        if self.node is None or not is_turned_over(self.node):
            return None
        return "on" if "on" in self.flags else "off" if "off" in self.flags else None

    @property
    def shown(self) -> str:
        """Give the label as lines show it, quoted, each part cut at 80 characters."""
        return quoted(JOINT.join(map(cut, self.parts or (self.label,))))

    @property
    def name(self) -> str:
        """Say which element it is, for a sentence."""
        if self.label:
            return f"[{self.number}] {self.kind} {self.shown}"
        shown = f"id={self.short_id}" if self.short_id else f"@{self.point}"
        return f"[{self.number}] {self.kind} {quoted(shown)}"

    @property
    def gist(self) -> str:
        """Say what it is and how it stands, without number and place."""
        return " ".join((self.kind, self.shown, *self.flags))

    def line(self) -> str:
        """Give the element's line of the compact text, indented."""
        x, y = self.bounds.center
        return f"{'  ' * self.depth}[{self.number}] {self.gist} @{x},{y}"


def quoted(text: str) -> str:
    """Quote a text as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def number(
    windows: Sequence[Window], visible: Bounds, covers: Sequence[Cover], package: str = ""
) -> list[list[Element]]:
    """List the elements of some windows, window by window.

    Args:
        windows: In the order in which they shall be listed.
        visible: The screen; what lies outside is not there.
        covers: What lies over the app, see `covering`.
        package: Whose the nodes are that do not say it.
    """
    keys = [cover for cover in covers if cover.name == KEYBOARD]
    # the keyboard lies under the bars of the system
    above: dict[Role, Sequence[Cover]] = {"app": covers, "over": keys, "system": ()}
    listed: list[list[Element]] = []
    for window in windows:
        listing = Listing(visible, above[window.role], sum(map(len, listed)))
        listing.add(window.root, 0, frozenset(), visible, window.package or package)
        listed.append(listing.elements)
    return listed


def unlisted(node: Node, package: str, visible: Bounds, covers: Sequence[Cover]) -> Element:
    """Make an element without a number of a node that is not on the list, such as a layout."""
    package = node.get("package") or package
    listing = Listing(visible, [cover for cover in covers if cover.name != package], -1)
    return listing.make(node, words(node), 0, node.bounds.clip(visible), package)


class Listing:
    """Walks one window."""

    def __init__(self, visible: Bounds, covers: Sequence[Cover], start: int) -> None:
        self.visible = visible
        self.covers = covers
        self.start = start
        self.elements: list[Element] = []
        self.merged: set[int] = set()  # switches that were listed as their row

    def add(
        self, node: Node, depth: int, said: frozenset[str], frame: Bounds, package: str
    ) -> None:
        """List a node and what is below it.

        Args:
            node: Where to begin.
            depth: How many parents were kept above it.
            said: What the lines of the kept parents show already.
            frame: What the scrolling parent shows of its content.
            package: The parent's package.
        """
        get = node.xml.get
        package = get("package", "") or package
        element = None
        # most nodes are layout: this one look at them is what reading a screen costs
        if get("text", "") or get("content-desc", "") or get("hint", "") or is_actable(node):
            element = self._element(node, depth, said, frame, package)
        if element is not None:
            self.elements.append(element)
            depth += 1
            if element.kind != "list":
                said = said.union(element.parts)
        if node.children:
            if node.is_on("scrollable"):
                frame = self._within(node, frame)
            for child in node.children:
                self.add(child, depth, said, frame, package)

    def _element(
        self, node: Node, depth: int, said: frozenset[str], frame: Bounds, package: str
    ) -> Element | None:
        texts = words(node)
        actable = is_actable(node)
        # a sign of an icon font has no words, yet a person sees it
        fresh = any(not is_said(text, said) for text in texts) if texts else glyphs_only(node)
        if not (actable or fresh):
            return None
        if id(node) in self.merged or not is_seen(node, self.visible):
            return None
        bounds = self._within(node, frame)
        if texts or not actable or node.is_on("scrollable"):
            return self.make(node, texts, depth, bounds, package)
        texts = self._row_words(node)
        switch = self._only_switch(node) if node.is_on("clickable") else None
        if switch is None:
            return self.make(node, texts, depth, bounds, package)
        self.merged.add(id(switch))
        bounds = self._within(switch, frame)
        return self.make(switch, [*texts, *words(switch)], depth, bounds, package)

    def _within(self, node: Node, frame: Bounds) -> Bounds:
        """Give the part of a node that its scrolling parent shows."""
        bounds = inside(node.bounds, self.visible)
        framed = inside(bounds, frame)
        # some toolkits give a list no area, or place its content elsewhere
        return framed if framed.area else bounds

    def _only_switch(self, row: Node) -> Node | None:
        found = [
            n
            for n in row.walk()
            if n is not row and n.is_on("checkable") and is_seen(n, self.visible)
        ]
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
            found = words(child)
            if found and is_seen(child, self.visible):
                yield from found
            yield from self._passive(child)

    def make(
        self, node: Node, texts: list[str], depth: int, bounds: Bounds, package: str
    ) -> Element:
        """Make the element of a node with these words."""
        texts = list(dict.fromkeys(texts))
        kind = kind_of(node)
        parts = _of_field(node, texts) if kind == "field" else texts
        bounds, covered = free(bounds, self.covers)
        flags = list(stands(node))
        if kind == "field" or not texts:
            flags += filter(None, [nickname(node, deep=kind != "list")])
        if covered:
            flags.append(f"under={covered}")
        return Element(
            number=self.start + len(self.elements) + 1,
            kind=kind,
            label=JOINT.join(parts),
            texts=(*texts, *lines(node)),
            flags=tuple(flags),
            short_id=short_id(node),
            package=package,
            bounds=bounds,
            depth=depth,
            clickable=not covered and is_actable(node) and not node.is_on("scrollable"),
            parts=tuple(parts),
            covered=covered,
            node=node,
        )


def _of_field(node: Node, texts: list[str]) -> list[str]:
    """Leave out the hint that the field's own text has replaced."""
    own = clean(node.get("text")), clean(node.get("content-desc"))
    return [text for text in texts if text in own] or texts
