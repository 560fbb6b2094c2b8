"""The adb file transfer service: STAT, LIST, SEND and RECV in both versions."""

from __future__ import annotations

import errno
import struct

from virtual_phone.android import Phone
from virtual_phone.files import Entry, Files
from virtual_phone.wire import Stream

_REQUEST = struct.Struct("<4sI")
_STAT1 = struct.Struct("<4s3I")
_STAT2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT1 = struct.Struct("<4s4I")
_DENT2 = struct.Struct("<4sIQQIIIIQqqqI")
_CHUNK = 64 * 1024
_ENOENT = 2


async def serve_sync(stream: Stream, phone: Phone) -> None:
    """Answer requests until QUIT or the peer closes."""
    while True:
        try:
            request, length = _REQUEST.unpack(await stream.read_exactly(_REQUEST.size))
        except EOFError:
            return
        if request == b"QUIT":
            return
        path = (await stream.read_exactly(length)).decode("utf-8", "replace")
        await _answer(stream, phone, request, path)


async def _answer(stream: Stream, phone: Phone, request: bytes, path: str) -> None:
    files = phone.files
    match request:
        case b"STAT":
            await stream.write(_stat1(files.get(path)))
        case b"STA2" | b"LST2":
            await stream.write(_stat2(request, files.get(path)))
        case b"LIST" | b"LIS2":
            await _list(stream, files, path, version=1 if request == b"LIST" else 2)
        case b"SEND":
            name, _, mode = path.rpartition(",")
            await _receive(stream, phone, name, int(mode or "33188"))
        case b"SND2":
            _, mode, _flags = struct.unpack("<4sII", await stream.read_exactly(12))
            await _receive(stream, phone, path, mode)
        case b"RECV":
            await _send(stream, files, path)
        case b"RCV2":
            await stream.read_exactly(8)
            await _send(stream, files, path)
        case other:
            await _fail(stream, f"unknown sync request {other!r}")


def _stat1(entry: Entry | None) -> bytes:
    if entry is None:
        return _STAT1.pack(b"STAT", 0, 0, 0)
    return _STAT1.pack(b"STAT", entry.mode, entry.size, entry.mtime)


def _stat2(request: bytes, entry: Entry | None) -> bytes:
    if entry is None:
        return _STAT2.pack(request, _ENOENT, *(0,) * 10)
    return _STAT2.pack(request, *_fields2(entry))


def _fields2(entry: Entry) -> tuple[int, ...]:
    when = entry.mtime
    return (0, 1, 1, entry.mode, 1, 2000, 2000, entry.size, when, when, when)


async def _list(stream: Stream, files: Files, path: str, version: int) -> None:
    out = bytearray()
    for name, entry in files.children(path):
        raw = name.encode()
        if version == 1:
            out += _DENT1.pack(b"DENT", entry.mode, entry.size, entry.mtime, len(raw))
        else:
            out += _DENT2.pack(b"DNT2", *_fields2(entry), len(raw))
        out += raw
    out += b"DONE" + bytes(16 if version == 1 else 72)
    await stream.write(bytes(out))


async def _receive(stream: Stream, phone: Phone, path: str, mode: int) -> None:
    # everything is read before a failure is told: adb does not look at us while it sends
    parts: list[bytes] = []
    while True:
        if sum(map(len, parts)) >= phone.faults.value("drop_mid_push") > 0:
            phone.faults.take("drop_mid_push")
            stream.link.abort()
            raise ConnectionResetError("the cable was pulled")
        request, number = _REQUEST.unpack(await stream.read_exactly(_REQUEST.size))
        if request == b"DONE":
            break
        if request != b"DATA" or number > _CHUNK:
            await _fail(stream, "expected DATA")
            return
        parts.append(await stream.read_exactly(number))
    try:
        phone.files.make_directory(path.rpartition("/")[0] or "/", parents=True)
        phone.files.write(path, b"".join(parts), mode=mode, mtime=number)
    except OSError as error:
        await _fail(stream, _why_not(error))
        return
    await stream.write(_REQUEST.pack(b"OKAY", 0))


def _why_not(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "couldn't write: No space left on device"
    words = (
        "Is a directory" if isinstance(error, IsADirectoryError) else "No such file or directory"
    )
    return f"couldn't create file: {words}"


async def _send(stream: Stream, files: Files, path: str) -> None:
    try:
        data = files.read(path)
    except FileNotFoundError:
        await _fail(stream, "open failed: No such file or directory")
        return
    except IsADirectoryError:
        await _fail(stream, "read failed: Is a directory")
        return
    for start in range(0, len(data), _CHUNK):
        piece = data[start : start + _CHUNK]
        await stream.write(_REQUEST.pack(b"DATA", len(piece)) + piece)
    await stream.write(_REQUEST.pack(b"DONE", 0))


async def _fail(stream: Stream, message: str) -> None:
    raw = message.encode()
    await stream.write(_REQUEST.pack(b"FAIL", len(raw)) + raw)
