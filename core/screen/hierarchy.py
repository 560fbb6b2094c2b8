"""Read a window hierarchy as a tree of nodes, in spite of what real phones do to it.

Reading is lazy: of a dump's thousand nodes most are layout, whose attributes nobody asks for. A
phone's text is untrusted: document types and entities are never read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from lxml import etree

from core.devices.base import Bounds
from core.errors import ScreenUnreadable
from core.screen import repair

MAX_DEPTH = 200

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_NOWHERE = Bounds(0, 0, 0, 0)


class Xml(Protocol):
    """What is used of the XML library's elements."""

    tag: str

    def get(self, name: str, default: str = ..., /) -> str:
        """Give an attribute."""
        ...

    def __iter__(self) -> Iterator["Xml"]: ...


@dataclass(slots=True, eq=False)
class Node:
    """A node of the dump; attribute sets differ between phones, so read them through here."""

    xml: Xml
    children: list["Node"] = field(default_factory=list)

    @property
    def bounds(self) -> Bounds:
        """Give the rectangle as the phone wrote it; it may be inverted or off the screen."""
        return parse_bounds(self.xml.get("bounds", ""))

    def get(self, name: str) -> str:
        """Give an attribute, empty when the phone left it out."""
        return self.xml.get(name, "")

    def is_on(self, name: str) -> bool:
        """Say whether a flag such as ``clickable`` is set."""
        return self.xml.get(name, "") == "true"

    def walk(self) -> Iterator["Node"]:
        """Go through this node and all below it, in the order of the dump."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A dump's root windows, in no particular order; ``partial`` when the dump broke off."""

    windows: tuple[Node, ...]
    rotation: int
    partial: bool

    def walk(self) -> Iterator[Node]:
        """Go through every node of every window."""
        for window in self.windows:
            yield from window.walk()


def parse(dump: str | bytes, serial: str = "") -> Hierarchy:
    """Read a dump.

    Args:
        dump: What the phone gave, also with noise around it.
        serial: Named in the error.

    Raises:
        ScreenUnreadable: There is no hierarchy in it; the error tells what the phone said instead.
    """
    text = repair.text_of(dump)
    cut = repair.body_of(text)
    if cut is None:
        said = " ".join(text.split())[:120]
        raise ScreenUnreadable(serial=serial, detail=f'It said: "{said}".' if said else "")
    body, whole = cut
    root, intact = _root(body) if body else (None, False)
    if root is None or root.tag != "hierarchy":
        raise ScreenUnreadable(serial=serial, detail="It broke off before the first element.")
    top = _grown(Node(root), serial)
    rotation = top.get("rotation")
    return Hierarchy(
        windows=tuple(top.children),
        rotation=int(rotation) if rotation.isdecimal() else 0,
        partial=not (whole and intact),
    )


@lru_cache(maxsize=8192)
def parse_bounds(text: str) -> Bounds:
    """Read uiautomator's ``[left,top][right,bottom]`` form; anything else has no area.

    Source: ``Rect.toShortString`` in AOSP, as written by ``uiautomator dump``.
    """
    found = _BOUNDS.fullmatch(text.strip())
    return Bounds(*map(int, found.groups())) if found else _NOWHERE


def _root(body: str) -> tuple[Xml | None, bool]:
    """Read XML as it is, else mended, else as far as it goes; says whether it went to the end."""
    for mend in (str, repair.mended):
        try:
            return _read(mend(body), recover=False), True
        except etree.XMLSyntaxError:
            continue
    return _read(repair.mended(body), recover=True), False


def _read(text: str, *, recover: bool) -> Xml | None:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=recover,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    root: Xml | None = etree.fromstring(text.encode("utf-8", "ignore"), parser)
    return root


def _grown(top: Node, serial: str) -> Node:
    level, depth = [top], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ScreenUnreadable(serial=serial, detail="It is nested too deeply.")
        for node in level:
            node.children = [Node(xml) for xml in node.xml]
        level = [child for node in level for child in node.children]
    return top
