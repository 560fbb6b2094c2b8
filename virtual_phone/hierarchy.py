"""Write the window hierarchy as XML, the way ``uiautomator dump`` and uiautomator2 do.

The first shows the active window only and a short list of attributes; the second shows every
window and adds drawing order, visibility and hint.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from virtual_phone.ui import Node, Window

_HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
# XML 1.0 has no way to write these; uiautomator replaces them by a dot
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_FLAGS = (
    *("checkable", "checked", "clickable", "enabled", "focusable", "focused"),
    *("scrollable", "long-clickable", "password", "selected"),
)
EMPTY = '<hierarchy rotation="0" />'


def short_dump(windows: list[Window], rotation: int) -> str:
    """Write what ``uiautomator dump`` writes: the app's window."""
    window = windows[0]
    roots = [_write(root, window.package, 0, extended=False) for root in window.roots()]
    return _document(roots, rotation)


def full_dump(windows: list[Window], rotation: int, max_depth: int) -> str:
    """Write what uiautomator2's server writes: every window."""
    roots = [
        _write(root, window.package, number, extended=True, depth=max_depth)
        for number, window in enumerate(windows)
        for root in window.roots()
    ]
    return _document(roots, rotation)


def _document(roots: list[str], rotation: int) -> str:
    return f'{_HEAD}<hierarchy rotation="{rotation}">{"".join(roots)}</hierarchy>'


def _write(node: Node, package: str, index: int, *, extended: bool, depth: int = 50) -> str:
    attributes = " ".join(
        f"{name}={quoteattr(_NOT_XML.sub('.', value))}"
        for name, value in _attributes(node, package, index, extended).items()
    )
    children = node.visible_children() if depth > 1 else []
    if not children:
        return f"<node {attributes} />"
    inside = "".join(
        _write(child, package, number, extended=extended, depth=depth - 1)
        for number, child in enumerate(children)
    )
    return f"<node {attributes}>{inside}</node>"


def _attributes(node: Node, package: str, index: int, extended: bool) -> dict[str, str]:
    if node.recorded is not None:
        return node.recorded
    box = node.bounds
    found = {
        "index": str(index),
        "text": node.shown,
        "resource-id": node.rid,
        "class": node.cls,
        "package": package,
        "content-desc": node.desc,
        **{name: _flag(value) for name, value in flags(node).items()},
    }
    if extended:
        found["visible-to-user"] = "true"
    found["bounds"] = f"[{box.left},{box.top}][{box.right},{box.bottom}]"
    if extended:
        found |= {"drawing-order": str(index + 1), "hint": node.hint, "display-id": "0"}
    return found


def flags(node: Node) -> dict[str, bool]:
    """Return the claims that a dump makes about a node, in its order."""
    if node.recorded is not None:
        return {name: node.recorded.get(name) == "true" for name in _FLAGS}
    return {
        "checkable": node.checked is not None,
        "checked": bool(node.checked),
        "clickable": node.clickable,
        "enabled": node.enabled,
        "focusable": node.clickable,
        "focused": node.focused,
        "scrollable": node.scroll is not None,
        "long-clickable": node.on_long is not None or bool(node.edits),
        "password": node.password,
        "selected": node.selected,
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"
