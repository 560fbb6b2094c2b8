"""Ask the model a plain question beside the runs: no tools, no thinking, one text back.

Thinking is turned off since some models spend the whole answer on it and then say nothing; a
server that does not take the switch is asked without it, and that is remembered.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import ModelFault, ModelUnset
from core.runs.events import TextDelta
from core.settings import AgentSettings
from core.words import Lang
from mcp_agent.abort import Abort
from mcp_agent.providers.openai_model import ChatModel

LONG, LATE, STOPPED = "long", "late", "stopped"  # why an answer is not read any further
UNTHINKING = {"extra_body": {"thinking": {"type": "disabled"}}}


@dataclass(frozen=True, slots=True)
class Most:
    """How much of an answer is waited for, and how long: all attempts at it together."""

    tokens: int = 1_500
    chars: int = 20_000  # more is no answer to any question of ours
    limit_s: float = 150.0


MOST = Most()


def ask(
    settings: AgentSettings,
    lang: Lang,
    system: str,
    said: str,
    most: Most = MOST,
    stop: Abort | None = None,
) -> str:
    """Return the model's answer; empty when it says nothing.

    Raises:
        ModelUnset: There is no model to ask.
        ModelFault: It did not answer in time, or before ``stop`` was raised.
    """
    if not settings.agent_model:
        raise ModelUnset
    question = [{"role": "system", "content": system}, {"role": "user", "content": said}]
    book, name = settings.profiles, (settings.agent_api_base, settings.agent_model)

    def answer(**extra: object) -> str:
        given, text = {"max_tokens": most.tokens, **extra}, ""
        with _bounded(most, stop or Abort()) as enough:
            for event in ChatModel(settings, enough, lang, extra=given).stream(question, ()):
                text += event.text if isinstance(event, TextDelta) else ""
                if len(text) > most.chars:
                    enough.set(LONG)
            if enough.reason in (LATE, STOPPED):
                raise ModelFault("model_timeout")
        return _sound(text[: most.chars]).strip()

    if book.get(*name).unthinking is False:
        return answer()
    try:
        return answer(**UNTHINKING)
    except ModelFault as fault:
        if fault.code != "model_rejected":
            raise
        text = answer()
        book.learn(*name, unthinking=False)
        return text


@contextmanager
def _bounded(most: Most, stop: Abort) -> Iterator[Abort]:
    """Give a flag that is raised when the time is up, or when ``stop`` is."""
    enough = Abort()
    clock = threading.Timer(most.limit_s, enough.set, [LATE])
    clock.daemon = True
    clock.start()
    try:
        with stop.calling(lambda: enough.set(STOPPED)):
            yield enough
    finally:
        clock.cancel()


def _sound(text: str) -> str:
    """Join halves of a sign that came in two pieces; a half that stays alone becomes a mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
