"""uiautomator2's methods about the device: its screen, its fingers and its keys."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from virtual_phone import hierarchy, touch
from virtual_phone.android import Phone
from virtual_phone.faults import SLOW_DUMP_S
from virtual_phone.u2table import method

_STEP_S = 0.005  # UiAutomator injects a move every 5 ms
_FINGER = {0: "DOWN", 1: "UP", 2: "MOVE"}
_TURNS = {"natural": 0, "n": 0, "left": 1, "l": 1, "upsidedown": 2, "u": 2, "right": 3, "r": 3}


# -- the device -----------------------------------------------------------------------------------


@method
async def device_info(phone: Phone) -> dict[str, Any]:
    """Describe the device and what is on its screen."""
    width, height = phone.size
    density = phone.profile.density / 160
    return {
        "currentPackageName": phone.active_package,
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
