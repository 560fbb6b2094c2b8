"""The provider ``openai``: our own loop around any model that speaks chat completions."""

from collections.abc import Generator, Iterator
from dataclasses import replace

from core.memory.clauses import First
from core.runs.events import ProviderEvent, TurnResult
from core.settings import AgentSettings
from core.words import Lang, phrase
from mcp_agent import messages as chat
from mcp_agent.agent import Agent
from mcp_agent.budget import Budget, Metered
from mcp_agent.guards import Cap
from mcp_agent.local_tools import LocalContext, LocalTools
from mcp_agent.mcp_client import McpClient
from mcp_agent.model import Message
from mcp_agent.modes import MODES, Mode
from mcp_agent.providers import openai_probe
from mcp_agent.providers.base import PROVIDERS, AgentQuery, Health, ProviderCaps, QueryInput
from mcp_agent.providers.local import LocalQuery
from mcp_agent.providers.openai_client import CLIENTS
from mcp_agent.providers.openai_model import ChatModel
from mcp_agent.replaying import TOOL, replay_first


@PROVIDERS.register("openai")
class OpenAIProvider:
    """Our loop with a model of the configured address."""

    name = "openai"
    caps = ProviderCaps(
        model=True,
        injects_mid_turn=True,
        text_deltas=True,
        cost=True,
        images_in=True,
        resumes=True,
        announces=True,
    )

    def check(self, settings: AgentSettings) -> Health:
        """Ask for the list of models, which costs no tokens."""
        return openai_probe.check(settings)

    def examine(self, settings: AgentSettings, lang: Lang) -> Health:
        """Try everything that a run needs, at the cost of four short requests."""
        return openai_probe.examine(settings, lang)

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
        CLIENTS.close()


def _think(query: LocalQuery, tools: McpClient) -> Iterator[ProviderEvent]:
    """Run the loop of one query."""
    asked = query.query
    openai_probe.need_model(asked.settings)
    mode = MODES.get(asked.mode)
    local = _local(query, tools, mode)
    agent = _agent(query, tools, local, mode)
    history = asked.history if mode.history else ()
    system = mode.system(asked.lang, asked.system)
    opening = chat.opening(system, history, asked.prompt, asked.attachments)
    first = () if asked.attachments else asked.first  # what came along may change the job
    if first and any(tool.name == TOOL for tool in tools.tools()):
        all_done = yield from _replay(query, first, agent, opening)
        if all_done:
            return
    for event in agent.run_stream(opening):
        yield replace(event, extra=local.payload) if isinstance(event, TurnResult) else event


def _local(query: LocalQuery, tools: McpClient, mode: Mode) -> LocalTools:
    asked = query.query
    call_tool = Cap(tools.call, mode.most_calls) if mode.most_calls else tools.call
    context = LocalContext(
        asked.prompt, asked.serial, asked.lang, call_tool, query.stop, asked.workshop
    )
    return LocalTools(mode.local_tools, context)


def _agent(query: LocalQuery, tools: McpClient, local: LocalTools, mode: Mode) -> Agent:
    asked, budget = query.query, _budget(query)
    most = {"max_tokens": mode.max_output_tokens} if mode.max_output_tokens else {}
    model = ChatModel(asked.settings, query.stop, asked.lang, asked.model, extra=most)
    return Agent(
        model=Metered(model, budget),
        tools=(*tools.tools(), *local.specs()),
        tool_calls=query.tool_calls(tools, local),
        follow_ups=query.take,
        abort=query.stop,
        budget=budget,
        lang=asked.lang,
        ended=lambda: local.ended,
        pictures_kept=model.profile.pictures,
    )


def _replay(
    query: LocalQuery, first: tuple[First, ...], agent: Agent, opening: list[Message]
) -> Generator[ProviderEvent, None, bool]:
    """Run saved actions before the model is asked; say whether nothing is left for it."""
    lang = query.query.lang
    done = yield from replay_first(first, agent.tool_calls, opening, lang)
    if query.stop.is_set():
        yield TurnResult("aborted")
        return True
    if done and not first[-1].left and not query.is_followed():
        said = (phrase("offline.replayed", lang, name=each.name) for each in first)
        yield TurnResult("ok", "\n".join(said))
        return True
    return False


def _budget(query: LocalQuery) -> Budget:
    chosen = query.query.settings
    return Budget(
        query.query.max_steps,
        chosen.agent_budget_tokens,
        chosen.agent_budget_cost,
        chosen.agent_budget_minutes,
        waited_s=query.waited_s,
    )
