"""``vphone``: the door for tests. It prints and changes the truth, and a real phone has none."""

from __future__ import annotations

import asyncio
import json

from virtual_phone import toast
from virtual_phone.android import Phone
from virtual_phone.commands.table import command
from virtual_phone.faults import FAULTS
from virtual_phone.overlays import OVERLAYS, names
from virtual_phone.sh import Call

_USAGE = (
    "usage: vphone state | log | unknown | snapshot NAME | restore NAME | reset\n"
    "       vphone set DOTTED.PATH JSON | fault [NAME on [VALUE]|off|SECONDS]\n"
    "       vphone overlay [NAME on|off [JSON]] | toast WORDS"
)


@command("vphone")
async def vphone(call: Call) -> int:
    """Print or change the phone's state."""
    try:
        return await _run(call, call.argv[1:])
    except (KeyError, ValueError) as error:
        return await call.complain(f"vphone: {error}")


async def _run(call: Call, words: list[str]) -> int:
    phone = call.phone
    match words:
        case ["state"]:
            await _print(call, phone.report())
        case ["log"]:
            await _print(call, phone.touches)
        case ["unknown"]:
            await _print(call, phone.unknown)
        case ["snapshot" | "restore" as verb, name]:
            (phone.snapshot if verb == "snapshot" else phone.restore)(name)
        case ["reset"]:
            phone.reset()
        case ["set", path, *value]:
            phone.set(path, json.loads(" ".join(value)))
        case ["toast", *parts]:
            toast.show(phone.state, " ".join(parts))
            phone.changed()
        case ["overlay", *rest]:
            return await _overlay(call, rest)
        case ["fault", *rest]:
            return await _fault(call, rest)
        case _:
            return await call.complain(_USAGE, 2)
    return 0


async def _overlay(call: Call, words: list[str]) -> int:
    match words:
        case []:
            on = names(call.phone.state)
            await _print(call, {n: {"on": n in on, "what": k.about} for n, k in OVERLAYS.items()})
        case [name, "on" | "off" as value, *rest]:
            values = json.loads(" ".join(rest) or "{}")
            call.phone.switch_overlay(name, value == "on", **values)
        case _:
            return await call.complain(_USAGE, 2)
    return 0


async def _print(call: Call, value: object) -> None:
    await call.say(json.dumps(value, ensure_ascii=False))


def _faults(phone: Phone) -> dict[str, dict[str, object]]:
    rows: dict[str, dict[str, object]] = {
        name: {
            "on": phone.faults.on(name),
            "what": row.what,
            "value": phone.faults.value(name) or row.value,
            "unit": row.unit,
        }
        for name, row in FAULTS.items()
    }
    shown = names(phone.state)
    return rows | {n: {"on": n in shown, "what": kind.about} for n, kind in OVERLAYS.items()}


async def _fault(call: Call, words: list[str]) -> int:
    switch = call.phone.switch_fault
    match words:
        case []:
            await _print(call, _faults(call.phone))
        case [name, "on", *value] if len(value) < 2:
            switch(name, True, float(value[0]) if value else None)
        case [name, "off"]:
            switch(name, False)
        case [name, seconds]:
            lasts_s = float(seconds)
            switch(name, True)
            asyncio.get_running_loop().call_later(lasts_s, switch, name, False)
        case _:
            return await call.complain(_USAGE, 2)
    return 0
