"""Run proved actions before the model is asked; the model gets what is left of the request."""

from collections.abc import Generator, Sequence

from core.memory.clauses import First
from core.runs.events import ProviderEvent
from core.words import Lang
from mcp_agent import messages as chat
from mcp_agent import prompts
from mcp_agent.model import Message, ToolCall, ToolOutcome
from mcp_agent.tool_calls import ToolCalls

TOOL = "de_run_action"
GOES_ON = "Not finished yet"  # how the tool says that it goes on with the next call


def replay_first(
    first: Sequence[First], tool_calls: ToolCalls, messages: list[Message], lang: Lang
) -> Generator[ProviderEvent, None, bool]:
    """Replay actions up to one that fails, and write down in ``messages`` what came of each.

    Returns:
        Whether all were done to their end.
    """
    for at, each in enumerate(first, start=1):
        outcome = yield from _replay(each.name, f"first.{at}", tool_calls)
        is_done = outcome.status == "ok"
        told = (prompts.DONE_FIRST if is_done else prompts.FAILED_FIRST)[lang]
        left = each.left or prompts.NOTHING_LEFT[lang]
        said = told.format(name=each.name, left=left, text=outcome.text)
        messages.append({"role": "user", "content": said})
        chat.show_pictures(messages, outcome.pictures)
        if not is_done:
            return False
    return True


def _replay(
    name: str, call_id: str, tool_calls: ToolCalls
) -> Generator[ProviderEvent, None, ToolOutcome]:
    """Replay one action; a long one goes on in one call after the other."""
    calls = 1
    outcome = yield from tool_calls.carry_out(ToolCall(f"{call_id}.{calls}", TOOL, {"name": name}))
    while outcome.status == "ok" and outcome.text.startswith(GOES_ON):
        calls += 1
        again = ToolCall(f"{call_id}.{calls}", TOOL, {"name": name})
        outcome = yield from tool_calls.carry_out(again)
    return outcome
