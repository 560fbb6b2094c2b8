"""The messages of the adb wire: a header of six little-endian numbers, then bytes."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass
from enum import IntEnum


class Command(IntEnum):
    """What a packet asks, its four letters read as a little-endian number."""

    CNXN = 0x4E584E43
    OPEN = 0x4E45504F
    OKAY = 0x59414B4F
    CLSE = 0x45534C43
    WRTE = 0x45545257
    AUTH = 0x48545541


VERSION = 0x01000001
MAX_PAYLOAD = 1024 * 1024

_HEADER = struct.Struct("<6I")


@dataclass(frozen=True, slots=True)
class Packet:
    """One adb message."""

    command: int
    arg0: int
    arg1: int
    data: bytes = b""


def pack(packet: Packet, *, checksum: bool = False) -> bytes:
    """Serialise a packet; the sum of bytes is only needed by peers before 0x01000001."""
    total = sum(packet.data) & 0xFFFFFFFF if checksum else 0
    head = _HEADER.pack(
        packet.command,
        packet.arg0,
        packet.arg1,
        len(packet.data),
        total,
        packet.command ^ 0xFFFFFFFF,
    )
    return head + packet.data


async def read_packet(reader: asyncio.StreamReader) -> Packet:
    """Read one packet.

    Raises:
        ConnectionError: the header's magic or length cannot be right.
        asyncio.IncompleteReadError: the link ended.
    """
    head = await reader.readexactly(_HEADER.size)
    command, arg0, arg1, length, _, magic = _HEADER.unpack(head)
    if magic != command ^ 0xFFFFFFFF or length > MAX_PAYLOAD:
        raise ConnectionError("adb packet with a bad header")
    return Packet(command, arg0, arg1, await reader.readexactly(length))
