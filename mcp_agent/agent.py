"""The loop: ask the model, carry out what it asks for, until it answers.

It knows no vendor, no HTTP and no database: a model, the tools and the follow-ups are handed in.
Something new "each turn" is a wrapper around one of those, not a branch here.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from core.errors import ModelFault
from core.runs.events import (
    Activity,
    Consumed,
    Notice,
    Picture,
    ProviderEvent,
    ReasoningDelta,
    TextDelta,
    TextSegment,
    TurnResult,
)
from core.words import Lang
from mcp_agent import messages as chat
from mcp_agent import prompts
from mcp_agent.abort import Abort
from mcp_agent.budget import Budget
from mcp_agent.model import Message, Model, ToolCall, ToolSpec
from mcp_agent.providers.base import Attachment
from mcp_agent.tool_calls import ToolCalls


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Something a person added while the run was going on."""

    input_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


#: Hands over what was added since the last call; ``True`` says that without any, the turn ends.
TakeFollowUps = Callable[[bool], Sequence[FollowUp]]


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer of the model."""

    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Agent:
    """The loop with everything it needs.

    ``ended`` says with which words a tool has ended the run, if one has.
    """

    model: Model
    tools: Sequence[ToolSpec]
    tool_calls: ToolCalls
    follow_ups: TakeFollowUps
    abort: Abort
    budget: Budget
    lang: Lang
    ended: Callable[[], str | None] = lambda: None
    pictures_kept: int = 1

    def run_stream(self, messages: list[Message]) -> Iterator[ProviderEvent]:
        """Yield what happens until the model answers, a stop is said or the steps are used up.

        Raises:
            ModelFault: The model gave no answer.
        """
        for step in count(1):
            limit = self.budget.over(step, self.lang)
            if limit is not None:
                yield from self._sum_up(messages, limit)
                return
            yield from self._take_in(messages, self.follow_ups(False))
            yield Activity(turn=step)
            reply = yield from self._ask(messages, self.tools)
            if self.abort.is_set():
                yield TurnResult("aborted", reply.text)
                return
            messages.append(chat.assistant(reply.text, reply.calls, reply.reasoning))
            if reply.calls:
                yield from self._carry_out(reply, messages)
                ended = self.ended()
                if ended is not None:
                    yield TurnResult("ok", ended)
                    return
                continue
            added = self.follow_ups(True)
            if not added:
                yield TurnResult("ok", reply.text)
                return
            yield TextSegment(reply.text)
            yield from self._take_in(messages, added)

    def _ask(
        self, messages: list[Message], tools: Sequence[ToolSpec]
    ) -> Generator[ProviderEvent, None, Reply]:
        text, reasoning, calls = [], [], list[ToolCall]()
        if not self.abort.is_set():
            for event in self.model.stream(messages, tools):
                match event:
                    case ToolCall():
                        calls.append(event)
                        continue
                    case TextDelta(piece):
                        text.append(piece)
                    case ReasoningDelta(piece):
                        reasoning.append(piece)
                    case _:
                        pass
                yield event
        reply = Reply("".join(text), "".join(reasoning), tuple(calls))
        if not (reply.text.strip() or reply.calls or self.abort.is_set()):
            raise ModelFault("model_empty")
        return reply

    def _carry_out(self, reply: Reply, messages: list[Message]) -> Iterator[ProviderEvent]:
        if reply.text.strip():
            yield TextSegment(reply.text)
        pictures: list[Picture] = []
        for call in reply.calls:
            if self.abort.is_set():
                return
            outcome = yield from self.tool_calls.carry_out(call)
            messages.append(chat.tool_result(call, outcome))
            pictures.extend(outcome.pictures)
        # tool messages must directly follow the call, so pictures wait for one user message
        chat.show_pictures(messages, pictures, self.pictures_kept)

    def _take_in(
        self, messages: list[Message], added: Sequence[FollowUp]
    ) -> Iterator[ProviderEvent]:
        if added:
            messages.extend(chat.said(each.text, each.attachments) for each in added)
            yield Consumed(tuple(each.input_id for each in added))

    def _sum_up(self, messages: list[Message], limit: Notice) -> Iterator[ProviderEvent]:
        yield limit
        yield from self._take_in(messages, self.follow_ups(False))
        messages.append({"role": "user", "content": prompts.SUMMARY[self.lang]})
        try:
            reply = yield from self._ask(messages, ())
        except ModelFault:  # what was done stays done: the limit is the answer then
            yield TurnResult("ok", limit.message)
            return
        yield TurnResult("aborted" if self.abort.is_set() else "ok", reply.text or limit.message)
