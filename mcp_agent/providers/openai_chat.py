"""The provider ``openai``: our own loop around any model that speaks chat completions.

One HTTP client a process for an API base and key, since making one costs more than a request.
What a server turned out not to take (``stream_options``, pictures) is left out from then on.
"""

import logging
import queue
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from openai import AsyncOpenAI, BadRequestError, DefaultAsyncHttpxClient
from openai.types.chat import ChatCompletionChunk

from core.errors import ModelFault, ModelUnset
from core.runs.events import Notice, ProviderEvent, TurnResult
from core.settings import AgentSettings
from core.words import Lang, phrase
from mcp_agent import loop_thread
from mcp_agent import messages as chat
from mcp_agent.abort import Abort
from mcp_agent.agent import Agent
from mcp_agent.budget import Budget, Metered
from mcp_agent.guards import Cap
from mcp_agent.local_tools import LocalContext, LocalTools
from mcp_agent.mcp_client import McpClient
from mcp_agent.model import Message, ModelEvent, ToolSpec
from mcp_agent.modes import MODES
from mcp_agent.providers import openai_body, openai_errors
from mcp_agent.providers.base import PROVIDERS, AgentQuery, Health, ProviderCaps, QueryInput
from mcp_agent.providers.local import LocalQuery
from mcp_agent.providers.openai_chunks import Answer

logger = logging.getLogger(__name__)

TIMEOUT = httpx2.Timeout(120, connect=10)
CHECK_S = 20.0
RETRY_DELAYS_S = (0.5, 2.0)
MAX_DELAY_S = 30.0
RETRIED = ("model_rate", "model_down", "model_unreachable", "model_empty")
#: Pieces of an answer, then an error or whether the stream said its end.
Arrived = queue.SimpleQueue[ChatCompletionChunk | Exception | bool]
NO_KEY = "none"  # the client insists on a key; servers of one's own often have none

_clients: dict[tuple[str, str], AsyncOpenAI] = {}
_dialects: dict[tuple[str, str], "Dialect"] = {}


@dataclass
class Dialect:
    """What a server was found to take and to want."""

    stream_options: bool = True
    pictures: bool = True
    reasoning_back: bool = False


