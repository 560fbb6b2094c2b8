"""uiautomator2's methods about objects: find them, wait for them, write into them, scroll them."""

from __future__ import annotations

import time
from typing import Any

from virtual_phone import hierarchy, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.selector import Found, find_all, hold
from virtual_phone.u2table import METHODS, ObjectNotFound, Selector, method
from virtual_phone.ui import Node, Rect

_MAX_SCROLLS = 50


def _one(phone: Phone, selector: Selector) -> Found:
    found = find_all(phone.windows(), selector)
    if not found:
        raise ObjectNotFound(selector)
    return found[0]


def _rectangle(box: Rect) -> dict[str, int]:
    return box._asdict()


def describe(found: Found) -> dict[str, Any]:
    """Return what the client calls ``info`` of an object."""
    node = found.node
    claims = hierarchy.flags(node)
    return {
        "bounds": _rectangle(node.full or node.bounds),
        "visibleBounds": _rectangle(node.bounds),
        "checkable": claims["checkable"],
        "checked": claims["checked"],
        "childCount": len(node.visible_children()),
        "className": node.cls,
        "clickable": claims["clickable"],
        "contentDescription": node.desc,
        "enabled": claims["enabled"],
        "focusable": claims["focusable"],
        "focused": claims["focused"],
        "longClickable": claims["long-clickable"],
        "packageName": found.package,
        "resourceName": node.rid,
        "scrollable": claims["scrollable"],
        "selected": claims["selected"],
        "text": node.shown,
    }


@method
async def exist(phone: Phone, selector: Selector) -> bool:
    """Tell whether a selector means anything now."""
    return bool(find_all(phone.windows(), selector))


@method
async def count(phone: Phone, selector: Selector) -> int:
    """Count what a selector means."""
    return len(find_all(phone.windows(), selector))


@method
async def obj_info(phone: Phone, selector: Selector) -> dict[str, Any]:
    """Describe the first."""
    return describe(_one(phone, selector))


@method
async def obj_info_of_all_instances(phone: Phone, selector: Selector) -> list[dict[str, Any]]:
    """Describe all."""
    return [describe(found) for found in find_all(phone.windows(), selector)]


async def _until(phone: Phone, selector: Selector, timeout_ms: float, *, there: bool) -> bool:
    deadline = time.monotonic() + float(timeout_ms) / 1000
    while bool(find_all(phone.windows(), selector)) is not there:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        await phone.wait_change(left)
    return True


@method
async def wait_for_exists(phone: Phone, selector: Selector, timeout_ms: float) -> bool:
    """Wait on the phone's side until it is there."""
    return await _until(phone, selector, timeout_ms, there=True)


@method
async def wait_until_gone(phone: Phone, selector: Selector, timeout_ms: float) -> bool:
    """Wait on the phone's side until it is gone."""
    return await _until(phone, selector, timeout_ms, there=False)


# -- text -----------------------------------------------------------------------------------------


@method
async def set_text(phone: Phone, selector: Selector, text: str | None) -> bool:
    """Replace a field's text; False when it is not a field."""
    node = _one(phone, selector).node
    if not node.edits:
        return False
    phone.set(node.edits, str(text or ""))
    return True


@method
async def clear_text_field(phone: Phone, selector: Selector) -> None:
    """Empty a field."""
    await set_text(phone, selector, "")


@method
async def get_text(phone: Phone, selector: Selector) -> str:
    """Return an object's text."""
    return _one(phone, selector).node.shown


@method
async def set_clipboard(phone: Phone, label: str | None, text: str) -> None:
    """Copy."""
    del label
    phone.set("system.clipboard", str(text))


@method
async def get_clipboard(phone: Phone) -> str:
    """Return what was copied."""
    return str(phone.state["system"]["clipboard"])


@method
async def paste_clipboard(phone: Phone) -> bool:
    """Paste into the focused field; False when there is none."""
    done = st.type_text(phone.state, str(phone.state["system"]["clipboard"]))
    phone.changed()
    return done


@method
async def clear_input_text(phone: Phone) -> bool:
    """Empty the focused field; False when there is none."""
    done = st.delete_text(phone.state, everything=True)
    phone.changed()
    return done


