"""Put a streamed answer together: text as it comes, tool calls only when all of it is there.

Tool calls arrive in pieces that interleave: ``index`` says which call a piece belongs to. A
stream that ends without a ``finish_reason`` broke off, though the client raises nothing.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from core.errors import ModelFault
from core.ids import short_id
from core.runs.events import ReasoningDelta, TextDelta, Usage
from mcp_agent.model import ModelEvent, ToolCall

REASONING_FIELDS = ("reasoning_content", "reasoning")
BAD_JSON = "The arguments were not a JSON object ({error}); call again with valid JSON."


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Answer:
    """One answer while it arrives."""

    started: bool = False
    finish: str | None = None
    usage: Usage | None = None
    calls: dict[int, _Call] = field(default_factory=dict)

    def add(self, chunk: ChatCompletionChunk) -> Iterator[ModelEvent]:
        """Take in a piece, and yield what can be shown of it already."""
        if chunk.usage is not None:
            self.usage = _usage(chunk.usage)
        for choice in chunk.choices or ():
            self.finish = choice.finish_reason or self.finish
            if choice.delta is not None:
                yield from self._delta(choice.delta)

    def end(self) -> Iterator[ModelEvent]:
        """Yield usage and tool calls of the whole answer.

        Raises:
            ModelFault: It broke off, so nothing of it is carried out.
        """
        if self.usage is not None:
            yield self.usage
        if self.finish is None or (self.finish == "length" and self.calls):
            raise ModelFault("model_cut")
        if self.finish == "content_filter":
            raise ModelFault("model_rejected", detail="content_filter")
        for index in sorted(self.calls):
            yield _tool_call(self.calls[index])

    def _delta(self, delta: ChoiceDelta) -> Iterator[ModelEvent]:
        for name in REASONING_FIELDS:
            thought = getattr(delta, name, None)
            if isinstance(thought, str) and thought:
                self.started = True
                yield ReasoningDelta(thought)
                break
        if delta.content:
            self.started = True
            yield TextDelta(delta.content)
        for piece in delta.tool_calls or ():
            self._merge(piece)

    def _merge(self, piece: ChoiceDeltaToolCall) -> None:
        call = self.calls.setdefault(piece.index or 0, _Call())
        call.id = call.id or piece.id or ""
        if piece.function is not None:
            call.name = call.name or piece.function.name or ""
            call.arguments += piece.function.arguments or ""


def _tool_call(call: _Call) -> ToolCall:
    call_id = call.id or f"call_{short_id()}"
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError as error:
        return ToolCall(call_id, call.name, {}, BAD_JSON.format(error=error))
    if not isinstance(arguments, dict):
        problem = BAD_JSON.format(error=f"it was a {type(arguments).__name__}")
        return ToolCall(call_id, call.name, {}, problem)
    return ToolCall(call_id, call.name, arguments)


def _usage(usage: Any) -> Usage:
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    if not cached:  # DeepSeek's own field
        cached = (usage.model_extra or {}).get("prompt_cache_hit_tokens")
    return Usage(
        input=usage.prompt_tokens or 0,
        output=usage.completion_tokens or 0,
        total=usage.total_tokens,
        cache_read=int(cached or 0),
    )
