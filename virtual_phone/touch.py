"""What fingers and keys do: a point on the screen or a key code becomes a change of the state."""

from __future__ import annotations

import time
from typing import Any

from virtual_phone import keyguard
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.ui import Node, hit

LONG_PRESS_MS = 500
TAP_SLOP_PX = 24

_DIGITS = {7 + n: str(n) for n in range(10)}
_LETTERS = {29 + n: chr(97 + n) for n in range(26)}
_PUNCTUATION = {55: ",", 56: ".", 62: " ", 61: "\t", 69: "-", 70: "=", 76: "/", 77: "@", 81: "+"}
_TYPED = {**_DIGITS, **_LETTERS, **_PUNCTUATION}

KEY_CODES = {
    "HOME": 3,
    "BACK": 4,
    "DPAD_UP": 19,
    "DPAD_DOWN": 20,
    "DPAD_LEFT": 21,
    "DPAD_RIGHT": 22,
    "DPAD_CENTER": 23,
    "VOLUME_UP": 24,
    "VOLUME_DOWN": 25,
    "POWER": 26,
    "SPACE": 62,
    "ENTER": 66,
    "DEL": 67,
    "DELETE": 67,
    "MENU": 82,
    "SEARCH": 84,
    "ESCAPE": 111,
    "FORWARD_DEL": 112,
    "SHIFT_LEFT": 59,
    "SHIFT_RIGHT": 60,
    "CTRL_LEFT": 113,
    "CTRL_RIGHT": 114,
    "MOVE_HOME": 122,
    "MOVE_END": 123,
    "VOLUME_MUTE": 164,
    "APP_SWITCH": 187,
    "RECENT": 187,
    "SLEEP": 223,
    "WAKEUP": 224,
    "PASTE": 279,
}
_SHIFT, _CONTROL = {59, 60}, {113, 114}
_KEY_A, _KEY_V = 29, 50
_NOTHING_TO_DO = {19, 20, 21, 22, 23, 82, 84, 112, 122, 123}


def tap(phone: Phone, x: float, y: float, *, long: bool = False) -> Node | None:
    """Touch a point; returns the node that took it, None when nothing there reacts."""
    if phone.faults.happens("tap_swallowed"):
        _log(phone, "swallowed", x, y, "", None)
        return None
    node = _touch(phone, x, y, long=long)
    if phone.faults.on("double_tap"):
        _touch(phone, x, y, long=long)
    return node


def _touch(phone: Phone, x: float, y: float, *, long: bool) -> Node | None:
    kind = "long" if long else "tap"
    phone.state["system"]["touch"] = [x, y]
    found = hit(phone.windows(), x, y)
    if found is None:
        _log(phone, kind, x, y, "", None)
        return None
    window, path = found
    node = next(
        (n for n in reversed(path) if n.on_tap or n.clickable or (long and n.on_long)), None
    )
    if node and not node.enabled:  # it swallows the touch, as a greyed button does
        node = None
    _log(phone, kind, x, y, window.package, node or path[-1])
    if node is None:
        return None
    act = node.on_long if long and node.on_long else node.on_tap
    if node.edits:
        st.enter_field(phone.state, node.edits, multiline=node.look.multiline)
    elif node.on_point:
        box = node.bounds
        node.on_point(min(1.0, max(0.0, (x - box.left) / max(1, box.width))))
    elif act:
        act()
    phone.changed()
    return node


def _log(phone: Phone, kind: str, x: float, y: float, package: str, node: Node | None) -> None:
    entry: dict[str, Any] = {"n": len(phone.touches) + 1, "kind": kind, "x": x, "y": y}
    entry["package"] = package
    if node is not None:
        words = [n.shown or n.desc for n in node.walk() if n.shown or n.desc]
        entry.update(rid=node.rid, label=words[0] if words else "", bounds=list(node.bounds))
    phone.touches.append(entry)


