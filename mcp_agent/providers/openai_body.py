"""Watch the bytes of a model's answer: how many there are, and what the client does not tell.

The client stops at ``[DONE]`` without saying so, skips the ``error:`` field that one server writes
into its stream, stumbles over empty heartbeats, and would read a flood to its end.
"""

import re
from collections.abc import AsyncIterator

import httpx2

from core.errors import ModelFault

MB = 1024 * 1024
MOST_BYTES = 8 * MB
TAIL = 2048
BOM = b"\xef\xbb\xbf"
EMPTY = b"data:"  # a heartbeat that the client would read as broken JSON
DONE = re.compile(rb"^data:\s*\[DONE\]", re.M)
ERROR = re.compile(rb"^error:\s*(\{.*\})", re.M)
KEY = "phonedeck_body"


class Body(httpx2.AsyncByteStream):
    """One answer's bytes on their way to the client."""

    def __init__(self, inner: httpx2.AsyncByteStream, most_bytes: int = MOST_BYTES) -> None:
        self._inner = inner
        self._most = most_bytes
        self._count = 0
        self._tail = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Pass the bytes on.

        Raises:
            ModelFault: There are more than any answer has.
        """
        line = b""
        async for piece in self._inner:
            if self._count == 0:
                piece = piece.removeprefix(BOM)
            self._count += len(piece)
            if self._count > self._most:
                raise ModelFault("model_flood", mb=self._most // MB)
            self._tail = (self._tail + piece)[-TAIL:]
            *whole, line = (line + piece).split(b"\n")
            if whole:
                yield b"".join(each + b"\n" for each in whole if each.strip() != EMPTY)
        yield line

    async def aclose(self) -> None:
        """Let the connection go."""
        await self._inner.aclose()

    @property
    def done(self) -> bool:
        """Whether the stream said its end."""
        return bool(DONE.search(self._tail))

    @property
    def error(self) -> str:
        """What an ``error:`` field of the stream said, as JSON text; empty when there is none."""
        found = ERROR.search(self._tail)
        return found[1].decode(errors="replace") if found else ""


async def watch(response: httpx2.Response) -> None:
    """Put a `Body` around a response's bytes; an event hook of the HTTP client."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = Body(response.stream)
        response.extensions[KEY] = response.stream


def of(response: httpx2.Response) -> Body:
    """Return what was put around a response."""
    body: Body = response.extensions[KEY]
    return body
