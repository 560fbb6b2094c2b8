"""The JSON-RPC methods of uiautomator2's server that this phone answers, as one table.

A method that is not here is answered with "method not found", never with a made-up success.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from typing import Any

from virtual_phone import hierarchy, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.faults import SLOW_DUMP_S
from virtual_phone.selector import Found, find_all
from virtual_phone.ui import Node, Rect

Selector = dict[str, Any]
Method = Callable[..., Awaitable[Any]]

METHODS: dict[str, Method] = {}
_STEP_S = 0.005  # UiAutomator injects a move every 5 ms
_MAX_SCROLLS = 50
_FINGER = {0: "DOWN", 1: "UP", 2: "MOVE"}
_TURNS = {"natural": 0, "n": 0, "left": 1, "l": 1, "upsidedown": 2, "u": 2, "right": 3, "r": 3}


class RpcError(Exception):
    """The server's answer is an error."""

    code = -32001
    data = ""


class UnknownMethod(RpcError):
    """The server has no such method."""

    code = -32601

    def __init__(self, name: str) -> None:
        super().__init__(f"method not found: {name}")


class ObjectNotFound(RpcError):
    """No node is meant by the selector; the client knows it by the class name in the message."""

    code = -32002

    def __init__(self, selector: Selector) -> None:
        keys = {k: v for k, v in selector.items() if v and k != "mask"}
        super().__init__(f"androidx.test.uiautomator.UiObjectNotFoundException: {keys}")


def method(function: Method) -> Method:
    """Enter a method under its own name, written as Java writes it."""
    first, *rest = function.__name__.split("_")
    METHODS[first + "".join(word.title() for word in rest)] = function
    return function


def _one(phone: Phone, selector: Selector) -> Found:
    found = find_all(phone.windows(), selector)
    if not found:
        raise ObjectNotFound(selector)
    return found[0]


# -- the device -----------------------------------------------------------------------------------


@method
async def device_info(phone: Phone) -> dict[str, Any]:
    """Describe the device and what is on its screen."""
    width, height = phone.size
    density = phone.profile.density / 160
    return {
        "currentPackageName": phone.foreground.package,
        "displayWidth": width,
        "displayHeight": height,
        "displayRotation": phone.state["system"]["rotation"],
        "displaySizeDpX": round(width / density),
        "displaySizeDpY": round(height / density),
        "naturalOrientation": phone.state["system"]["rotation"] == 0,
        "productName": phone.profile.device,
        "screenOn": phone.state["system"]["screen_on"],
        "sdkInt": phone.profile.sdk,
    }


@method
async def take_screenshot(phone: Phone, scale: float = 1, quality: int = 80) -> str | None:
    """Return the screen as base64 JPEG, null when it cannot be taken."""
    if phone.faults.on("screencap_fail"):
        return None
    return base64.b64encode(await phone.jpeg(int(quality), float(scale))).decode()


@method
async def dump_window_hierarchy(
    phone: Phone, compressed: bool = False, max_depth: int = 50, active: bool = False
) -> str:
    """Return every window as XML."""
    del compressed
    if phone.faults.on("slow_dump"):
        await asyncio.sleep(SLOW_DUMP_S)
    windows = phone.windows()
    if phone.faults.on("dump_fail") or not windows:
        return hierarchy.EMPTY
    shown = windows[:1] if active else windows
    return hierarchy.full_dump(shown, int(phone.state["system"]["rotation"]), int(max_depth or 50))


@method
async def wake_up(phone: Phone) -> None:
    """Turn the screen on."""
    phone.set("system.screen_on", True)


@method
async def sleep(phone: Phone) -> None:
    """Turn the screen off."""
    phone.set("system.screen_on", False)


@method
async def set_orientation(phone: Phone, name: str) -> None:
    """Turn the phone; ValueError for a direction that does not exist."""
    if name not in _TURNS:
        raise ValueError(f"unknown orientation {name}")
    phone.set("system.rotation", _TURNS[name])


@method
async def freeze_rotation(phone: Phone, frozen: bool) -> None:
    """Stop, or allow, turning with the hand."""
    phone.set("settings.auto_rotate", not frozen)


@method
async def get_last_toast(phone: Phone) -> None:
    """Return null: the apps of this phone show no toasts."""
    del phone


@method
async def clear_last_toast(phone: Phone) -> None:
    """Do nothing, as there is none."""
    del phone


# -- fingers and keys -----------------------------------------------------------------------------


@method
async def click(phone: Phone, x: float, y: float, duration_ms: float = 0) -> bool:
    """Tap, or press for ``duration_ms``."""
    await asyncio.sleep(float(duration_ms) / 1000)
    touch.tap(phone, x, y, long=duration_ms >= touch.LONG_PRESS_MS)
    return True


@method
async def swipe(phone: Phone, x1: float, y1: float, x2: float, y2: float, steps: int = 55) -> bool:
    """Swipe; a step takes 5 ms."""
    await asyncio.sleep(float(steps) * _STEP_S)
    touch.swipe(phone, (x1, y1), (x2, y2))
    return True


@method
async def drag(phone: Phone, x1: float, y1: float, x2: float, y2: float, steps: int = 55) -> bool:
    """Drag, which is a slow swipe here."""
    return bool(await swipe(phone, x1, y1, x2, y2, steps))


@method
async def swipe_points(phone: Phone, points: list[float], steps: int = 55) -> bool:
    """Swipe along points, each leg on its own."""
    pairs = list(zip(points[::2], points[1::2], strict=True))
    await asyncio.sleep(float(steps) * _STEP_S * max(1, len(pairs) - 1))
    touch.swipe(phone, pairs[0], pairs[-1])
    return True


@method
async def inject_input_event(phone: Phone, action: int, x: float, y: float, meta: int = 0) -> bool:
    """Put a finger down (0), lift it (1) or move it (2)."""
    del meta
    if action not in _FINGER:
        return False
    touch.finger(phone, _FINGER[action], (x, y))
    return True


@method
async def press_key(phone: Phone, name: str) -> bool:
    """Press a key by its short name."""
    touch.press(phone, touch.key_code(str(name)))
    return True


@method
async def press_key_code(phone: Phone, code: int, meta: int = 0) -> bool:
    """Press a key by number; meta bit 1 is shift."""
    touch.press(phone, int(code), shift=bool(int(meta) & 1))
    return True


# -- objects --------------------------------------------------------------------------------------


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
        "text": node.text,
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
    return _one(phone, selector).node.text


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


METHODS |= {
    "flingForward": scroll_forward,
    "flingBackward": scroll_backward,
    "flingToEnd": scroll_to_end,
    "flingToBeginning": scroll_to_beginning,
}
