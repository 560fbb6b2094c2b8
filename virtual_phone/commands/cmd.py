"""``cmd`` and ``content``: system services by name, and the settings table as rows."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise

from virtual_phone import state as st
from virtual_phone.commands.apps import activity_manager, package_manager, resolve_activity
from virtual_phone.commands.device import window_manager
from virtual_phone.commands.table import command
from virtual_phone.sh import Call

_NO_SERVICE = 20
_SHADES = {
    "expand-notifications": "notifications",
    "expand-settings": "quick",
    "collapse": "",
}
_SETTINGS_URI = re.compile(r"content://settings/(system|secure|global)(?:/(\w+))?")
_WHERE = re.compile(r"name\s*=\s*['\"]?(\w+)['\"]?")

Service = Callable[[Call, list[str]], Awaitable[int]]


# -- cmd ------------------------------------------------------------------------------------------


async def _package(call: Call, words: list[str]) -> int:
    match words:
        case ["resolve-activity", *rest]:
            return await resolve_activity(call, rest)
        case ["query-activities", *_]:
            for app in call.phone.apps:
                name = f"{app.package}{app.activity(call.phone.state)}"
                await call.say(f"  packageName={app.package}\n  name={name}")
            return 0
    return await package_manager(replace(call, argv=["pm", *words]))


async def _activity(call: Call, words: list[str]) -> int:
    return await activity_manager(replace(call, argv=["am", *words]))


async def _window(call: Call, words: list[str]) -> int:
    return await window_manager(replace(call, argv=["wm", *words]))


async def _display(call: Call, words: list[str]) -> int:
    if words[:1] != ["get-displays"]:
        return await _unknown(call)
    phone = call.phone
    (width, height), density = phone.size, phone.profile.density
    state = "ON" if phone.state["system"]["screen_on"] else "OFF"
    await call.say("Displays:")
    await call.say(
        f'Display id 0: DisplayInfo{{"Built-in Screen", displayId 0, state {state}, '
        f"type INTERNAL, real {width} x {height}, density {density}, "
        'uniqueId "local:4619827259835644672"}'
    )
    return 0


async def _statusbar(call: Call, words: list[str]) -> int:
    if not words or words[0] not in _SHADES:
        return await _unknown(call)
    call.phone.set("system.shade", _SHADES[words[0]])
    return 0


async def _clipboard(call: Call, words: list[str]) -> int:
    match words:
        case ["get", *_]:
            await call.say(str(call.phone.state["system"]["clipboard"]))
        case ["set", *text]:
            call.phone.set("system.clipboard", " ".join(text))
        case _:
            return await _unknown(call)
    return 0


async def _uimode(call: Call, words: list[str]) -> int:
    match words:
        case ["night", "yes" | "no" as dark]:
            call.phone.set("settings.dark_mode", dark == "yes")
        case ["night"]:
            pass
        case _:
            return await _unknown(call)
    on = "yes" if call.phone.state["settings"]["dark_mode"] else "no"
    await call.say(f"Night mode: {on}")
    return 0


async def _accept(call: Call, words: list[str]) -> int:
    """Take what has no effect that this phone could show."""
    del call, words
    return 0


SERVICES: dict[str, Service] = {
    "package": _package,
    "activity": _activity,
    "window": _window,
    "display": _display,
    "statusbar": _statusbar,
    "clipboard": _clipboard,
    "uimode": _uimode,
    "locale": _accept,
    "deviceidle": _accept,
    "notification": _accept,
}


async def _unknown(call: Call) -> int:
    call.phone.unknown.append(" ".join(call.argv))
    return await call.complain(f"Unknown command: {' '.join(call.argv[2:3])}", 255)


@command("cmd")
async def cmd(call: Call) -> int:
    """Reach a system service by its name."""
    name, words = " ".join(call.argv[1:2]), call.argv[2:]
    service = SERVICES.get(name)
    if service is None:
        call.phone.unknown.append(" ".join(call.argv))
        return await call.complain(f"cmd: Can't find service: {name}", _NO_SERVICE)
    return await service(call, words)


# -- content --------------------------------------------------------------------------------------


def _bindings(words: list[str]) -> dict[str, str]:
    bound = [words[n + 1] for n, word in enumerate(words[:-1]) if word == "--bind"]
    parts = [binding.split(":", 2) for binding in bound]
    return {part[0]: part[2] for part in parts if len(part) > 2}


@command("content")
async def content(call: Call) -> int:
    """Query, insert, update and delete rows of the settings provider; no other provider exists."""
    words = call.argv[1:]
    uri = next((b for a, b in pairwise(words) if a == "--uri"), "")
    match = _SETTINGS_URI.fullmatch(uri)
    if match is None or not words:
        call.phone.unknown.append(" ".join(call.argv))
        name = uri.removeprefix("content://").partition("/")[0]
        return await call.complain(f"Error while accessing provider:{name}", 0)
    namespace, key = match[1], match[2] or ""
    if found := _WHERE.search(" ".join(words)):
        key = key or found[1]
    return await _settings_rows(call, namespace, key)


async def _settings_rows(call: Call, namespace: str, key: str) -> int:
    state, bound = call.phone.state, _bindings(call.argv)
    key = bound.get("name", key)
    match call.argv[1]:
        case "query":
            keys = [key] if key else sorted(state["system"]["provider"].get(namespace, {}))
            rows = [(k, st.read_provider(state, namespace, k)) for k in keys]
            rows = [row for row in rows if row[1] is not None]
            for number, (name, value) in enumerate(rows):
                await call.say(f"Row: {number} _id={number + 1}, name={name}, value={value}")
            if not rows:
                await call.say("No result found.")
        case "insert" | "update" if key:
            st.write_provider(state, namespace, key, bound.get("value"))
            call.phone.changed()
        case "delete" if key:
            st.write_provider(state, namespace, key, None)
            call.phone.changed()
        case verb:
            return await call.complain(f"[ERROR] Unsupported operation: {verb}", 1)
    return 0
