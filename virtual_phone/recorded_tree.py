"""Make a node tree of a recorded screen: the dump's own attributes, places and words.

Several windows become children of one root without a class, which dumps leave out. The picture is
the recorded one, or, where there is none, drawn from the bounds and the text.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from virtual_phone import dumps
from virtual_phone.ui import PLAIN, Look, Node, Rect

Chain = tuple[dict[str, str], ...]
Numbers = dict[ElementTree.Element, str]
Act = Callable[[str, Chain], object]

_PAGE, _INK, _TOUCHABLE, _FIELD, _IMAGE = "#ffffff", "#202124", "#e8eef9", "#f1f3f4", "#dde2e8"
_MIN_TEXT_PX, _MAX_TEXT_PX = 16, 46
_LINES_PX = 2.4
_ROUND_PX = 14


@dataclass(frozen=True, slots=True)
class Frame:
    """What a recorded screen is shown with: room, picture, typed text, and what touches do."""

    box: Rect
    picture: str
    typed: dict[str, str]
    path: str
    focus: str
    act: Act


def fields_of(root: ElementTree.Element) -> dict[str, str]:
    """Return the texts of the fields that can be typed into, by their place in the dump."""
    return {str(n): e.get("text", "") for n, e in enumerate(root.iter("node")) if _is_field(e)}


def build(root: ElementTree.Element, frame: Frame) -> Node:
    """Build the tree of one recorded screen."""
    numbers = {element: str(n) for n, element in enumerate(root.iter("node"))}
    windows = [_node(element, (), frame, numbers) for element in root.findall("node")]
    for depth, window in enumerate(windows):
        window.z = -depth  # the window manager lists the topmost first
    look = Look(widget="picture", icon=frame.picture) if frame.picture else Look(fill=_PAGE)
    drag = partial(_drag, frame.act)
    whole = Node("", frame.box, look=look, children=windows, on_drag=drag)
    whole.on_tap, whole.on_long = partial(frame.act, "tap", ()), partial(frame.act, "long", ())
    return whole


def _drag(act: Act, dx: float, dy: float) -> None:
    if abs(dy) >= abs(dx):
        act("swipe up" if dy < 0 else "swipe down", ())
    else:
        act("swipe left" if dx < 0 else "swipe right", ())


def _is_field(element: ElementTree.Element) -> bool:
    return element.get("class", "").endswith("EditText") and element.get("enabled") != "false"


def labelled(element: ElementTree.Element) -> bool:
    """Tell whether a node has words of its own."""
    return bool(element.get("text", "").strip() or element.get("content-desc", "").strip())


def _node(
    element: ElementTree.Element,
    above: Chain,
    frame: Frame,
    numbers: dict[ElementTree.Element, str],
) -> Node:
    attributes = dict(element.attrib)
    chain = (attributes, *above)
    node = Node(
        element.get("class", ""),
        dumps.bounds(element),
        text=element.get("text", ""),
        rid=element.get("resource-id", ""),
        desc=element.get("content-desc", ""),
        hint=element.get("hint", ""),
        enabled=element.get("enabled") != "false",
        password=element.get("password") == "true",
        recorded=attributes,
        z=int(element.get("drawing-order") or 0),
    )
    if labelled(element) or "true" in (element.get("clickable"), element.get("long-clickable")):
        node.on_tap, node.on_long = (
            partial(frame.act, "tap", chain),
            partial(frame.act, "long", chain),
        )
    if _is_field(element):
        _be_field(node, frame, numbers[element])
    node.look = _look(node, frame)
    node.children = [_node(child, chain, frame, numbers) for child in element.findall("node")]
    if not frame.picture and node.desc and not node.text and not node.children:
        look = Look(size=_text_px(node.bounds), color=_INK, align="center", multiline=_tall(node))
        words = Node(node.cls, node.bounds, text=node.desc, look=look, painted_only=True)
        words.recorded, words.on_tap = attributes, node.on_tap
        node.children = [words]
    return node


def _be_field(node: Node, frame: Frame, number: str) -> None:
    was, node.text = node.text, frame.typed.get(number, "")
    node.edits = f"{frame.path}.{number}"
    node.focused = frame.focus == node.edits
    node.recorded = {**(node.recorded or {}), "text": node.text or node.hint}
    if node.focused:
        node.recorded["focused"] = "true"
    node.full = node.bounds if node.text != was else None


def _tall(node: Node) -> bool:
    return node.bounds.height > _LINES_PX * _text_px(node.bounds)


def _text_px(box: Rect) -> int:
    return max(_MIN_TEXT_PX, min(_MAX_TEXT_PX, box.height * 2 // 3))


def _look(node: Node, frame: Frame) -> Look:
    if frame.picture:
        # only what was typed since differs from the picture
        if not node.edits or (node.full is None and not node.focused):
            return PLAIN
        return Look(fill=_PAGE, size=_text_px(node.bounds), color=_INK, caret=node.focused)
    touchable = (node.recorded or {}).get("clickable") == "true"
    fill = _FIELD if node.edits else _TOUCHABLE if touchable else ""
    if not fill and node.cls.endswith(("ImageView", "Image")) and not node.text:
        fill = _IMAGE
    if not node.text:
        return Look(fill=fill, radius=_ROUND_PX) if fill else PLAIN
    return Look(
        fill=fill,
        radius=_ROUND_PX,
        size=_text_px(node.bounds),
        color=_INK,
        multiline=_tall(node),
        caret=node.focused,
    )
