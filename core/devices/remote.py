"""Ask the MCP server for a phone: the console's and the runner's way to frames and touches.

It speaks the loopback API of ``mcp_server/phone_api.py``; errors come back as the leaves they
were. One connection a call: on the loopback that costs less than keeping one per thread.
"""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

from core.devices.finding import Finding
from core.devices.frames import View
from core.errors import ConsoleError, McpUnreachable, from_wire
from core.steps.hands import Stop
from core.steps.lines import Asked, Ended, StepLine, from_line

SECRET_HEADER = "X-Phonedeck-Secret"
ANSWER_S = 40.0
LIVE_S = 20.0
BEAT_S = 0.4  # a run of steps says at least this often that it goes on
SILENT_S = 20.0  # a run of steps that says nothing for so long is lost
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Info:
    """What is on a phone now; the size is the screen's, in pixels, and fps the live view's.

    ``source`` says where the live view's pictures come from, ``missing`` which better source
    failed lately.
    """

    package: str
    activity: str
    fps: float
    source: str
    missing: str
    width: int
    height: int
    rotation: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A screen as a model reads it; ``advice`` says what to do about a state that is not ok."""

    text: str
    state: str
    advice: str


class RemotePhones:
    """The phones of one MCP server; safe for threads."""

    def __init__(self, port: int, secret: str, timeout_s: float = ANSWER_S) -> None:
        self.port = port
        self.secret = secret
        self.timeout_s = timeout_s

    def health(self) -> dict[str, Any]:
        """Ask whether the server is up.

        Raises:
            McpUnreachable: It is not.
        """
        return self._json("GET", "/phones/health")

    def screenshot(self, serial: str, longest: int | None = None) -> bytes:
        """Take a picture as JPEG."""
        query = f"?{urlencode({'max': longest})}" if longest else ""
        with self._request("GET", f"{_path(serial)}/screenshot{query}") as response:
            return response.read()

    def info(self, serial: str) -> Info:
        """Ask what is in front, and how the live view does."""
        answer = self._json("GET", f"{_path(serial)}/info")
        return Info(**{name: answer[name] for name in Info.__slots__})

    def app_version(self, serial: str, package: str) -> str:
        """Ask which version of an app is installed; empty when the phone does not tell."""
        path = f"{_path(serial)}/apps/{quote(package, safe='')}"
        return str(self._json("GET", path)["version"])

    def observe(self, serial: str, owner: str = "") -> Seen:
        """Read the screen; its numbers are what ``owner`` may name in `input` from now on."""
        answer = self._json("GET", f"{_path(serial)}/observe?{urlencode({'owner': owner})}")
        return Seen(**{name: answer[name] for name in Seen.__slots__})

    def input(self, serial: str, act: Mapping[str, Any]) -> dict[str, Any]:
        """Touch the phone; ``act`` has ``type``, its fields, and the lease's owner and fence.

        A tap or a long press with ``element`` or ``text`` goes to that element, and ``said`` of
        the answer tells what came of it. With ``record`` it holds the ``step`` that does the same.
        """
        return self._json("POST", f"{_path(serial)}/input", act)

    def elements(self, serial: str) -> dict[str, Any]:
        """List what is on the screen, each with its bounds and the selectors that find it."""
        return self._json("GET", f"{_path(serial)}/elements")

    def steps(
        self, serial: str, asked: Asked, owner: str, fence: int, stop: Stop | None = None
    ) -> Iterator[StepLine]:
        """Have steps carried out on a phone, under a lease, and tell each as it ends.

        Args:
            serial: Which phone.
            asked: What is to be done.
            owner: Whose lease it is.
            fence: The lease's fence.
            stop: Ends the run within a second once it is set; so does closing the iterator.

        Yields:
            What happens; the last is an `Ended`.

        Raises:
            Invalid: The steps do not fit; nothing was done.
            LeaseLost: The phone is somebody else's.
            McpUnreachable: The server is gone; nobody knows what became of the step that began.
        """
        path = f"{_path(serial)}/steps"
        body = {**asdict(asked), "owner": owner, "fence": fence}
        with self._request("POST", path, body, SILENT_S) as response:
            while line := response.readline():
                if line.strip():
                    told = from_line(json.loads(line))
                    yield told
                    if isinstance(told, Ended):
                        return
                if stop is not None and stop.is_set():
                    yield Ended("stopped", {})
                    return
        raise McpUnreachable(url=f"http://127.0.0.1:{self.port}")

    def connect(self, address: str) -> str:
        """Connect to a phone on the network and return its serial."""
        return str(self._json("POST", "/phones/connect", {"address": address})["serial"])

    def pair(self, address: str, code: str) -> None:
        """Pair with a phone by the code that it shows under Wireless debugging."""
        self._json("POST", "/phones/pair", {"address": address, "code": code})

    def reconnect(self, serial: str) -> str:
        """Open the link to a phone anew and return its serial."""
        return str(self._json("POST", f"{_path(serial)}/reconnect", {})["serial"])

    def forget(self, serial: str) -> None:
        """Let go of a phone and of all that is kept for it."""
        self._json("POST", f"{_path(serial)}/forget", {})

    def doctor(self, serial: str) -> list[Finding]:
        """Ask what hampers a phone that is ready."""
        found = self._json("GET", f"{_path(serial)}/doctor")["findings"]
        return [Finding(each["code"], each["details"]) for each in found]

    @contextmanager
    def live(
        self, serial: str, wanted: View | None = None
    ) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Open the live view.

        Args:
            serial: Which phone.
            wanted: How many frames a second, how large, and in which language notices are.

        Yields:
            The content type with its boundary, and the stream's bytes; the stream goes on until
            the phone's view is closed, so a reader ends it by leaving the block.
        """
        asked = wanted or View()
        query = {"fps": asked.fps, "max": asked.longest, "lang": asked.lang or ""}
        path = f"{_path(serial)}/live?{urlencode(query)}"
        with self._request("GET", path, None, LIVE_S) as response:
            kind = response.getheader("Content-Type") or "multipart/x-mixed-replace"
            yield kind, _chunks(response)

    def _json(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        with self._request(method, path, body) as response:
            return cast(dict[str, Any], json.loads(response.read()))

    @contextmanager
    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=timeout_s or self.timeout_s
        )
        headers = {SECRET_HEADER: self.secret, "Content-Type": "application/json"}
        try:
            with self._reached():
                connection.request(method, path, json.dumps(body) if body else None, headers)
                response = connection.getresponse()
            if response.status != 200:
                raise self._refusal(response)
            with self._reached():
                yield response
        finally:
            connection.close()

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            raise McpUnreachable(url=f"http://127.0.0.1:{self.port}") from error

    def _refusal(self, response: http.client.HTTPResponse) -> ConsoleError:
        try:
            return from_wire(json.loads(response.read())["error"])
        except (ValueError, KeyError, TypeError):
            return McpUnreachable(url=f"http://127.0.0.1:{self.port} ({response.status})")


def _path(serial: str) -> str:
    return f"/phones/{quote(serial, safe='')}"


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while chunk := response.read1(CHUNK):
        yield chunk
