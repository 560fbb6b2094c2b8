"""Find out about a configured model: whether it is there, and what it can do.

`check` spends no tokens. `examine` asks for everything that a run needs (an answer, a tool call,
what is in a picture) and writes what it found into the model's profile.
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from typing import Any

from openai import AsyncOpenAI
from PIL import Image, ImageDraw, ImageFont

from core.errors import ConsoleError, ModelFault, ModelUnset
from core.model_profiles import ModelProfile, ProfileBook
from core.runs.events import Picture, ReasoningDelta, TextDelta, Usage
from core.settings import AgentSettings
from core.words import Lang, phrase
from mcp_agent import loop_thread
from mcp_agent import messages as chat
from mcp_agent.abort import Abort
from mcp_agent.model import Message, ModelEvent, ToolCall, ToolSpec
from mcp_agent.providers import openai_errors
from mcp_agent.providers.base import Finding, Health
from mcp_agent.providers.openai_client import CLIENTS, Patience
from mcp_agent.providers.openai_model import ChatModel

CHECK_S = 12.0
PROBE = Patience(silence_s=60, answer_s=90, max_bytes=4_000_000, retries_s=(1.0,), longest_s=5)
#: A server that says this of its list of models may well have one that answers.
NO_LIST = (400, 403, 404, 405, 406, 415, 422, 501)
HELLO = "Reply with the single word: ready"
NOTE = ToolSpec(
    "note_word",
    "Note a word down.",
    {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word"}},
        "required": ["word"],
    },
)
NOTE_ASKED = "Call the tool note_word with the word {word}. Do not answer in text."
FORCED = {"tool_choice": {"type": "function", "function": {"name": NOTE.name}}}
LOOK_ASKED = "Which number is written in the picture? Reply with its digits only."
DIGITS = 4
PICTURE_SIZE = (480, 240)
DIGIT_PX, DIGIT_STEP, DIGIT_AT = 120, 96, (48, 50)


def need_model(settings: AgentSettings) -> None:
    """Say that there is nothing to ask.

    Raises:
        ModelUnset: No model is configured.
    """
    if not settings.agent_model:
        raise ModelUnset


def check(settings: AgentSettings, deadline_s: float = CHECK_S) -> Health:
    """Say whether a model answers at the address, without asking it anything.

    A server that lists no models is not failed for that: its address and, where it tells, its
    key are right, and that is all that can be known without tokens.
    """
    begun = time.monotonic()
    try:
        need_model(settings)
        with CLIENTS.use(settings, PROBE) as client:
            loop_thread.call(Abort(), deadline_s, _list_models, client)
    except ModelUnset as error:
        return Health(False, "openai", error=error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer says it
        if openai_errors.status_of(error) not in NO_LIST:
            fault = openai_errors.translate(
                error, settings.agent_api_base, settings.agent_api_key, arrived=False
            )
            return Health(False, "openai", settings.agent_model, error=fault)
    return Health(True, "openai", settings.agent_model, _ms_since(begun))


async def _list_models(client: AsyncOpenAI) -> None:
    answer = await client.models.with_raw_response.list()
    if "html" in answer.headers.get("content-type", ""):
        raise ModelFault("model_unreadable", detail="content-type text/html")


def examine(settings: AgentSettings, lang: Lang) -> Health:
    """Try the model out; what was found is kept in its profile."""
    begun = time.monotonic()
    try:
        need_model(settings)
    except ModelUnset as unset:
        return Health(False, "openai", error=unset)
    trial = _Trial(replace(settings, profiles=ProfileBook()), lang)
    error = trial.answers() or trial.calls_a_tool()
    if trial.has_answered:
        trial.takes_tool_choice()
        trial.sees()
        _keep(settings, trial.profile)
    return Health(
        ok=error is None,
        provider="openai",
        model=settings.agent_model,
        ms=trial.ms or _ms_since(begun),
        error=error,
        findings=tuple(trial.findings),
    )


def _keep(settings: AgentSettings, found: ModelProfile) -> None:
    """Write a profile down, but for what a person chose; nothing found out stays unsaid."""
    facts = {name: getattr(found, name) for name in ModelProfile.__dataclass_fields__}
    del facts["pictures_kept"]
    settings.profiles.learn(settings.agent_api_base, settings.agent_model, **facts)


@dataclass
class _Trial:
    """The requests of one examination, and what they showed."""

    settings: AgentSettings
    lang: Lang
    findings: list[Finding] = field(default_factory=list)
    ms: int = 0
    has_answered: bool = False

    @property
    def profile(self) -> ModelProfile:
        """What is known by now."""
        return self._book.get(self.settings.agent_api_base, self.settings.agent_model)

    @property
    def _book(self) -> ProfileBook:
        return self.settings.profiles

    def answers(self) -> ConsoleError | None:
        """Ask for a word; tells of usage and reasoning as well."""
        begun = time.monotonic()
        events = self._ask([_said(HELLO)])
        if isinstance(events, ConsoleError):
            self._found("answers", False, events.words(self.lang).message)
            return events
        self.ms, self.has_answered = _ms_since(begun), True
        self._found("answers", True, _text(events)[:80])
        usage = [event for event in events if isinstance(event, Usage)]
        self._found("usage", bool(usage), *([] if usage else [self._say("usage.none")]))
        thinks = any(isinstance(event, ReasoningDelta) for event in events)
        field_name = self.profile.reasoning_field if thinks else self._say("reasoning.none")
        self._found("reasoning", thinks, field_name)
        return None

    def calls_a_tool(self) -> ConsoleError | None:
        """Ask for a tool call with a word that cannot be guessed."""
        word = f"w{secrets.randbelow(10**6):06d}"
        events = self._ask([_said(NOTE_ASKED.format(word=word))], (NOTE,))
        if isinstance(events, ConsoleError):
            self._found("tools", False, events.words(self.lang).message)
            return events
        called = [e for e in events if isinstance(e, ToolCall) and e.arguments == {"word": word}]
        self._learn(tools=bool(called))
        if called:
            self._found("tools", True)
            return None
        self._found("tools", False, self._say("tools.none"))
        return ModelFault("model_no_tools", detail=_text(events)[:80])

    def takes_tool_choice(self) -> None:
        """Tell it which tool to call, though nothing in the words asks for one."""
        events = self._ask([_said(HELLO)], (NOTE,), FORCED)
        if isinstance(events, ConsoleError):
            takes, detail = False, events.words(self.lang).message
        else:
            takes, detail = any(isinstance(event, ToolCall) for event in events), ""
        self._learn(tool_choice=takes)
        self._found("tool_choice", takes, detail)

    def sees(self) -> None:
        """Show a number that cannot be guessed."""
        if self.settings.agent_vision == "off":
            self._found("vision", None, self._say("vision.off"))
            return
        number = str(secrets.randbelow(9 * 10 ** (DIGITS - 1)) + 10 ** (DIGITS - 1))
        messages = [_said(LOOK_ASKED)]
        chat.show_pictures(messages, [Picture(number_picture(number))])
        events = self._ask(messages)
        if isinstance(events, ConsoleError):
            self._found("vision", None, events.words(self.lang).message)
            return
        seen = number in "".join(_text(events).split())
        self._learn(vision=seen)
        self._found("vision", seen, "" if seen else self._say("vision.none"))

    def _ask(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> list[ModelEvent] | ConsoleError:
        model = ChatModel(self.settings, Abort(), self.lang, patience=PROBE, extra=extra)
        try:
            return list(model.stream(messages, tools))
        except ModelFault as error:
            return error

    def _learn(self, **found: bool) -> None:
        self._book.learn(self.settings.agent_api_base, self.settings.agent_model, **found)

    def _found(self, name: str, ok: bool | None, detail: str = "") -> None:
        self.findings.append(Finding(name, ok, detail))

    def _say(self, key: str) -> str:
        return phrase(f"finding.{key}", self.lang)


def number_picture(digits: str) -> bytes:
    """Draw digits large and black on white, each in a place of its own; as JPEG."""
    picture = Image.new("RGB", PICTURE_SIZE, "white")
    draw = ImageDraw.Draw(picture)
    left, top = DIGIT_AT
    for at, digit in enumerate(digits):
        draw.text((left + at * DIGIT_STEP, top), digit, fill="black", font=_font())
    data = BytesIO()
    picture.save(data, "JPEG", quality=90)
    return data.getvalue()


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=DIGIT_PX)


def _said(text: str) -> Message:
    return {"role": "user", "content": text}


def _text(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta)).strip()


def _ms_since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
