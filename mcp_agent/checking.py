"""A run without a brain: it does the newest draft once on its phone, and says how it went."""

from collections.abc import Iterator

from core.errors import NotFound
from core.runs.events import ProviderEvent, TurnResult
from mcp_agent.designer import ending
from mcp_agent.mcp_client import McpClient
from mcp_agent.providers.base import AgentQuery, QueryInput
from mcp_agent.providers.local import LocalQuery


def check_draft(query: QueryInput) -> AgentQuery:
    """Prepare the check."""
    return LocalQuery(query, _check)


def _check(query: LocalQuery, tools: McpClient) -> Iterator[ProviderEvent]:
    shop = query.query.workshop
    kept = query.query.settings.agent_task_draft
    if shop is None or kept is None or "draft" not in kept:
        raise NotFound(kind="draft", name="")
    body = kept["draft"]
    draft = shop.check(body["name"], body["steps"], body["inputs"])
    replay = shop.rehearse(draft, query.stop)
    if query.stop.is_set():
        yield TurnResult("aborted")
        return
    made = shop.keep(draft, replay, str(kept["prompt"]))
    yield TurnResult("ok", ending(draft, replay, shop.lang), extra=made)
