"""Commands about the screen: touch and keys, pictures, the window hierarchy."""

from __future__ import annotations

import asyncio

from virtual_phone import hierarchy, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.commands.table import command
from virtual_phone.sh import Call
from virtual_phone.u2rpc import running

KILLED = 137  # 128 + SIGKILL, as a shell reports it
_DEFAULT_DUMP = "/sdcard/window_dump.xml"
_SOURCES = ("touchscreen", "keyboard", "touchpad", "mouse", "stylus", "dpad", "trackball")
_NO_CHARACTERS = (
    "java.lang.NullPointerException: Attempt to get length of null array\n"
    "\tat com.android.commands.input.Input.sendText(Input.java)"
)


@command("input")
async def inject(call: Call) -> int:
    """Inject touches, keys and ASCII text."""
    words = call.argv[1:]
    if words[:1] and words[0] in _SOURCES:
        words = words[1:]
    if words[:1] == ["-d"]:
        words = words[2:]
    try:
        return await _inject(call, words)
    except ValueError as error:
        return await call.complain(f"Error: {error}", 255)


async def _inject(call: Call, words: list[str]) -> int:
    match words:
        case ["tap", x, y]:
            touch.tap(call.phone, float(x), float(y))
        case ["swipe" | "draganddrop", x1, y1, x2, y2, *rest]:
            await _swipe(call, (float(x1), float(y1)), (float(x2), float(y2)), rest)
        case ["text", *parts]:
            return await _text(call, " ".join(parts))
        case ["keycombination", *names]:
            touch.press_together(call.phone, [touch.key_code(name) for name in _keys(names)])
        case ["keyevent", *names]:
            for name in _keys(names):
                touch.press(call.phone, touch.key_code(name))
        case ["press"]:
            touch.press(call.phone, touch.KEY_CODES["DPAD_CENTER"])
        case ["roll", _, _]:
            pass  # there is no trackball
        case ["motionevent", "DOWN" | "MOVE" | "UP" as action, x, y]:
            touch.finger(call.phone, action, (float(x), float(y)))
        case _:
            raise ValueError(f"Unknown command: {' '.join(words)}")
    return 0


def _keys(names: list[str]) -> list[str]:
    """Leave the options out: ``--delay`` has a value, the others have none."""
    kept, skip = [], False
    for name in names:
        if not skip and not name.startswith("--"):
            kept.append(name)
        skip = name in ("--delay", "--duration")
    return kept


async def _swipe(
    call: Call, start: tuple[float, float], end: tuple[float, float], rest: list[str]
) -> None:
    duration_ms = int(rest[0]) if rest else 300
    await asyncio.sleep(duration_ms / 1000)
    if start == end and duration_ms >= touch.LONG_PRESS_MS:
        touch.tap(call.phone, *start, long=True)
    else:
        touch.swipe(call.phone, start, end)


async def _text(call: Call, text: str) -> int:
    if not text.isascii():
        return await call.complain(_NO_CHARACTERS, 255)
    st.type_text(call.phone.state, text.replace("%s", " "))
    call.phone.changed()
    return 0


@command("screencap")
async def screencap(call: Call) -> int:
    """Take a picture, as PNG with -p or a .png name, else raw."""
    words = call.argv[1:]
    if "-d" in words:
        at = words.index("-d")
        words = words[:at] + words[at + 2 :]
    path = next((w for w in words if not w.startswith("-")), "")
    faults = call.phone.faults
    if faults.on("secure_status"):
        return await call.complain("Failed to take screenshot. Status: -1")
    if faults.any("screencap_fail", "secure_empty"):
        data = b""
    elif "-p" in words or path.endswith(".png"):
        data = await call.phone.camera.png()
    else:
        data = await call.phone.camera.raw()
    if not path:
        await call.out(data)
        return 0
    try:
        call.phone.files.write(path, data)
    except OSError:
        return await call.complain(f"Error opening file: {path} (No such file or directory)")
    return 0


def _no_root(phone: Phone) -> bool:
    return phone.faults.on("dump_fail") or phone.faults.count_down("null_root")


@command("uiautomator")
async def uiautomator(call: Call) -> int:
    """Dump the active window's hierarchy."""
    if call.argv[1:2] != ["dump"]:
        return await call.complain("Unsupported uiautomator command", 255)
    phone = call.phone
    path = next((w for w in call.argv[2:] if not w.startswith("-")), _DEFAULT_DUMP)
    if phone.faults.on("exclusive_uia") and running(phone):
        return await call.complain("Killed", KILLED)
    await asyncio.sleep(phone.faults.value("slow_dump"))
    if phone.faults.on("no_idle") and "--compressed" not in call.argv:
        return await call.complain("ERROR: could not get idle state.", code=0)
    windows = phone.dumped_windows()
    if _no_root(phone) or not windows:
        # the real one fails like this with exit code 0 and leaves an old file in place
        return await call.complain(
            "ERROR: null root node returned by UiTestAutomationBridge.", code=0
        )
    text = hierarchy.short_dump(windows, int(phone.state["system"]["rotation"]))
    if path in ("/dev/tty", "/dev/stdout", "/proc/self/fd/1"):
        await call.out(text.encode())
    else:
        phone.files.write(path, text.encode())
    await call.say(f"UI hierchary dumped to: {path}")
    return 0
