"""The stream to uiautomator2's server on a phone, kept open from call to call.

Whoever asks learns whether the request was sent before the stream broke: only one that was not
may be sent again.
"""

import http.client
import socket
import time

from core.devices.adb import Link
from core.errors import DeviceLost, DeviceSlow

HEADERS = {
    "User-Agent": "phonedeck",
    "Accept-Encoding": "",  # the server's gzip leaks (NanoHttpd#492)
    "Content-Type": "application/json",
}


class Stream:
    """HTTP to one port of a phone; a stream that broke is opened anew by the next request."""

    def __init__(self, link: Link, port: int) -> None:
        self.link = link
        self.port = port
        self._http: _Http | None = None
        self._used = 0.0

    @property
    def quiet_s(self) -> float:
        """How long ago the last answer came."""
        return time.monotonic() - self._used

    def request(self, verb: str, path: str, body: bytes | None, timeout_s: float) -> bytes:
        """Send a request and return the whole answer.

        Raises:
            DeviceSlow: It did not come in time.
            DeviceLost: The stream broke, with ``sent`` in its details; without it the phone
                itself is gone.
        """
        deadline = time.monotonic() + timeout_s
        connection = self._connection(timeout_s)
        try:
            connection.set_timeout(timeout_s)
            connection.request(verb, path, body, HEADERS)
            answer = connection.answer(deadline)
        except TimeoutError as error:
            self.hang_up()
            raise DeviceSlow(serial=self.link.serial, timeout_s=f"{timeout_s:g}") from error
        except (OSError, http.client.HTTPException) as error:
            self.hang_up()
            reason = f"The stream to its uiautomator2 server broke: {error}."
            raise self._broken(reason, sent=body is not None) from error
        self._used = time.monotonic()
        self.link.silent = 0
        return answer

    def hang_up(self) -> None:
        """Close the stream, if there is one."""
        if self._http is not None:
            self._http.close()
            self._http = None

    def _connection(self, timeout_s: float) -> "_Http":
        if self._http is None or self._http.sock is None:
            try:
                stream = self.link.open(f"tcp:{self.port}", timeout_s)
            except DeviceLost as error:
                # adb says "closed" when nobody listens there; else the phone itself is gone
                if "closed" not in str(error).lower():
                    raise
                raise self._broken("Its uiautomator2 server does not run.", sent=False) from error
            self._http = _Http(stream, self.port)
        return self._http

    def _broken(self, reason: str, *, sent: bool) -> DeviceLost:
        """Say that the server's stream broke, the phone's own link being another matter."""
        return DeviceLost(serial=self.link.serial, detail=reason, sent=sent)


class _Http(http.client.HTTPConnection):
    """HTTP over a stream that adb opened; it never opens another by itself."""

    auto_open = 0

    def __init__(self, stream: socket.socket, port: int) -> None:
        super().__init__("localhost", port)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = stream

    def set_timeout(self, timeout_s: float) -> None:
        self.sock.settimeout(timeout_s)

    def answer(self, deadline: float) -> bytes:
        """Read the whole answer; a trickle does not extend the deadline."""
        stream = self.sock  # http.client lets go of it when the answer says close
        response = self.getresponse()
        content = bytearray()
        while chunk := response.read1(1 << 18):
            content += chunk
            stream.settimeout(max(0.001, deadline - time.monotonic()))
        response.close()  # tells http.client that the stream is free for the next request
        if response.status != 200:
            raise http.client.HTTPException(f"status {response.status}")
        return bytes(content)
