"""Read a window hierarchy, repairing what real phones do to it.

A dump may carry a byte order mark, a log line before or behind it, characters that XML forbids,
or break off in the middle. All of these were seen in dumps of real phones. A phone's text is
untrusted, so a document type declaration, where entities live, is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from core.devices.base import Bounds
from core.errors import ScreenUnreadable

MAX_DEPTH = 200

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHARACTER = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,10}));")
_END = "</hierarchy>"


@dataclass(slots=True, eq=False)
class Node:
    """A node of the dump; attribute sets differ between phones, so read them through here."""

    attributes: dict[str, str]
    bounds: Bounds
    children: list["Node"] = field(default_factory=list)

    def get(self, name: str) -> str:
        """Give an attribute, empty when the phone left it out."""
        return self.attributes.get(name, "")

    def is_on(self, name: str) -> bool:
        """Say whether a flag such as ``clickable`` is set."""
        return self.attributes.get(name) == "true"

    def walk(self) -> Iterator["Node"]:
        """Go through this node and all below it, in the order of the dump."""
        yield self
        for child in self.children:
            yield from child.walk()


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
        ScreenUnreadable: There is no hierarchy in it, or one with a document type.
    """
    text = dump if isinstance(dump, str) else _decode(dump)
    start = text.find("<hierarchy")
    if start < 0:
        said = " ".join(text.split())[:120]
        raise ScreenUnreadable(serial=serial, detail=f'It said: "{said}".' if said else "")
    end = text.rfind(_END)
    body = text[start:] if end < 0 else text[start : end + len(_END)]
    return _Reader(serial).read(_legal(body))


def parse_bounds(text: str) -> Bounds:
    """Read uiautomator's ``[left,top][right,bottom]`` form; anything else has no area.

    Source: ``Rect.toShortString`` in AOSP, as written by ``uiautomator dump``.
    """
    found = _BOUNDS.fullmatch(text.strip())
    return Bounds(*map(int, found.groups())) if found else Bounds(0, 0, 0, 0)


def _decode(raw: bytes) -> str:
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(mark):
            return raw[2:].decode(name, "replace")
    return raw.decode("utf-8-sig", "replace")


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", _CHARACTER.sub(_legal_reference, text))


def _legal_reference(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    legal = code <= 0x10FFFF and not _ILLEGAL.match(chr(code))
    return found[0] if legal else ""


class _Reader:
    """Builds nodes while expat reads, so what came before a break is kept."""

    def __init__(self, serial: str) -> None:
        self.serial = serial
        self.root: Node | None = None
        self.open: list[Node] = []

    def read(self, text: str) -> Hierarchy:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        partial = False
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            if self.root is None:
                raise ScreenUnreadable(serial=self.serial, detail=str(error)) from error
            partial = True
        if self.root is None:
            raise ScreenUnreadable(serial=self.serial, detail="")
        rotation = self.root.get("rotation")
        return Hierarchy(
            tuple(self.root.children), int(rotation) if rotation.isdecimal() else 0, partial
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) > MAX_DEPTH:
            raise ScreenUnreadable(serial=self.serial, detail="It is nested too deeply.")
        node = Node(attributes, parse_bounds(attributes.get("bounds", "")))
        if self.open:
            self.open[-1].children.append(node)
        elif self.root is None:
            self.root = node
        self.open.append(node)

    def _end(self, name: str) -> None:
        self.open.pop()

    def _doctype(self, *declaration: object) -> None:
        raise ScreenUnreadable(serial=self.serial, detail="It carries a document type.")
