"""Tools that do not go to the phone: carried out here, offered only in the modes that name them.

A tool is a class with a Pydantic model of its parameters, registered by its name. What it says
goes back to the model; it may also end the run, with a payload that the run's end carries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from core.registry import Registry
from core.steps.hands import Stop
from core.words import Lang
from mcp_agent.model import CallTool, ToolCall, ToolOutcome, ToolSpec
from mcp_agent.workshop import Workshop


@dataclass(frozen=True, slots=True)
class LocalContext:
    """What a local tool may know of the run that calls it; ``workshop`` is a designer's."""

    prompt: str
    serial: str | None
    lang: Lang
    call_tool: CallTool
    stop: Stop
    workshop: Workshop | None = None


@dataclass(frozen=True, slots=True)
class LocalOutcome:
    """What a local tool says; ``payload`` is kept, and ``ends`` says that the run is done."""

    text: str
    ok: bool = True
    payload: Mapping[str, Any] | None = None
    ends: bool = False


class LocalTool(Protocol):
    """One tool; a fresh object serves each run."""

    name: str
    description: str
    params: type[BaseModel]

    def run(self, params: Any, context: LocalContext) -> LocalOutcome:
        """Do it."""
        ...


LOCAL_TOOLS: Registry[type[LocalTool]] = Registry("local tool")


@dataclass
class LocalTools:
    """The local tools of one run, in front of those of the phone."""

    names: Sequence[str]
    context: LocalContext
    payload: dict[str, Any] = field(default_factory=dict)
    ended: str | None = None

    def __post_init__(self) -> None:
        self._tools = {name: LOCAL_TOOLS.get(name)() for name in self.names}

    def specs(self) -> tuple[ToolSpec, ...]:
        """Describe them to a model."""
        return tuple(
            ToolSpec(name, tool.description, tool.params.model_json_schema())
            for name, tool in self._tools.items()
        )

    def __call__(self, call: ToolCall) -> ToolOutcome:
        """Carry a local call out here, and pass every other on."""
        tool = self._tools.get(call.name)
        if tool is None:
            return self.context.call_tool(call)
        try:
            params = tool.params.model_validate(call.arguments)
        except ValidationError as error:
            return ToolOutcome("error", _said(error))
        outcome = tool.run(params, self.context)
        if outcome.payload is not None:
            self.payload = dict(outcome.payload)
        if outcome.ends:
            self.ended = outcome.text
        return ToolOutcome("ok" if outcome.ok else "error", outcome.text)


def _said(error: ValidationError) -> str:
    """Say with its path what is wrong with the arguments."""
    lines = [
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)
    ]
    return "These arguments are not right. " + "; ".join(lines)