@PROVIDERS.register("openai")
class OpenAIProvider:
    """Our loop with a model of the configured address."""

    name = "openai"
    caps = ProviderCaps(injects_mid_turn=True, text_deltas=True, images_in=True)

    def check(self, settings: AgentSettings) -> Health:
        """Ask for one token."""
        begun = time.monotonic()
        try:
            _need_model(settings)
            loop_thread.call(Abort(), CHECK_S, _ping, settings)
        except ModelUnset as error:
            return Health(False, self.name, error=error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer says it
            fault = openai_errors.translate(
                error, settings.agent_api_base, settings.agent_api_key, started=False
            )
            return Health(False, self.name, settings.agent_model, error=fault)
        ms = round((time.monotonic() - begun) * 1000)
        return Health(True, self.name, settings.agent_model, ms)

    def query(self, query: QueryInput) -> AgentQuery:
        """Prepare a turn of the loop."""
        return LocalQuery(query, _think)

    def is_session_invalid(self, result: TurnResult) -> bool:
        """Say no: the messages are the session, and we keep them ourselves."""
        return False

    def should_rotate(self, continuation: str) -> str | None:
        """Say no: there is nothing to replace."""
        return None

    def close(self) -> None:
        """Let the kept connections go."""
        kept = list(_clients.values())
        _clients.clear()
        for client in kept:
            loop_thread.call(Abort(), CHECK_S, client.close)


def _think(query: LocalQuery, tools: McpClient) -> Iterator[ProviderEvent]:
    """Run the loop of one query."""
    asked = query.query
    _need_model(asked.settings)
    mode = MODES.get(asked.mode)
    call_tool = Cap(tools.call, mode.most_calls) if mode.most_calls else tools.call
    context = LocalContext(asked.prompt, asked.serial, asked.lang, call_tool)
    local = LocalTools(mode.local_tools, context)
    budget = _budget(asked)
    model = ChatModel(asked.settings, query.stop, asked.lang, asked.model)
    model.max_tokens = mode.max_output_tokens
    agent = Agent(
        model=Metered(model, budget),
        tools=(*tools.tools(), *local.specs()),
        tool_calls=query.tool_calls(tools, local),
        follow_ups=query.take,
        abort=query.stop,
        budget=budget,
        lang=asked.lang,
        ended=lambda: local.ended,
    )
    history = asked.history if mode.history else ()
    opening = chat.opening(mode.system(asked.lang, asked.system), history, asked.prompt)
    for event in agent.run_stream(opening):
        yield replace(event, extra=local.payload) if isinstance(event, TurnResult) else event


def _budget(asked: QueryInput) -> Budget:
    chosen = asked.settings
    return Budget(
        asked.max_steps,
        chosen.agent_budget_tokens,
        chosen.agent_budget_cost,
        chosen.agent_budget_minutes,
    )


class ChatModel:
    """A model behind ``/chat/completions``, for one run."""

    def __init__(
        self,
        settings: AgentSettings,
        abort: Abort,
        lang: Lang,
        model: str | None = None,
        delays_s: Sequence[float] = RETRY_DELAYS_S,
        timeout: httpx2.Timeout = TIMEOUT,
    ) -> None:
        self.settings = settings
        self.abort = abort
        self.lang = lang
        self.model = model or settings.agent_model
        self.delays_s = delays_s
        self.timeout = timeout
        self.max_tokens: int | None = None
        self.dialect = _dialects.setdefault((settings.agent_api_base, self.model), Dialect())

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[ModelEvent]:
        """Ask the model; see `mcp_agent.model.Model`."""
        failures = 0
        while True:
            answer = Answer([tool.name for tool in tools])
            try:
                done = yield from self._chunks(self._request(messages, tools), answer)
                if not self.abort.is_set():
                    yield from answer.end(done)
                    if answer.empty:
                        raise ModelFault("model_empty")
                return
            except openai_errors.FAULTS as error:
                fault = self._translated(error, answer.started)
                if answer.started or self.abort.is_set():
                    raise fault from error
                if self._learn(error, messages):
                    if not self.dialect.pictures and any(map(chat.has_picture, messages)):
                        yield Notice("no_vision", phrase("notice.no_vision", self.lang))
                    continue
                failures += 1
                notice = self._patience(fault, error, failures)
                if notice is None:
                    raise fault from error
            yield notice
            if self.abort.wait(notice.delay_s):
                return

    def _chunks(self, request: dict[str, Any], answer: Answer) -> Generator[ModelEvent, None, bool]:
        """Take the answer in as it comes; the loop's thread reads it, so a stop cuts it off.

        Returns:
            Whether the stream said its end.
        """
        arrived: Arrived = queue.SimpleQueue()
        client = _client(self.settings).with_options(timeout=self.timeout)
        reading = loop_thread.portal().start_task_soon(_read, client, request, arrived)

        def stop() -> None:
            reading.cancel()
            arrived.put(False)

        try:
            with self.abort.calling(stop):
                while not isinstance(piece := arrived.get(), bool):
                    if isinstance(piece, Exception):
                        raise piece
                    yield from answer.add(piece)
                return piece
        finally:
            reading.cancel()

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [self._outgoing(message) for message in messages],
        }
        if tools:
            request["tools"] = [_function(tool) for tool in tools]
        if self.max_tokens:
            request["max_tokens"] = self.max_tokens
        if self.dialect.stream_options:
            request["stream_options"] = {"include_usage": True}
        return request

    def _outgoing(self, message: Message) -> Message:
        sees = self.settings.agent_vision != "off" and self.dialect.pictures
        if chat.has_picture(message) and not sees:
            return {"role": message["role"], "content": chat.NO_PICTURE}
        if chat.REASONING in message and not self.dialect.reasoning_back:
            return {key: value for key, value in message.items() if key != chat.REASONING}
        return message

    def _learn(self, error: Exception, messages: Sequence[Message]) -> bool:
        """Adapt to what the server refused; True when asking again makes sense."""
        dialect = self.dialect
        if not openai_errors.refuses_request(error) or openai_errors.too_large(error):
            return False
        if openai_errors.blames(error, chat.REASONING) and not dialect.reasoning_back:
            dialect.reasoning_back = True
        elif self._shows_pictures(messages) and openai_errors.dislikes_pictures(error):
            dialect.pictures = False
        elif dialect.stream_options:  # many gateways refuse it without naming it
            dialect.stream_options = False
        else:
            return False
        logger.warning("%s: %s; asking again", self.model, openai_errors.said(error))
        return True

    def _shows_pictures(self, messages: Sequence[Message]) -> bool:
        may_learn = self.settings.agent_vision == "auto" and self.dialect.pictures
        return may_learn and any(map(chat.has_picture, messages))

    def _patience(self, fault: ModelFault, error: Exception, failures: int) -> Notice | None:
        if fault.code not in RETRIED or failures > len(self.delays_s):
            return None
        delay_s = openai_errors.retry_after_s(error) or self.delays_s[failures - 1]
        if delay_s > MAX_DELAY_S:
            return None
        reason = fault.words(self.lang).message
        text = phrase("notice.model_retry", self.lang, reason=reason, delay_s=f"{delay_s:g}")
        return Notice("model_retry", text, will_retry=True, attempt=failures, delay_s=delay_s)

    def _translated(self, error: Exception, started: bool) -> ModelFault:
        settings = self.settings
        return openai_errors.translate(
            error, settings.agent_api_base, settings.agent_api_key, started
        )


