"""What a run is for: a chat that gets things done, or the design of a task to be repeated."""

from collections.abc import Callable
from dataclasses import dataclass

from core.registry import Registry
from core.words import Lang
from mcp_agent import prompts
from mcp_agent.designer import SubmitTask


@dataclass(frozen=True, slots=True)
class Mode:
    """How a brain of ours works in this mode.

    ``most_calls`` caps the calls of any one tool; ``max_output_tokens`` the answer of one turn;
    ``local_tools`` are offered beside the phone's.
    """

    system: Callable[[Lang, str | None], str]
    history: bool = True
    max_output_tokens: int | None = None
    most_calls: int | None = None
    local_tools: tuple[str, ...] = ()


DESIGNER = "designer"
CHECK = "check"
MODES: Registry[Mode] = Registry("mode")

MODES.register("chat")(Mode(prompts.system))
MODES.register(DESIGNER)(
    Mode(
        prompts.designer,
        history=False,
        max_output_tokens=8192,
        most_calls=40,
        local_tools=(SubmitTask.name,),
    )
)
# a draft is done once without a model: see `mcp_agent.checking`
MODES.register(CHECK)(Mode(prompts.designer, history=False))
