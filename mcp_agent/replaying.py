"""Run a proved action before the model is asked; the model gets what is left of the request."""

from collections.abc import Generator

from core.memory.recall import First
from core.runs.events import ProviderEvent
from core.words import Lang
from mcp_agent import messages as chat
from mcp_agent import prompts
from mcp_agent.model import Message, ToolCall
from mcp_agent.tool_calls import ToolCalls

TOOL = "de_run_action"
GOES_ON = "Not finished yet"  # how the tool says that it goes on with the next call


def replay_first(
    first: First, tool_calls: ToolCalls, messages: list[Message], lang: Lang
) -> Generator[ProviderEvent, None, bool]:
    """Replay an action and write down in ``messages`` what came of it.

    Returns:
        Whether it was done to its end.
    """
    calls = 1
    call = ToolCall(f"first.{calls}", TOOL, {"name": first.name})
    outcome = yield from tool_calls.carry_out(call)
    while outcome.status == "ok" and outcome.text.startswith(GOES_ON):
        calls += 1
        again = ToolCall(f"first.{calls}", TOOL, {"name": first.name})
        outcome = yield from tool_calls.carry_out(again)
    told = prompts.DONE_FIRST[lang].format(name=first.name, text=outcome.text)
    messages.append({"role": "user", "content": told})
    chat.show_pictures(messages, outcome.pictures)
    return outcome.status == "ok"
