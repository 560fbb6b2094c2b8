"""Reach the phone's tools over MCP: one connection a run, kept open over all its calls.

A write that was sent is never sent again. When the server goes away in the middle of one, the
model is told that nobody knows whether it happened; a read is simply asked again.
"""

import base64
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolResult,
    ImageContent,
    TextContent,
    Tool,
)

from core.errors import ConsoleError, Invalid, McpRefused, McpUnreachable
from core.runs.events import Picture
from core.runs.questions import KIND_META, QUESTION_META
from core.screen.screen import SCREEN_META, TOUCH_META
from mcp_agent import loop_thread
from mcp_agent.abort import Abort
from mcp_agent.loop_thread import Held
from mcp_agent.model import ToolCall, ToolOutcome, ToolSpec, Waiting
from mcp_agent.providers.base import Http

logger = logging.getLogger(__name__)

CALL_S = 30.0
CONNECT_S = 10.0
LEAVE_S = 2.0
COMES_BACK_S = 15.0  # killed, started anew by start.sh and ready: 5 s were measured, not idle
TRY_EVERY_S = 0.25
ANSWERED = (INVALID_PARAMS, METHOD_NOT_FOUND)

T = TypeVar("T")

UNKNOWN = (
    "The connection to the MCP server broke during this call, so it is not known whether it "
    "happened. Look at the screen before you do it again."
)
TOO_SLOW = (
    "The MCP server did not answer within {seconds:.0f} s, so it is not known whether this "
    "happened. Look at the screen before you go on."
)
ABORTED = "Stopped before the answer came; it is not known whether this happened."


class McpClient:
    """The tools of one MCP server, for one run; used from one thread."""

    def __init__(self, server: Http, abort: Abort, call_s: float = CALL_S) -> None:
        self.server = server
        self.abort = abort
        self.call_s = call_s
        self._held: Held[Client] | None = None
        self._client: Client | None = None
        self._tools: tuple[ToolSpec, ...] | None = None
        self._refused = 0  # HTTP status that the server refused the last request with

    def __enter__(self) -> Self:
        self._connect()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._disconnect()

    def tools(self) -> tuple[ToolSpec, ...]:
        """List the tools that this token may use; asked once."""
        if self._tools is None:
            found = self._ask(_all_tools)
            if found is None:
                return ()
            self._tools = tuple(_spec(tool) for tool in found)
        return self._tools

    def call(self, call: ToolCall) -> ToolOutcome:
        """Call a tool and wait for it, for a stop, or for the deadline.

        Raises:
            McpUnreachable: The server is gone and did not come back.
            McpRefused: It no longer takes this token.
        """
        read_only = any(tool.name == call.name and tool.read_only for tool in self.tools())
        try:
            return self._call(call)
        except McpUnreachable:
            logger.warning("MCP server %s went away during %s", self.server.url, call.name)
            self._reconnect()
            return self._call(call) if read_only else ToolOutcome("error", UNKNOWN)

    def _call(self, call: ToolCall) -> ToolOutcome:
        try:
            result = self._ask(_call_tool, call.name, call.arguments)
        except TimeoutError:
            return ToolOutcome("error", TOO_SLOW.format(seconds=self.call_s))
        except Invalid as error:
            return ToolOutcome("error", str(error.details["detail"]))
        return ToolOutcome("aborted", ABORTED) if result is None else _outcome(result)

    def _ask(self, question: Callable[..., Awaitable[T]], *arguments: Any) -> T | None:
        if self._client is None:  # a stop came before the connection was there
            return None
        try:
            return loop_thread.call(self.abort, self.call_s, question, self._client, *arguments)
        except TimeoutError:
            raise
        except Exception as error:  # anyio wraps what broke into groups
            raise self._translated(error) from error

    def _connect(self) -> None:
        self._refused = 0
        self._held = Held(self._session())
        try:
            self._client = self._held.enter(self.abort, CONNECT_S)
        except Exception as error:  # anyio wraps what broke into groups
            raise self._translated(error) from error

    def _disconnect(self) -> None:
        held, self._held, self._client = self._held, None, None
        try:
            if held is not None:
                held.leave(LEAVE_S)
        except Exception as error:  # noqa: BLE001 - what is broken already may close in any way
            logger.info("closing the MCP connection to %s: %s", self.server.url, error)

    def _reconnect(self) -> None:
        """Open the connection anew; start.sh brings a dead server back within two seconds."""
        self._disconnect()
        until = time.monotonic() + COMES_BACK_S
        while True:
            try:
                return self._connect()
            except McpUnreachable:
                if time.monotonic() > until or self.abort.wait(TRY_EVERY_S):
                    raise

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[Client]:
        async def note(response: httpx2.Response) -> None:  # the SDK does not tell the status
            self._refused = response.status_code if response.is_error else 0

        http = httpx2.AsyncClient(
            headers=dict(self.server.headers),
            timeout=httpx2.Timeout(self.call_s + 5, connect=CONNECT_S),
            event_hooks={"response": [note]},
            trust_env=False,  # the server is ours: a proxy of the environment is not for it
        )
        async with (
            http,
            Client(streamable_http_client(self.server.url, http_client=http)) as client,
        ):
            yield client

    def _translated(self, error: Exception) -> ConsoleError:
        if self._refused in (401, 403, 421):
            return McpRefused(url=self.server.url, status=self._refused)
        if isinstance(error, MCPError) and error.code in ANSWERED:
            return Invalid(detail=error.message)
        logger.info("MCP server %s: %r", self.server.url, error)
        return McpUnreachable(url=self.server.url)


async def _call_tool(client: Client, name: str, arguments: dict[str, Any]) -> CallToolResult:
    return await client.call_tool(name, arguments)


async def _all_tools(client: Client) -> list[Tool]:
    tools: list[Tool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            return tools


def _spec(tool: Tool) -> ToolSpec:
    read_only = bool(tool.annotations and tool.annotations.read_only_hint)
    return ToolSpec(tool.name, tool.description or "", tool.input_schema, read_only)


def _outcome(result: CallToolResult) -> ToolOutcome:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    pictures = tuple(
        Picture(base64.b64decode(block.data), block.mime_type)
        for block in result.content
        if isinstance(block, ImageContent)
    )
    status: Literal["error", "ok"] = "error" if result.is_error else "ok"
    meta = result.meta or {}
    return ToolOutcome(
        status,
        "\n".join(texts),
        pictures,
        _waiting(meta),
        meta.get(SCREEN_META),
        tuple((x, y) for x, y in meta.get(TOUCH_META, ())),
    )


def _waiting(meta: Mapping[str, Any]) -> Waiting | None:
    question_id = meta.get(QUESTION_META)
    return Waiting(str(question_id), str(meta.get(KIND_META))) if question_id else None
