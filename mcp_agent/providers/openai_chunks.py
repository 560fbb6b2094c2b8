"""Put an answer together: text as it comes, tool calls only when all of it is there.

A call's pieces are told apart by id first and by ``index`` second: several servers number every
parallel call 0, others leave out the one or the other. A stream that ends without a
``finish_reason`` broke off, though the client raises nothing.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from core.errors import ModelFault
from core.ids import short_id
from core.runs.events import Notice, ReasoningDelta, TextDelta, Usage
from core.words import Lang, phrase
from mcp_agent.model import ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers.openai_text_calls import TextDoor

REASONING_FIELDS = ("reasoning_content", "reasoning")
BAD_JSON = "The arguments were not a JSON object ({error}); call again with valid JSON."
#: Ends that are none, though the server calls them so.
FAILED = {
    "content_filter": "model_filtered",
    "sensitive": "model_filtered",
    "error": "model_down",
    "network_error": "model_down",
    "insufficient_system_resource": "model_busy",
    "abort": "model_cut",
    "malformed_function_call": "model_cut",
}
TOO_LONG = ("length", "max_tokens")
#: No answer, and no reasoning, has more characters; a server that sends more has lost its way.
MOST_CHARS = 200_000


@dataclass
class _Call:
    id: str = ""
    index: int | None = None
    name: str = ""
    arguments: str = ""

    def complete(self) -> bool:
        """Say whether the arguments are whole, so that more pieces belong to another call."""
        try:
            return isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False


class Answer:
    """One answer while it arrives; ``tools`` are those that it may call."""

    def __init__(self, tools: Sequence[ToolSpec], lang: Lang) -> None:
        self.lang = lang
        self.arrived = False
        self.shown = False
        self.reasoning_field = ""
        self._room = {"text": MOST_CHARS, "reasoning": MOST_CHARS}
        self.usage: Usage | None = None
        self._finish = ""
        self._calls = _Calls()
        self._door = TextDoor(tools)

    def add(self, chunk: ChatCompletionChunk) -> Iterator[ModelEvent]:
        """Take in a piece, and yield what can be shown of it already."""
        if chunk.usage is not None:
            usage = usage_of(chunk.usage)
            if self.usage is None or usage.all_tokens >= self.usage.all_tokens:
                self.usage = usage
        for choice in chunk.choices or ():
            delta = choice.delta or self._unstreamed(choice)
            self.arrived = True
            self._finish = choice.finish_reason or self._finish
            if delta is not None:
                yield from self._delta(delta)

    def end(self, told: bool) -> Iterator[ModelEvent]:
        """Yield usage, the rest of the text and the tool calls of the whole answer.

        Args:
            told: The server said that this is the end, be it without a reason.

        Raises:
            ModelFault: It broke off or failed, so nothing of it is carried out.
        """
        if self.usage is not None:
            yield self.usage
        if self._finish in FAILED:
            raise ModelFault(FAILED[self._finish], detail=self._finish)
        if not self._finish and (not told or self._calls.calls):
            raise ModelFault("model_cut")
        rest, written = self._door.end()
        if rest:
            yield self._show(rest)
        if self._finish in TOO_LONG and (self._calls.calls or written or not self.shown):
            raise ModelFault("model_length")
        calls = [_tool_call(call) for call in self._calls.whole()]
        calls = calls or [ToolCall(_new_id(), name, given) for name, given in written]
        if not calls and not self.shown:
            raise ModelFault("model_empty")
        yield from self._remarks()
        yield from calls

    def _remarks(self) -> Iterator[Notice]:
        if self._finish in TOO_LONG:
            yield Notice("model_length", phrase("notice.model_length", self.lang))
        if self._door.failed:
            yield Notice("text_call", phrase("notice.text_call", self.lang))

    def _unstreamed(self, choice: Choice) -> ChoiceDelta | None:
        """Take a whole message for a delta, as a server sends it that does not stream."""
        message = (choice.model_extra or {}).get("message")
        if self.arrived or not isinstance(message, dict):
            return None
        return ChoiceDelta.construct(**message)

    def _delta(self, delta: ChoiceDelta) -> Iterator[ModelEvent]:
        for name in REASONING_FIELDS:
            thought = getattr(delta, name, None)
            if isinstance(thought, str) and thought:
                self.reasoning_field = name
                self._take_room("reasoning", thought)
                yield ReasoningDelta(thought)
                break
        text = _text(delta.content) or _text(delta.refusal)
        self._take_room("text", text)
        if text and (ready := self._door.add(text)):
            yield self._show(ready)
        for piece in delta.tool_calls or ():
            self._calls.merge(piece.id, piece.index, piece.function)
        if delta.function_call is not None:  # the form before tool_calls
            self._calls.merge(None, 0, delta.function_call)

    def _take_room(self, kind: str, piece: str) -> None:
        """Count what is said.

        Raises:
            ModelFault: It is more than any answer; what follows is not read.
        """
        self._room[kind] -= len(piece)
        if self._room[kind] < 0:
            raise ModelFault("model_flood", mb=f"{MOST_CHARS / 1_000_000:g}")

    def _show(self, text: str) -> TextDelta:
        self.shown = self.shown or bool(text.strip())
        return TextDelta(text)


@dataclass
class _Calls:
    """The calls in the order in which they began."""

    calls: list[_Call] = field(default_factory=list)

    def merge(self, call_id: str | None, index: int | None, function: Any) -> None:
        """Add a piece to the call that it belongs to."""
        name = getattr(function, "name", None) or ""
        arguments = getattr(function, "arguments", None) or ""
        call = self._find(call_id or "", index, name)
        if call is None:
            call = _Call(index=index)
            self.calls.append(call)
        call.id = call.id or call_id or ""
        call.name = call.name or name
        # some servers give the object itself
        call.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def whole(self) -> list[_Call]:
        """Give the calls, each with an id of its own."""
        taken = set[str]()
        for call in self.calls:
            if not call.id or call.id in taken:
                call.id = _new_id()
            taken.add(call.id)
        return self.calls

    def _find(self, call_id: str, index: int | None, name: str) -> _Call | None:
        here = (None, index)
        same_place = [each for each in self.calls if index is None or each.index in here]
        latest = same_place[-1] if same_place else None
        if call_id:
            named = [each for each in same_place if each.id == call_id]
            if named:
                return named[-1]
            if latest is not None and (not name or not (latest.id or latest.name)):
                return latest  # the id came late, or is made up anew with each piece
            return None
        if latest is not None and name and latest.name and _another(latest, name):
            return None
        return latest


def usage_of(usage: Any) -> Usage:
    """Read tokens, in whichever vendor's words."""
    extra: dict[str, Any] = usage.model_extra or {}
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or extra.get("prompt_cache_hit_tokens")
    cost = extra.get("cost")  # OpenRouter's, in US dollars
    known = isinstance(cost, float | int) and not isinstance(cost, bool)
    return Usage(
        input=_count(usage.prompt_tokens or extra.get("input_tokens")),
        output=_count(usage.completion_tokens or extra.get("output_tokens")),
        total=usage.total_tokens if isinstance(usage.total_tokens, int) else None,
        cache_read=_count(cached),
        cost=cost if known else None,
        currency="USD" if known else "",
    )


def _another(call: _Call, name: str) -> bool:
    """Say whether a piece with a name begins another call, where nothing else tells."""
    return call.complete() or (name != call.name and not call.arguments)


def _tool_call(call: _Call) -> ToolCall:
    try:
        arguments = json.loads(call.arguments or "{}")
        if isinstance(arguments, str):  # JSON packed into JSON
            arguments = json.loads(arguments or "{}")
    except ValueError as error:
        return ToolCall(call.id, call.name, {}, BAD_JSON.format(error=error))
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        problem = BAD_JSON.format(error=f"it was a {type(arguments).__name__}")
        return ToolCall(call.id, call.name, {}, problem)
    return ToolCall(call.id, call.name, arguments)


def _new_id() -> str:
    return f"call_{short_id()}"


def _text(content: Any) -> str:
    """Read text that may come as a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(tokens: Any) -> int:
    return max(int(tokens), 0) if isinstance(tokens, int | float) else 0
