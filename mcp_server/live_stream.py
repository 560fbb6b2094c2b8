"""Send a live view as multipart: one JPEG a part, whose head says what the picture shows.

``X-Frame`` numbers the pictures, ``X-Screen`` and ``X-Rotation`` are the phone's when it was
taken, ``X-Source`` and ``X-Rate`` say where pictures come from and how many a second,
``X-Missing`` which better source failed lately, and ``X-State`` is ``ok`` or an error's code.
"""

import asyncio
from collections.abc import AsyncIterator

import anyio

from core.devices.frames import Frame, View
from core.devices.live import STILL_S, Live

BOUNDARY = "frame"
KIND = f"multipart/x-mixed-replace; boundary={BOUNDARY}"


async def parts(live: Live, wanted: View) -> AsyncIterator[bytes]:
    """Give the frames as parts of one answer, for as long as it is read.

    A browser shows a part only when it reads the boundary behind it, so that goes out at once.
    A slow reader gets fewer frames, never old ones.
    """
    loop = asyncio.get_running_loop()
    fresh = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(fresh.set)

    yield f"--{BOUNDARY}\r\n".encode()
    live.watch(wake, wanted)
    try:
        while not live.is_closed:
            with anyio.move_on_after(STILL_S):
                await fresh.wait()
            fresh.clear()
            if live.frame is not None:
                yield _part(live, live.frame, wanted)
    finally:
        live.leave(wake)


def _part(live: Live, frame: Frame, wanted: View) -> bytes:
    jpeg = frame.jpeg(wanted)
    head = {
        "Content-Type": "image/jpeg",
        "Content-Length": len(jpeg),
        "X-Frame": frame.number,
        "X-Screen": f"{frame.screen.width}x{frame.screen.height}",
        "X-Rotation": frame.rotation,
        "X-Source": live.source,
        "X-Missing": live.missing,
        "X-Rate": live.fps,
        "X-State": frame.error.code if frame.error else "ok",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"".join([lines.encode(), b"\r\n", jpeg, f"\r\n--{BOUNDARY}\r\n".encode()])