# -- scrolling ------------------------------------------------------------------------------------


def _scrolling(phone: Phone, selector: Selector) -> Node:
    found = _one(phone, selector).node
    return next((n for n in found.walk() if n.scroll), found)


def _page(phone: Phone, selector: Selector, direction: int) -> bool:
    """Scroll by most of a page; True while there is more that way."""
    node = _scrolling(phone, selector)
    if not touch.scroll_by(phone, node, direction * node.bounds.height * 8 // 10):
        return False
    scroll = _scrolling(phone, selector).scroll
    return scroll is not None and 0 < scroll.offset < scroll.limit


def _to_end(phone: Phone, selector: Selector, direction: int) -> bool:
    node = _scrolling(phone, selector)
    limit = node.scroll.limit if node.scroll else 0
    return touch.scroll_by(phone, node, direction * limit)


@method
async def scroll_forward(phone: Phone, selector: Selector, vertical: bool, *_: Any) -> bool:
    """Scroll down by a page; horizontal lists do not exist here."""
    return _page(phone, selector, 1) if vertical else False


@method
async def scroll_backward(phone: Phone, selector: Selector, vertical: bool, *_: Any) -> bool:
    """Scroll up by a page."""
    return _page(phone, selector, -1) if vertical else False


@method
async def scroll_to_end(phone: Phone, selector: Selector, vertical: bool, *_: Any) -> bool:
    """Scroll to the bottom."""
    return _to_end(phone, selector, 1) if vertical else False


@method
async def scroll_to_beginning(phone: Phone, selector: Selector, vertical: bool, *_: Any) -> bool:
    """Scroll to the top."""
    return _to_end(phone, selector, -1) if vertical else False


@method
async def scroll_to(phone: Phone, selector: Selector, child: Selector, vertical: bool) -> bool:
    """Scroll from the top until a child shows."""
    if not vertical:
        return False
    _to_end(phone, selector, -1)
    for _ in range(_MAX_SCROLLS):
        if find_all(phone.windows(), child):
            return True
        node = _scrolling(phone, selector)
        if not touch.scroll_by(phone, node, node.bounds.height // 2):
            return False
    return False


# -- children of a collection ---------------------------------------------------------------------


async def _child(phone: Phone, held: tuple[Any, Any, str, Any], scroll: bool) -> str:
    parent, child, key, wanted = held
    name = hold(parent, child, key, wanted)
    if scroll and not find_all(phone.windows(), name):
        _to_end(phone, parent, -1)
        for _ in range(_MAX_SCROLLS):
            node = _scrolling(phone, parent)
            if find_all(phone.windows(), name) or not touch.scroll_by(
                phone, node, node.bounds.height // 2
            ):
                break
    _one(phone, name)
    return name


@method
async def child_by_text(
    phone: Phone, parent: Selector, child: Selector, text: str, scroll: bool = False
) -> str:
    """Name the child of a collection that has a text in it."""
    return await _child(phone, (parent, child, "text", text), scroll)


@method
async def child_by_description(
    phone: Phone, parent: Selector, child: Selector, text: str, scroll: bool = False
) -> str:
    """Name the child of a collection that has a description in it."""
    return await _child(phone, (parent, child, "description", text), scroll)


@method
async def child_by_instance(phone: Phone, parent: Selector, child: Selector, instance: int) -> str:
    """Name the child of a collection by its number."""
    return await _child(phone, (parent, child, "instance", instance), scroll=False)


# -- dragging -------------------------------------------------------------------------------------


@method
async def drag_to(phone: Phone, selector: Selector, *rest: Any) -> bool:
    """Drag an object to a point (x, y, steps) or onto another object (selector, steps)."""
    start = _one(phone, selector).node.bounds.center
    if isinstance(rest[0], dict):
        end = _one(phone, rest[0]).node.bounds.center
    else:
        end = (int(rest[0]), int(rest[1]))
    touch.swipe(phone, start, end)
    return True


METHODS |= {
    "flingForward": scroll_forward,
    "flingBackward": scroll_backward,
    "flingToEnd": scroll_to_end,
    "flingToBeginning": scroll_to_beginning,
}
