"""Decide which phone it is that adb shows, so that a lease is on a phone and not on a cable.

The hardware serial decides: USB and Wi-Fi of one phone report the same. Cheap makers give a whole
batch one serial, or none; then Android's own id of the installation tells them apart. That id
changes with a factory reset, so it is only asked where serials collide.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.devices.base import Hardware

#: What firmware says that was never given a serial.
_NOBODYS = frozenset({"unknown", "null", "none", "0123456789abcdef", "1234567890abcdef"})
_ONE_CHARACTER = re.compile(r"(.)\1*")
MARK_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Seen:
    """A device that was met before; ``serialno`` and ``mark`` are what it said of itself."""

    serial: str
    hardware_serial: str
    serialno: str
    mark: str


def identify(serial: str, hardware: Hardware, seen: Iterable[Seen]) -> str:
    """Give the hardware serial under which a phone is held.

    Args:
        serial: As adb names it.
        hardware: What the phone says of itself.
        seen: Every device met before.

    Returns:
        The serial that the phone reports; with ``~`` and a part of its mark when another phone
        reports the same; made of its mark, or adb's serial, when it reports none.
    """
    if not is_usable(hardware.serial):
        return f"id-{hardware.mark}" if hardware.mark else serial
    known = list(seen)
    same = [each for each in known if each.serialno == hardware.serial]
    for each in same:
        if _same_mark(each, hardware) and each.mark:
            return each.hardware_serial
    for each in same:
        # a phone at the same address with another mark was reset
        if each.serial == serial or _same_mark(each, hardware):
            return each.hardware_serial
    taken = {each.hardware_serial for each in known}
    if hardware.serial not in taken:
        return hardware.serial
    return f"{hardware.serial}~{hardware.mark[:MARK_SHOWN]}"


def is_network(serial: str) -> bool:
    """Say whether adb reaches a device of that name over the network: by address or mDNS name."""
    return ":" in serial or serial.endswith("._tcp")


def is_usable(serialno: str) -> bool:
    """Say whether a serial that a phone reports can be its own."""
    bare = serialno.strip().lower()
    return bool(bare) and bare not in _NOBODYS and not _ONE_CHARACTER.fullmatch(bare)


def _same_mark(seen: Seen, hardware: Hardware) -> bool:
    return not seen.mark or not hardware.mark or seen.mark == hardware.mark
