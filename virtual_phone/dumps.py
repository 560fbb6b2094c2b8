"""Read a window hierarchy that was saved from some phone, repairing what is known to go wrong.

Known damage: words before and after the XML, other encodings than the XML claims, characters that
XML forbids. What cannot be repaired is refused with the reason.
"""

from __future__ import annotations

import codecs
import re
import xml.etree.ElementTree as ElementTree

from virtual_phone.ui import Rect

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# a shell's code page sits around and inside the XML of dumps that were redirected on Windows
_CODE_PAGES = ("utf-8", "cp949", "gb18030", "latin-1")
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(x?)([0-9a-fA-F]+);")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,8}|#x[0-9a-fA-F]{1,8});)")
_VALUE = re.compile(r'="[^"]*"')
_SHOWN = 60


class RecordingError(ValueError):
    """A recording cannot be used; the words say what is wrong with which file."""


def read_dump(data: bytes, name: str) -> ElementTree.Element:
    """Read a dump.

    Returns:
        The ``hierarchy`` element, with at least one node in it.

    Raises:
        RecordingError: it is empty, cut off, or no hierarchy at all.
    """
    text = _decode(data)
    start, end = text.find("<hierarchy"), text.rfind("</hierarchy>")
    if start < 0:
        said = " ".join(text[:_SHOWN].split())
        raise RecordingError(f"{name}: no hierarchy in it; it says {said!r}")
    if end < 0:
        raise RecordingError(f"{name}: cut off, there is no </hierarchy>")
    xml = _mended(text[start : end + len("</hierarchy>")])
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise RecordingError(f"{name}: not well formed: {error}") from error
    if root.find("node") is None:
        raise RecordingError(f"{name}: the hierarchy is empty")
    return root


def _decode(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    for encoding in _CODE_PAGES:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _mended(xml: str) -> str:
    """Drop what XML forbids, and escape what it wants escaped inside attributes."""
    xml = _FORBIDDEN.sub("", _REFERENCE.sub(_allowed, xml))
    return _VALUE.sub(lambda found: found[0].replace("<", "&lt;"), _BARE.sub("&amp;", xml))


def _allowed(match: re.Match[str]) -> str:
    code = int(match[2], 16 if match[1] else 10)
    return "" if code > 0x10FFFF or _FORBIDDEN.match(chr(code)) else match[0]


def bounds(element: ElementTree.Element) -> Rect:
    """Return a node's rectangle as it was written: it may be empty or inverted."""
    match = _BOUNDS.fullmatch(element.get("bounds", ""))
    return Rect(*(int(n) for n in match.groups())) if match else Rect(0, 0, 0, 0)


def extent(root: ElementTree.Element) -> tuple[int, int]:
    """Return how far right and down the nodes go: the screen, when nothing else tells its size."""
    boxes = [bounds(element) for element in root.iter("node")]
    return max(b.right for b in boxes), max(b.bottom for b in boxes)
