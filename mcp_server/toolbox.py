"""Turn methods into MCP tools: their schema, their annotations and their border.

At the border an error of ours becomes a `ToolError`, the only kind whose text reaches the model.
A tool that writes is listed only to those who may write; called all the same, it says why not.
"""

import functools
import inspect
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import WithJsonSchema

from core.errors import ConsoleError, PersonNeeded, TakenOver
from core.runs.questions import KIND_META, QUESTION_META
from core.screen.screen import SCREEN_META, TOUCH_META
from mcp_server.access import Access
from mcp_server.consent import CALL, Call
from mcp_server.sight import LED_TO, TOUCHED

logger = logging.getLogger(__name__)


def _hints(*, read_only: bool, destructive: bool, idempotent: bool, outside: bool) -> Any:
    return ToolAnnotations(
        read_only_hint=read_only,
        destructive_hint=destructive,
        idempotent_hint=idempotent,
        open_world_hint=outside,
    )


#: Looks and changes nothing.
READ = _hints(read_only=True, destructive=False, idempotent=True, outside=False)
#: Does whatever the app does then: one tap can send, pay or delete.
TOUCH = _hints(read_only=False, destructive=True, idempotent=False, outside=True)
#: Goes somewhere; nothing is lost by it, and twice is as once.
VISIT = _hints(read_only=False, destructive=False, idempotent=True, outside=True)
#: Ends something; what was not saved is lost.
CLOSE = _hints(read_only=False, destructive=True, idempotent=True, outside=False)
#: Sets something of the phone that can be set back.
SET = _hints(read_only=False, destructive=False, idempotent=True, outside=False)


def optional(kind: str, description: str, **schema: Any) -> Any:
    """Describe a parameter that may be left out or be null.

    The plain schema of ``X | None`` costs a model three times the tokens.
    """
    return WithJsonSchema({"type": kind, "description": description, **schema})


Serial = Annotated[
    str | None, optional("string", "Which device; not needed when only one is yours")
]


@dataclass(frozen=True, slots=True)
class Spec:
    """One tool.

    ``renamed`` maps names of the schema that Python reserves to parameters; ``runs_only`` says
    that it is offered to runs and not to other programs.
    """

    method: Callable[..., Any]
    title: str
    annotations: ToolAnnotations
    renamed: dict[str, str] = field(default_factory=dict)
    runs_only: bool = False

    @property
    def name(self) -> str:
        """Give the tool's name, which is the method's."""
        return str(self.method.__name__)

    @property
    def writes(self) -> bool:
        """Say whether it touches the phone."""
        return not self.annotations.read_only_hint


class Server(MCPServer[Any]):
    """An MCP server that lists to each caller what that caller may use."""

    def __init__(self, access: Access, **settings: Any) -> None:
        self.access = access
        self.writing: set[str] = set()
        self.runs_only: set[str] = set()
        super().__init__("phonedeck", token_verifier=access, **settings)

    def offer(self, *specs: Spec) -> None:
        """Add tools.

        Raises:
            ValueError: A name is taken; the SDK would only warn and keep the first.
        """
        for spec in specs:
            if self._tool_manager.get_tool(spec.name) is not None:
                raise ValueError(f"tool {spec.name} is there already")
            if spec.writes:
                self.writing.add(spec.name)
            if spec.runs_only:
                self.runs_only.add(spec.name)
            self.add_tool(
                _bordered(spec),
                title=spec.title,
                description=inspect.getdoc(spec.method),
                annotations=spec.annotations,
                structured_output=False,
            )

    async def list_tools(self) -> list[Tool]:
        """List the tools that the caller may use."""
        caller = self.access.caller()
        hidden = set() if caller.can_write else set(self.writing)
        if caller.run_id is None:
            hidden |= self.runs_only
        return [tool for tool in await super().list_tools() if tool.name not in hidden]


def _bordered(spec: Spec) -> Callable[..., Any]:
    @functools.wraps(spec.method)
    def call(**arguments: Any) -> Any:
        began = time.monotonic()
        for wire, parameter in spec.renamed.items():
            if wire in arguments:
                arguments[parameter] = arguments.pop(wire)
        outcome = "failed"
        serving = CALL.set(Call(spec.name, arguments))
        led_to, touched = LED_TO.set(None), TOUCHED.set(())
        try:
            result = _with_notes(spec.method(**arguments))
            outcome = "ok"
        except PersonNeeded as error:
            outcome = error.code
            result = asking(error)
        except ConsoleError as error:
            outcome = error.code
            raise ToolError(str(error)) from error
        finally:
            CALL.reset(serving)
            LED_TO.reset(led_to)
            TOUCHED.reset(touched)
            ms = (time.monotonic() - began) * 1000
            logger.info("%s: %s, %.0f ms", spec.name, outcome, ms)
        return result

    return call


def _with_notes(result: Any) -> Any:
    """Have an act's answer tell a program where it touched and which screen it led to.

    The model does not see these notes.
    """
    led_to, touched = LED_TO.get(), TOUCHED.get()
    if led_to is None or not isinstance(result, str):
        return result
    notes: dict[str, Any] = {SCREEN_META: led_to}
    if touched:
        notes[TOUCH_META] = [list(spot) for spot in touched]
    return CallToolResult(content=[TextContent(type="text", text=result)], _meta=notes)


def asking(error: PersonNeeded) -> CallToolResult:
    """Give the result of a call that waits for a person; it names the question to our own loop."""
    return waiting(
        error.details["question_id"], error.kind, str(error), isinstance(error, TakenOver)
    )


def waiting(question_id: str, kind: str, text: str, is_error: bool = False) -> CallToolResult:
    """Give a result that names a question which must be answered first."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=is_error,
        _meta={QUESTION_META: question_id, KIND_META: kind},
    )
