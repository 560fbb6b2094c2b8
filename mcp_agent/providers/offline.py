"""The provider ``offline``: no model, plain commands by rules, through the same tools."""

from collections.abc import Iterator

from core.runs.events import Consumed, ProviderEvent, TextSegment, TurnResult
from core.settings import AgentSettings
from core.words import Lang, phrase
from mcp_agent.mcp_client import McpClient
from mcp_agent.offline.doing import Doer
from mcp_agent.offline.hands import Hands
from mcp_agent.offline.intents import Intent, Replay
from mcp_agent.offline.understand import lang_of, understand
from mcp_agent.providers.base import PROVIDERS, AgentQuery, Health, ProviderCaps, QueryInput
from mcp_agent.providers.local import LocalQuery


@PROVIDERS.register("offline")
class OfflineProvider:
    """Rules instead of a model; they understand little, cost nothing and never make things up."""

    name = "offline"
    caps = ProviderCaps(injects_mid_turn=True, announces=True)

    def check(self, settings: AgentSettings) -> Health:
        """Say yes: there is nothing that could be missing."""
        return Health(True, self.name)

    def examine(self, settings: AgentSettings, lang: Lang) -> Health:
        """Say the same: rules can do what they can do."""
        return self.check(settings)

    def query(self, query: QueryInput) -> AgentQuery:
        """Prepare a turn of rules."""
        return LocalQuery(query, _follow)

    def is_session_invalid(self, result: TurnResult) -> bool:
        """Say no: there is no session."""
        return False

    def should_rotate(self, continuation: str) -> str | None:
        """Say no: there is nothing to replace."""
        return None

    def close(self) -> None:
        """Nothing outlives a query."""


def _follow(query: LocalQuery, tools: McpClient) -> Iterator[ProviderEvent]:
    """Carry out the prompt, then each follow-up, and answer in the language it was said in."""
    asked = query.query
    hands = Hands(query.tool_calls(tools), query.stop, asked.max_steps, asked.serial or "")
    prompt, lang = asked.prompt, lang_of(asked.prompt)
    files = asked.attachments
    while True:
        answer = yield from Doer(hands, lang).do_all(list(_intents(asked, prompt)))
        if files:
            names = ", ".join(file.name for file in files)
            answer = f"{answer}\n\n{phrase('offline.attachments', lang, names=names)}"
        added = query.take(True)
        if not added:
            yield TurnResult("ok", answer)
            return
        yield TextSegment(answer)
        yield Consumed(tuple(each.input_id for each in added))
        prompt = "\n".join(each.text for each in added)
        lang = lang_of(prompt)
        files = tuple(file for each in added for file in each.attachments)


def _intents(asked: QueryInput, prompt: str) -> Iterator[Intent]:
    """Understand a prompt, clause by clause; one that names a saved action means that action."""
    for clause in asked.clauses(prompt):
        if clause.action is None:
            yield from understand(clause.text)
        else:
            stale = clause.action.stale
            yield Replay(clause.action.name, clause.inputs, clause.missing, stale)
