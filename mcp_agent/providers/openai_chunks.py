"""Put a streamed answer together: text as it comes, tool calls only when all of it is there.

Tool calls arrive in pieces. A new id begins a new call, whatever the index says: several servers
send index 0 for all of them. A stream that ends without a ``finish_reason`` and without its
``[DONE]`` broke off, though the client raises nothing.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from core.errors import ModelFault
from core.ids import short_id
from core.runs.events import ReasoningDelta, TextDelta, Usage
from mcp_agent.model import ModelEvent, ToolCall
from mcp_agent.providers.text_calls import TextCalls

REASONING_FIELDS = ("reasoning_content", "reasoning")
BAD_JSON = "The arguments were not a JSON object ({error}); call again with valid JSON."
FILTERED = ("content_filter", "sensitive")
BROKEN = ("error", "network_error")


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""
    index: int | None = None

    def is_whole(self) -> bool:
        """Say whether nothing is missing, so that another name begins another call."""
        try:
            return bool(self.name) and isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False


@dataclass
class Answer:
    """One answer while it arrives; ``tools`` are the names that a call may have."""

    tools: Iterable[str] = ()
    started: bool = False
    finish: str | None = None
    usage: Usage | None = None
    calls: list[_Call] = field(default_factory=list)
    empty: bool = True
    _texts: TextCalls = field(init=False)

    def __post_init__(self) -> None:
        self._texts = TextCalls(frozenset(self.tools))

    def add(self, chunk: ChatCompletionChunk) -> Iterator[ModelEvent]:
        """Take in a piece, and yield what can be shown of it already."""
        if chunk.usage is not None:
            self.usage = _usage(chunk.usage)
        for choice in chunk.choices or ():
            self.finish = choice.finish_reason or self.finish
            if getattr(choice, "delta", None) is not None:
                yield from self._delta(choice.delta)

    def end(self, done: bool = False) -> Iterator[ModelEvent]:
        """Yield usage and tool calls of the whole answer; ``done`` says that ``[DONE]`` came.

        Raises:
            ModelFault: It broke off, so nothing of it is carried out.
        """
        if self.usage is not None:
            yield self.usage
        if self.finish in FILTERED:
            raise ModelFault("model_filtered", detail=self.finish)
        if self.finish in BROKEN:
            raise ModelFault("model_cut", detail=self.finish)
        whole = self.finish is not None or (done and not self.calls)
        if not whole or (self.finish == "length" and self.calls):
            raise ModelFault("model_cut")
        rest, found = self._texts.end(bool(self.calls))
        if rest:
            yield self._text(rest)
        for call in found:
            self.empty = False
            yield call
        for merged in self.calls:
            self.empty = False
            yield _tool_call(merged)

    def _delta(self, delta: ChoiceDelta) -> Iterator[ModelEvent]:
        for name in REASONING_FIELDS:
            thought = getattr(delta, name, None)
            if isinstance(thought, str) and thought:
                yield ReasoningDelta(thought)
                break
        if isinstance(delta.content, str) and delta.content:
            self.started = True
            shown = self._texts.add(delta.content)
            if shown:
                yield self._text(shown)
        for piece in delta.tool_calls or ():
            self._merge(piece)
        if delta.function_call is not None:  # the form before tools; some proxies still speak it
            call = self.calls[-1] if self.calls else self._begin(None)
            call.name = call.name or delta.function_call.name or ""
            call.arguments += _text_of(delta.function_call.arguments)

    def _text(self, text: str) -> TextDelta:
        self.empty = self.empty and not text.strip()
        return TextDelta(text)

    def _merge(self, piece: ChoiceDeltaToolCall) -> None:
        call = self._belongs_to(piece)
        call.id = call.id or str(piece.id or "")
        if piece.function is not None:
            call.name = call.name or piece.function.name or ""
            call.arguments += _text_of(piece.function.arguments)

    def _belongs_to(self, piece: ChoiceDeltaToolCall) -> _Call:
        piece_id = str(piece.id or "")
        name = piece.function.name if piece.function is not None else None
        for call in reversed(self.calls):
            if piece_id and call.id == piece_id:
                return call
            if piece.index is None or call.index == piece.index:
                another = piece_id and call.id and call.id != piece_id
                if another or (name and call.is_whole()):
                    break
                return call
        return self._begin(piece.index)

    def _begin(self, index: int | None) -> _Call:
        self.calls.append(_Call(index=index))
        return self.calls[-1]


def _text_of(arguments: Any) -> str:
    """Give a piece of arguments as text; one server sends the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


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
        input=getattr(usage, "prompt_tokens", None) or 0,
        output=getattr(usage, "completion_tokens", None) or 0,
        total=usage.total_tokens,
        cache_read=int(cached or 0),
    )
