"""Keep one HTTP client for the model, and read one answer with it.

Making a client costs more than a request, so it is kept until the address or the key changes
and its last answer was read. It lives on the loop's thread; whoever waits does so in their own.
"""

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import openai
from openai import AsyncOpenAI, DefaultAsyncHttpx2Client
from openai.types.chat import ChatCompletionChunk

from core.errors import ModelFault
from core.settings import AgentSettings
from mcp_agent import loop_thread
from mcp_agent.abort import Abort
from mcp_agent.providers.openai_bytes import guard, told_its_end

NO_KEY = "none"  # the client insists on a key; servers of one's own often have none
CLOSE_S = 5.0
AHEAD = 512  # pieces that may be read before anybody takes them
AHEAD_S = 0.01
PLAIN = {"Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how much of an answer is waited for.

    ``silence_s`` counts anew with each piece, ``answer_s`` for the whole; ``retries_s`` are the
    delays before another attempt, and a server that asks for more than ``longest_s`` is left.
    """

    connect_s: float = 10.0
    silence_s: float = 120.0
    answer_s: float = 600.0
    max_bytes: int = 32_000_000
    retries_s: tuple[float, ...] = (0.5, 2.0)
    longest_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Whole:
    """The end of an answer; ``told`` when the server itself said that it is one."""

    told: bool


Piece = ChatCompletionChunk | Whole
_Arrived = queue.SimpleQueue[Piece | Exception | None]


class Clients:
    """The client in use, and older ones until their last answer was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: _Kept | None = None

    @contextmanager
    def use(self, settings: AgentSettings, patience: Patience) -> Iterator[AsyncOpenAI]:
        """Lend the client of an address and key."""
        key = (settings.agent_api_base, settings.agent_api_key, patience)
        with self._lock:
            if self._newest is None or self._newest.key != key:
                before, self._newest = self._newest, _Kept(key, _client(*key))
                if before is not None and not before.users:
                    before.close()
            kept = self._newest
            kept.users += 1
        try:
            yield kept.client
        finally:
            with self._lock:
                kept.users -= 1
                if kept is not self._newest and not kept.users:
                    kept.close()

    def close(self) -> None:
        """Close the client, or have its last user close it."""
        with self._lock:
            kept, self._newest = self._newest, None
            if kept is not None and not kept.users:
                loop_thread.call(Abort(), CLOSE_S, kept.client.close)


@dataclass
class _Kept:
    key: tuple[str, str, Patience]
    client: AsyncOpenAI
    users: int = 0

    def close(self) -> None:
        loop_thread.portal().start_task_soon(self.client.close)


def pieces(
    client: AsyncOpenAI, request: dict[str, Any], patience: Patience, abort: Abort
) -> Iterator[Piece]:
    """Yield an answer as it comes, `Whole` last; ends early when a stop was said.

    Raises:
        ModelFault: It came too slowly, too big or in another form.
        openai.OpenAIError: The client's errors; httpx2's and ValueError as they come.
    """
    arrived: _Arrived = queue.SimpleQueue()
    reading = loop_thread.portal().start_task_soon(_read, client, request, arrived)

    def stop() -> None:
        reading.cancel()
        arrived.put(None)

    until = time.monotonic() + patience.answer_s
    try:
        with abort.calling(stop):
            while (piece := _next(arrived, patience.silence_s, until)) is not None:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
    finally:
        reading.cancel()


def _next(arrived: _Arrived, silence_s: float, until: float) -> Piece | Exception | None:
    left_s = min(silence_s, until - time.monotonic())
    try:
        return arrived.get(timeout=max(left_s, 0))
    except queue.Empty:
        raise ModelFault("model_timeout") from None


async def _read(client: AsyncOpenAI, request: dict[str, Any], arrived: _Arrived) -> None:
    try:
        async with await client.chat.completions.create(**request, stream=True) as stream:
            kind = stream.response.headers.get("content-type", "")
            if "html" in kind:  # a web page is there: the address lacks its /v1, or a proxy fails
                raise ModelFault("model_unreadable", detail=f"content-type {kind}")
            if "json" in kind:  # the server does not stream
                arrived.put(await _unstreamed(stream.response))
            else:
                async for chunk in stream:
                    arrived.put(chunk)
                    while arrived.qsize() > AHEAD:
                        await anyio.sleep(AHEAD_S)
            arrived.put(Whole(told_its_end(stream.response)))
        arrived.put(None)
    except Exception as error:  # noqa: BLE001 - raised again by the thread that waits for it
        arrived.put(error)


async def _unstreamed(response: httpx2.Response) -> ChatCompletionChunk:
    """Read an answer that came as one piece of JSON."""
    await response.aread()
    body = response.json()
    if not isinstance(body, dict) or not body.get("choices"):
        inner = body.get("error", body) if isinstance(body, dict) else body
        raise openai.APIError("no answer", response.request, body=inner)
    return ChatCompletionChunk.construct(**body)


def _client(base: str, key: str, patience: Patience) -> AsyncOpenAI:
    async def watch(response: httpx2.Response) -> None:
        guard(response, patience.max_bytes)

    timeout = httpx2.Timeout(patience.silence_s, connect=patience.connect_s)
    return AsyncOpenAI(
        api_key=key or NO_KEY,
        base_url=base,
        max_retries=0,  # ours are announced, the client's are not
        timeout=timeout,
        default_headers=PLAIN,
        http_client=DefaultAsyncHttpx2Client(timeout=timeout, event_hooks={"response": [watch]}),
    )


#: The process's one.
CLIENTS = Clients()
