"""Ask the model a plain question beside the runs: no tools, no thinking, one text back.

Thinking is turned off since some models spend the whole answer on it and then say nothing; a
server that does not take the switch is asked without it, and that is remembered.
"""

from core.errors import ModelFault, ModelUnset
from core.runs.events import TextDelta
from core.settings import AgentSettings
from core.words import Lang
from mcp_agent.abort import Abort
from mcp_agent.providers.openai_model import ChatModel

UNTHINKING = {"extra_body": {"thinking": {"type": "disabled"}}}
MOST_TOKENS = 1_500
MOST_CHARS = 20_000  # more is no answer to any question of ours, and is not waited for


def ask(
    settings: AgentSettings, lang: Lang, system: str, said: str, most_tokens: int = MOST_TOKENS
) -> str:
    """Return the model's answer; empty when it says nothing.

    Raises:
        ModelUnset: There is no model to ask.
        ModelFault: It did not answer.
    """
    if not settings.agent_model:
        raise ModelUnset
    question = [{"role": "system", "content": system}, {"role": "user", "content": said}]
    most = {"max_tokens": most_tokens}
    book, name = settings.profiles, (settings.agent_api_base, settings.agent_model)

    def answer(**extra: object) -> str:
        text, enough = "", Abort()
        for event in ChatModel(settings, enough, lang, extra={**most, **extra}).stream(
            question, ()
        ):
            text += event.text if isinstance(event, TextDelta) else ""
            if len(text) > MOST_CHARS:
                enough.set("long")
        return _sound(text[:MOST_CHARS]).strip()

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


def _sound(text: str) -> str:
    """Join halves of a sign that came in two pieces; a half that stays alone becomes a mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
