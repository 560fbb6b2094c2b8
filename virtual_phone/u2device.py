"""uiautomator2's methods about the device: its screen, its fingers and its keys."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from virtual_phone import hierarchy, touch
from virtual_phone.android import Phone
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
    if phone.faults.any("screencap_fail", "secure_status", "secure_empty", "secure_null"):
        return None
    return base64.b64encode(await phone.camera.jpeg(int(quality), float(scale))).decode()


@method
async def dump_window_hierarchy(
    phone: Phone, compressed: bool = False, max_depth: int = 50, active: bool = False
) -> str:
    """Return every window as XML."""
    del compressed
    await asyncio.sleep(phone.faults.value("slow_dump"))
    if phone.faults.on("no_idle"):
        # UiDevice waits for a rest before it reads the roots, and then goes on without one
        await asyncio.sleep(phone.state["system"]["uia"]["waitForIdleTimeout"] / 1000)
    windows = phone.dumped_windows()
    no_root = phone.faults.on("dump_fail") or phone.faults.count_down("null_root")
    if no_root or not windows:
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
async def open_notification(phone: Phone) -> bool:
    """Pull the shade down."""
    phone.set("system.shade", "notifications")
    return True


@method
async def open_quick_settings(phone: Phone) -> bool:
    """Pull the shade down to its switches."""
    phone.set("system.shade", "quick")
    return True


@method
async def get_last_toast(phone: Phone) -> str | None:
    """Return the last toast's words, null when there was none."""
    return str(phone.state["system"]["toast"]) or None


@method
async def clear_last_toast(phone: Phone) -> None:
    """Forget the last toast."""
    phone.set("system.toast", "")


@method
async def get_configurator(phone: Phone) -> dict[str, int]:
    """Return UiAutomator's timeouts in milliseconds."""
    return dict(phone.state["system"]["uia"])


@method
async def set_configurator(phone: Phone, values: dict[str, int]) -> dict[str, int]:
    """Change UiAutomator's timeouts; what is not named stays."""
    timeouts: dict[str, int] = phone.state["system"]["uia"]
    timeouts.update({name: int(values[name]) for name in timeouts if name in values})
    return dict(timeouts)


@method
async def wait_for_idle(phone: Phone, timeout_ms: float = 10_000) -> None:
    """Wait until nothing moves, at most ``timeout_ms``."""
    if phone.faults.on("no_idle"):
        await asyncio.sleep(float(timeout_ms) / 1000)


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
