"""Watch over the bytes of an answer before the client reads them.

They are counted, since a server may send without end, and a stream's lines are brought into the
form the client knows: real gateways put a mark before the first line, send ``data:`` with
nothing behind it as a sign of life, and errors as a field of their own.
"""

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from core.errors import ModelFault

GUARD = "phonedeck.guard"  # where `guard` leaves itself in the response's extensions
BOM = b"\xef\xbb\xbf"
NOTHING = (b"", b'""')
MB = 1_000_000
LINE_BYTES = 4 * MB


class GuardedStream(httpx2.AsyncByteStream):
    """An answer's body; ``done`` says that a stream told its own end."""

    def __init__(self, inner: httpx2.AsyncByteStream, max_bytes: int, is_stream: bool) -> None:
        self.done = False
        self._inner = inner
        self._left = max_bytes
        self._max = max_bytes
        self._is_stream = is_stream
        self._begun = False
        self._rest = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body.

        Raises:
            ModelFault: It is longer than any answer.
        """
        async for piece in self._inner:
            self._left -= len(piece)
            if self._left < 0 or len(self._rest) > LINE_BYTES:
                raise ModelFault("model_flood", mb=f"{(self._max - self._left) / MB:.1f}")
            if ready := self._whole_lines(piece) if self._is_stream else piece:
                yield ready
        if self._rest:
            yield self._line(self._rest)
            self._rest = b""

    async def aclose(self) -> None:
        """Let the connection go."""
        await self._inner.aclose()

    def _whole_lines(self, piece: bytes) -> bytes:
        """Keep what is not a whole line for later; a CR may be half of a line's end."""
        if b"\n" not in piece and b"\r" not in piece:
            self._rest += piece
            return b""
        lines = (self._rest + piece).splitlines(keepends=True)
        whole = lines[-1].endswith(b"\n")
        self._rest = b"" if whole else lines.pop()
        return b"".join(map(self._line, lines))

    def _line(self, line: bytes) -> bytes:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(BOM)
        field, _, value = line.partition(b":")
        value = value.strip()
        if field == b"data":
            self.done = self.done or value.startswith(b"[DONE]")
            return b"" if value in NOTHING else line
        if field == b"error":  # llama.cpp
            return b'data: {"error": ' + value + b"}\n"
        return line


def guard(response: httpx2.Response, max_bytes: int) -> None:
    """Put a guard around a response's body.

    Raises:
        ModelFault: It is packed though nobody asked for that, so its size cannot be known.
    """
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise ModelFault("model_unreadable", detail=f"content-encoding {packed}")
    kind = response.headers.get("content-type", "")
    is_stream = response.is_success and not any(other in kind for other in ("json", "html"))
    body = cast(httpx2.AsyncByteStream, response.stream)
    response.stream = GuardedStream(body, max_bytes, is_stream)
    response.extensions[GUARD] = response.stream


def told_its_end(response: httpx2.Response) -> bool:
    """Say whether a guarded stream ended with ``[DONE]``."""
    stream = response.extensions.get(GUARD)
    return isinstance(stream, GuardedStream) and stream.done
