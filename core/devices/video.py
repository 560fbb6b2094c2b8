"""Decode the H.264 that scrcpy's server 3.x sends; the only file that imports PyAV.

PyAV is optional and therefore imported when a video begins. The colours are handed on as the
planes they came in: a JPEG is made of the same kind, so no picture in red, green and blue is
ever computed.
"""

import socket
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from core.devices.image import Pixels, Planes

if TYPE_CHECKING:
    from av import VideoFrame as VideoFrame
else:
    VideoFrame = object

CONFIG = 1 << 63
LARGEST = 16 << 20


def frames(stream: socket.socket) -> Iterator[VideoFrame]:
    """Give each frame as it comes; the size changes when the phone is turned.

    Raises:
        EOFError, OSError: The stream ended.
    """
    import av
    from av.codec.context import Flags

    decoder = av.VideoCodecContext.create("h264", "r")
    decoder.thread_count = 1  # more threads keep frames back
    decoder.flags |= Flags.low_delay
    while True:
        yield from decoder.decode(av.Packet(packet(stream)))


def packet(stream: socket.socket) -> bytes:
    """Read one packet; a configuration is put before the frame that follows it."""
    before = b""
    while True:
        stamp, size = struct.unpack(">QI", read(stream, 12))
        if size > LARGEST:
            raise EOFError(f"A packet of {size} bytes is none of server 3.x.")
        data = before + read(stream, size)
        if not stamp & CONFIG:
            return data
        before = data


def read(stream: socket.socket, size: int) -> bytes:
    """Read exactly so many bytes.

    Raises:
        EOFError: The stream ended before.
    """
    data = bytearray()
    while len(data) < size:
        chunk = stream.recv(size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def planes(frame: VideoFrame) -> Planes:
    """Take a frame apart, its brightness stretched to a JPEG's range (video has 16 to 235)."""
    full = frame if frame.format.name == "yuvj420p" else frame.reformat(format="yuvj420p")
    y, u, v = (_plane(full, at) for at in range(3))
    return Planes(y, u, v)


def _plane(frame: VideoFrame, at: int) -> Pixels:
    plane = frame.planes[at]
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return rows[: plane.height, : plane.width]
