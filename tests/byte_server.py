"""A server that plays recorded bytes back, however odd, for tests of the model's wire.

What is played is a function of the request::

    with ByteServer(lambda path, body: Played(b"data: ...")) as server:
        ...  # point a provider at server.url
"""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

STREAM = {"content-type": "text/event-stream"}


@dataclass(frozen=True)
class Played:
    """A response; with ``keep`` only so many bytes of it are sent, head included."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: STREAM)
    keep: int | None = None
    piece: int | None = None  # so many bytes at a time
    wait_s: float = 0  # before each of those

    def whole(self) -> bytes:
        """Give the response as it goes over the wire; it ends with the connection."""
        head = [f"HTTP/1.1 {self.status} Played", "Connection: close"]
        head += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*head, "", ""]).encode() + self.body


Play = Callable[[str, dict[str, Any]], Played]


class ByteServer:
    """The server; ``requests`` holds path and body of each request."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """The address that an API base begins with."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(timeout=5)
        self._server.server_close()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        owner: ByteServer = self.server.owner  # type: ignore[attr-defined]
        path = self.rfile.readline().split()[1].decode()
        length = 0
        while line := self.rfile.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        body = json.loads(self.rfile.read(length) or b"{}")
        owner.requests.append((path, body))
        played = owner.play(path, body)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = played.whole()[: played.keep]
        size = played.piece or max(len(data), 1)
        try:
            for start in range(0, len(data), size):
                time.sleep(played.wait_s)
                self.wfile.write(data[start : start + size])
        except OSError:  # the client had enough, as it may
            return