async def _read(client: AsyncOpenAI, request: dict[str, Any], arrived: Arrived) -> None:
    """Read one answer; the last thing that arrives is an error, or whether it said its end."""
    try:
        async with await client.chat.completions.create(**request, stream=True) as stream:
            kind = stream.response.headers.get("content-type", "")
            if "html" in kind:  # a web page is there, so the address lacks its /v1, or is wrong
                raise ModelFault("model_not_found", detail=f"content-type {kind}")
            if "json" in kind:  # it took no notice of "stream"
                await stream.response.aread()
                arrived.put(_as_chunk(stream.response.json()))
                arrived.put(True)
                return
            async for chunk in stream:
                arrived.put(chunk)
            body = openai_body.of(stream.response)
            if body.error:
                raise openai_errors.in_stream(body.error)
        arrived.put(body.done)
    except Exception as error:  # noqa: BLE001 - raised again by the thread that waits for it
        arrived.put(error)


def _as_chunk(whole: dict[str, Any]) -> ChatCompletionChunk:
    """Give an answer that came whole the form of one that is streamed."""
    choices = [
        {**choice, "delta": choice.get("message") or {}} for choice in whole.get("choices") or ()
    ]
    return ChatCompletionChunk.construct(**{**whole, "choices": choices})


async def _ping(settings: AgentSettings) -> None:
    client = _client(settings).with_options(timeout=CHECK_S - 2)
    request: dict[str, Any] = {
        "model": settings.agent_model,
        "messages": [{"role": "user", "content": "ping"}],
    }
    try:
        answer = await client.chat.completions.create(**request, max_tokens=1)
    except BadRequestError as error:
        if not openai_errors.blames(error, "max_tokens"):
            raise
        answer = await client.chat.completions.create(**request, max_completion_tokens=16)
    if not getattr(answer, "choices", None):  # a web page, for example, arrives as a string
        raise ModelFault("model_not_found", detail="no model answers there")


def _client(settings: AgentSettings) -> AsyncOpenAI:
    key = (settings.agent_api_base, settings.agent_api_key)
    if key not in _clients:
        _clients[key] = AsyncOpenAI(
            api_key=settings.agent_api_key or NO_KEY,
            base_url=settings.agent_api_base,
            max_retries=0,  # ours are announced, the client's are not
            http_client=DefaultAsyncHttpxClient(
                timeout=TIMEOUT, event_hooks={"response": [openai_body.watch]}
            ),
        )
    return _clients[key]


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _need_model(settings: AgentSettings) -> None:
    if not settings.agent_model:
        raise ModelUnset