def swipe(phone: Phone, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Drag a finger; what is under it scrolls by exactly that way.

    Returns:
        Whether anything moved.
    """
    if _close(start, end):
        return tap(phone, *start) is not None
    found = hit(phone.windows(), *start)
    path = found[1] if found else []
    entry: dict[str, Any] = {"n": len(phone.touches) + 1, "kind": "swipe", "x": start[0]}
    entry.update(y=start[1], to=list(end), package=found[0].package if found else "")
    phone.touches.append(entry)
    slider = next((n for n in reversed(path) if n.on_point), None)
    if slider and slider.on_point:
        width = max(1, slider.bounds.width)
        slider.on_point(min(1.0, max(0.0, (end[0] - slider.bounds.left) / width)))
        phone.changed()
        return True
    dragged = next((n for n in reversed(path) if n.on_drag), None)
    if dragged and dragged.on_drag:
        dragged.on_drag(end[0] - start[0], end[1] - start[1])
        phone.changed()
        return True
    scrolling = next((n for n in reversed(path) if n.scroll), None)
    return scroll_by(phone, scrolling, round(start[1] - end[1])) if scrolling else False


def finger(phone: Phone, action: str, at: tuple[float, float]) -> None:
    """Put a finger DOWN, MOVE it, or lift it UP; the whole way counts when it is lifted."""
    if action == "DOWN":
        phone.finger, phone.finger_since = at, time.monotonic()
    elif action == "UP":
        start, phone.finger = phone.finger or at, None
        held_ms = (time.monotonic() - phone.finger_since) * 1000
        if held_ms >= LONG_PRESS_MS and _close(start, at):
            tap(phone, *start, long=True)
        else:
            swipe(phone, start, at)


def _close(start: tuple[float, float], end: tuple[float, float]) -> bool:
    return abs(start[0] - end[0]) < TAP_SLOP_PX and abs(start[1] - end[1]) < TAP_SLOP_PX


def scroll_by(phone: Phone, node: Node, distance: int) -> bool:
    """Move a scrolling node's content; False when it was at its end."""
    scroll = node.scroll
    if scroll is None:
        return False
    if scroll.on_end and distance > 0 and scroll.offset + distance >= scroll.limit:
        scroll.on_end()
    offset = min(scroll.limit, max(0, scroll.offset + distance))
    if offset == scroll.offset:
        return False
    st.set_path(phone.state, scroll.path, offset)
    phone.changed()
    return True


def key_code(name: str) -> int:
    """Read ``66``, ``ENTER`` or ``KEYCODE_ENTER``; ValueError for a key that does not exist."""
    if name.isdecimal():
        return int(name)
    short = name.upper().removeprefix("KEYCODE_")
    if short in KEY_CODES:
        return KEY_CODES[short]
    typed = {text.upper(): code for code, text in _TYPED.items()}
    if short in typed:
        return typed[short]
    raise ValueError(f"unknown key {name}")


def press(phone: Phone, code: int, *, shift: bool = False) -> None:
    """Press a key.

    Raises:
        ValueError: the phone has no such key.
    """
    phone.touches.append({"n": len(phone.touches) + 1, "kind": "key", "code": code})
    if code in _TYPED:
        text = _TYPED[code]
        st.type_text(phone.state, text.upper() if shift else text)
    elif not (_system_key(phone, code) or _editing_key(phone, code) or code in _NOTHING_TO_DO):
        raise ValueError(f"unknown key {code}")
    phone.changed()


def press_together(phone: Phone, codes: list[int]) -> None:
    """Press keys at once: control with A, V or another letter, shift with a letter.

    Raises:
        ValueError: the phone knows no such combination.
    """
    held, code = set(codes[:-1]), codes[-1]
    if held and held <= _CONTROL:
        phone.touches.append({"n": len(phone.touches) + 1, "kind": "key", "code": codes})
        if code not in (_KEY_A, _KEY_V):
            raise ValueError(f"unknown combination {codes}")
        if code == _KEY_V:
            st.type_text(phone.state, str(phone.state["system"]["clipboard"]))
        else:
            phone.state["system"]["selected"] = phone.state["system"]["focus"] is not None
        phone.changed()
    elif held <= _SHIFT:
        press(phone, code, shift=bool(held))
    else:
        raise ValueError(f"unknown combination {codes}")


def _system_key(phone: Phone, code: int) -> bool:
    system, settings = phone.state["system"], phone.state["settings"]
    match code:
        case 3 | 4 | 111 | 187 if system["locked"]:
            keyguard.hide_pad(phone.state)
        case 3:
            st.go_home(phone.state)
        case 4 | 111:
            phone.back()
        case 24 | 25:
            step = 10 if code == 24 else -10
            settings["volume_media"] = min(100, max(0, settings["volume_media"] + step))
        case 26:
            system["screen_on"] = not system["screen_on"]
        case 164:
            settings["mute"] = not settings["mute"]
        case 187:
            phone.recents()
        case 223:
            system["screen_on"] = False
        case 224:
            system["screen_on"] = True
        case _:
            return False
    return True


def _editing_key(phone: Phone, code: int) -> bool:
    match code:
        case 66:
            phone.enter()
        case 67:
            st.delete_text(phone.state)
        case 279:
            st.type_text(phone.state, str(phone.state["system"]["clipboard"]))
        case _:
            return False
    return True
