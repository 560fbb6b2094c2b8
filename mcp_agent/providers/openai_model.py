"""A model behind ``/chat/completions``, for one run: asked, asked again, and got to know.

What a server does not take (``stream_options``, pictures) is left out when it refuses; only once
the request without it was answered does the model's profile say so, for good.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from core.errors import ModelFault
from core.model_profiles import ModelProfile
from core.runs.events import Notice, Usage
from core.runs.usage import cost
from core.settings import AgentSettings
from core.words import Lang, phrase
from mcp_agent import messages as chat
from mcp_agent.abort import Abort
from mcp_agent.model import Message, ModelEvent, ToolSpec
from mcp_agent.providers import openai_errors
from mcp_agent.providers.openai_chunks import REASONING_FIELDS, Answer
from mcp_agent.providers.openai_client import CLIENTS, Patience, Whole, pieces

logger = logging.getLogger(__name__)

PATIENCE = Patience()


class ChatModel:
    """A model of the configured address; ``extra`` goes into every request as it is."""

    def __init__(
        self,
        settings: AgentSettings,
        abort: Abort,
        lang: Lang,
        model: str | None = None,
        patience: Patience = PATIENCE,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings
        self.abort = abort
        self.lang = lang
        self.model = model or settings.agent_model
        self.patience = patience
        self.extra = dict(extra or {})
        self.profile = settings.profiles.get(settings.agent_api_base, self.model)
        self._trial = self.profile
        self._told_blind = False

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[ModelEvent]:
        """Ask the model; see `mcp_agent.model.Model`."""
        self._trial = self.profile
        failures = 0
        while True:
            yield from self._say_blind(messages)
            answer = Answer(tools, self.lang)
            try:
                yield from self._once(messages, tools, answer)
                return
            except openai_errors.FAULTS as error:
                fault = self._translated(error, answer.arrived)
                if answer.shown or self.abort.is_set():
                    raise fault from error
                if self._adapt(error, messages):
                    continue
                failures += 1
                notice = self._patience(fault, error, failures)
                if notice is None:
                    raise fault from error
            yield notice
            if self.abort.wait(notice.delay_s):
                return

    def _once(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], answer: Answer
    ) -> Iterator[ModelEvent]:
        request = self._request(messages, tools)
        with CLIENTS.use(self.settings, self.patience) as client:
            for piece in pieces(client, request, self.patience, self.abort):
                events = answer.end(piece.told) if isinstance(piece, Whole) else answer.add(piece)
                for event in events:
                    yield self._priced(event) if isinstance(event, Usage) else event
        if not self.abort.is_set():
            self._remember(answer)

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": self._outgoing(messages),
            **self.extra,
        }
        if tools:
            request["tools"] = [_function(tool) for tool in tools]
        if self._trial.usage is not False:
            request["stream_options"] = {"include_usage": True}
        return request

    def _outgoing(self, messages: Sequence[Message]) -> list[Message]:
        """Give the messages as this model takes them; those that were there are the same again."""
        most = self._trial.pictures_max
        over = sum(map(chat.pictures_in, messages)) - most if most else 0
        sent = []
        for message in messages:
            if chat.has_picture(message) and (over > 0 or not self._sees):
                note = chat.OLD_PICTURE if self._sees else chat.NO_PICTURE
                over -= chat.pictures_in(message)
                message = chat.blinded(message, note)
            if chat.REASONING in message:
                message = self._with_reasoning(message)
            sent.append(message)
        return sent

    def _with_reasoning(self, message: Message) -> Message:
        bare = {key: value for key, value in message.items() if key != chat.REASONING}
        if not self._trial.reasoning_back:
            return bare
        return {**bare, self._trial.reasoning_field or chat.REASONING: message[chat.REASONING]}

    @property
    def _sees(self) -> bool:
        wish = self.settings.agent_vision
        return wish == "on" or (wish == "auto" and self._trial.vision is not False)

    def _say_blind(self, messages: Sequence[Message]) -> Iterator[Notice]:
        """Tell once that the model gets no pictures, unless a person wanted it so."""
        if self._told_blind or self._sees or self.settings.agent_vision == "off":
            return
        if any(map(chat.has_picture, messages)):
            self._told_blind = True
            yield Notice("no_vision", phrase("notice.no_vision", self.lang))

    def _adapt(self, error: Exception, messages: Sequence[Message]) -> bool:
        """Leave out what the server refused; True when asking again makes sense."""
        if "max_tokens" in self.extra and openai_errors.blames(error, "max_tokens"):
            self.extra["max_completion_tokens"] = self.extra.pop("max_tokens")
            return True
        change = self._change(error, sum(map(chat.pictures_in, messages)))
        if change:
            logger.warning(
                "%s: %s; asking again with %s", self.model, openai_errors.said(error), change
            )
            self._trial = replace(self._trial, **change)
        return bool(change)

    def _change(self, error: Exception, pictures: int) -> dict[str, Any]:
        trial, form = self._trial, openai_errors.refuses_form(error)
        may_blind = bool(pictures) and self.settings.agent_vision == "auto" and self._sees
        most = openai_errors.pictures_max(error) or pictures
        if form and not trial.reasoning_back:
            for name in REASONING_FIELDS:
                if openai_errors.blames(error, name):
                    return {"reasoning_back": True, "reasoning_field": name}
        if 0 < most < min(pictures, trial.pictures_max or pictures):
            return {"pictures_max": most}
        if may_blind and openai_errors.dislikes_pictures(error):
            return {"vision": False}
        if form and trial.usage is None:  # many gateways refuse it without naming it
            return {"usage": False}
        if form and may_blind and trial.vision is None:
            return {"vision": False}
        return {}

    def _remember(self, answer: Answer) -> None:
        """Keep what this answer taught, now that it is there."""
        known = self._trial
        if known.usage is None and answer.usage is not None:
            known = replace(known, usage=True)
        if answer.reasoning_field and not known.reasoning_field:
            known = replace(known, reasoning_field=answer.reasoning_field)
        if known != self.profile:
            self.profile = self._learn(known)

    def _learn(self, known: ModelProfile) -> ModelProfile:
        before = asdict(self.profile)
        found = {key: value for key, value in asdict(known).items() if before[key] != value}
        return self.settings.profiles.learn(self.settings.agent_api_base, self.model, **found)

    def _priced(self, usage: Usage) -> Usage:
        price = self.settings.agent_prices.get(self.model)
        if price is None:
            return usage
        return replace(usage, cost=cost(usage, price), currency=price.currency)

    def _patience(self, fault: ModelFault, error: Exception, failures: int) -> Notice | None:
        delays_s = self.patience.retries_s
        if fault.code not in openai_errors.RETRIED or failures > len(delays_s):
            return None
        delay_s = openai_errors.retry_after_s(error) or delays_s[failures - 1]
        if delay_s > self.patience.longest_s:
            return None
        reason = fault.words(self.lang).message
        text = phrase("notice.model_retry", self.lang, reason=reason, delay_s=f"{delay_s:.3g}")
        return Notice("model_retry", text, will_retry=True, attempt=failures, delay_s=delay_s)

    def _translated(self, error: Exception, arrived: bool) -> ModelFault:
        settings = self.settings
        return openai_errors.translate(
            error, settings.agent_api_base, settings.agent_api_key, arrived
        )


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}
