"""A real chat-completions server for tests, whose model is a policy.

A policy is a function of the request alone: it reads the messages and says what the model
answers. So nothing makes a result true by itself, and the request log counts the calls::

    with PolicyModel(lambda request: Reply(content="Hello.")) as model:
        ...  # point a provider at model.url
    assert len(model.requests) == 1

Replies stream as SSE, text in small pieces and parallel tool calls interleaved, as vendors do.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Request = dict[str, Any]
PIECE = 7  # characters of a streamed piece


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes; ``raw`` replaces the JSON of the arguments."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    raw: str | None = None


@dataclass(frozen=True)
class Reply:
    """What the model answers, and how it misbehaves."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    usage: dict[str, Any] | None = None
    reasoning_field: str = "reasoning_content"
    cut: bool = False  # the connection ends before the finish_reason
    trickle_s: float = 0  # waits before each piece
    hang_s: float = 0  # says nothing for so long, not even headers


@dataclass(frozen=True)
class Refusal:
    """An HTTP error instead of an answer."""

    status: int
    message: str = "refused"
    param: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    html: bool = False


Policy = Callable[[Request], Reply | Refusal]
#: Lists the models for a key.
Listing = Callable[[str], list[str] | Refusal]


def lists_nothing(key: str) -> Refusal:
    """Be a gateway that has no list of models."""
    return Refusal(404)


class PolicyModel:
    """The server; ``requests`` holds every body it was sent, oldest first, ``bodies`` its bytes."""

    def __init__(self, policy: Policy, listing: Listing = lists_nothing) -> None:
        self.policy = policy
        self.listing = listing
        self.requests: list[Request] = []
        self.bodies: list[bytes] = []
        self.keys: list[str] = []
        self.asked = threading.Event()  # set by each request
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """The API base to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join(timeout=5)
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model: PolicyModel = self.server.model  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        model.bodies.append(body)
        model.requests.append(request)
        model.keys.append(self._key())
        model.asked.set()
        reply = model.policy(request)
        if isinstance(reply, Refusal):
            return self._refuse(reply)
        if reply.hang_s:
            model.closing.wait(reply.hang_s)
        if not request.get("stream"):
            return self._whole(reply)
        return self._stream(request, reply)

    def do_GET(self) -> None:
        model: PolicyModel = self.server.model  # type: ignore[attr-defined]
        listed = model.listing(self._key())
        if isinstance(listed, Refusal):
            return self._refuse(listed)
        models = [{"id": name, "object": "model"} for name in listed]
        self._json({"object": "list", "data": models})
        return None

    def _key(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def log_message(self, *_: object) -> None:
        """Keep quiet; tests read ``requests``."""

    def _refuse(self, refusal: Refusal) -> None:
        error = {"message": refusal.message, "param": refusal.param, "type": "test"}
        body = refusal.message.encode() if refusal.html else json.dumps({"error": error}).encode()
        kind = "text/html" if refusal.html else "application/json"
        self._head(refusal.status, kind, (*refusal.headers, ("Content-Length", str(len(body)))))
        self.wfile.write(body)

    def _whole(self, reply: Reply) -> None:
        message = {"role": "assistant", "content": reply.content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._json({**_chunk(), "object": "chat.completion", "choices": [choice]})

    def _json(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self._head(200, "application/json", (("Content-Length", str(len(body))),))
        self.wfile.write(body)

    def _stream(self, request: Request, reply: Reply) -> None:
        self._head(200, "text/event-stream", (("Connection", "close"),))
        self.close_connection = True
        try:
            for chunk in _chunks(request, reply):
                if reply.trickle_s:
                    time.sleep(reply.trickle_s)
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.flush()
            if not reply.cut:
                self.wfile.write(b"data: [DONE]\n\n")
        except OSError:  # the client hung up, as it may
            return

    def _head(self, status: int, kind: str, headers: tuple[tuple[str, str], ...]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()


def last_user(request: Request) -> str:
    """Return the text of the last thing a person said."""
    said = [m["content"] for m in request["messages"] if m["role"] == "user"]
    texts = [content for content in said if isinstance(content, str)]
    return texts[-1] if texts else ""


def tool_texts(request: Request) -> list[str]:
    """Return what the tools answered so far."""
    return [str(m["content"]) for m in request["messages"] if m["role"] == "tool"]


def _chunks(request: Request, reply: Reply) -> Iterator[dict[str, Any]]:
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(reply.reasoning):
        yield _chunk({reply.reasoning_field: piece})
    for piece in _pieces(reply.content):
        yield _chunk({"content": piece})
    pieces = list(_call_chunks(reply.calls))
    if reply.cut:
        yield from pieces[: max(1, len(pieces) // 2)]
        return
    yield from pieces
    yield _chunk({}, finish="tool_calls" if reply.calls else "stop")
    if request.get("stream_options", {}).get("include_usage"):
        yield {**_chunk(), "choices": [], "usage": reply.usage or _usage(request, reply)}


def _call_chunks(calls: tuple[Call, ...]) -> Iterator[dict[str, Any]]:
    """Announce all calls first, then send their arguments in turns."""
    rest: list[list[str]] = []
    for index, call in enumerate(calls):
        function = {"name": call.name, "arguments": ""}
        head = {"index": index, "id": f"call_{index}_{call.name}", "type": "function"}
        yield _chunk({"tool_calls": [{**head, "function": function}]})
        text = json.dumps(call.arguments) if call.raw is None else call.raw
        rest.append(list(_pieces(text)))
    while any(rest):
        for index, pieces in enumerate(rest):
            if pieces:
                part = {"index": index, "function": {"arguments": pieces.pop(0)}}
                yield _chunk({"tool_calls": [part]})


def _chunk(delta: dict[str, Any] | None = None, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "policy",
        "choices": [] if delta is None else [choice],
    }


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _usage(request: Request, reply: Reply) -> dict[str, Any]:
    prompt = len(json.dumps(request["messages"])) // 4
    answer = (len(reply.content) + len(reply.reasoning)) // 4 + 8 * len(reply.calls)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
    }
