"""What a run sends to the model: the newest picture kept, against keeping all of them.

The loop and the client are the product's, the model is a policy that takes a picture at each
step; what counts is the HTTP log. "Fresh" are the bytes from the first that differs from the
request before: what a vendor's prompt cache has not seen.
"""

import random
from collections.abc import Iterator
from itertools import pairwise

from bench.figure import Figure
from bench.loop import settings_of
from core.runs.events import Picture
from mcp_agent.abort import Abort
from mcp_agent.agent import Agent
from mcp_agent.budget import Budget
from mcp_agent.messages import opening
from mcp_agent.model import ToolCall, ToolOutcome, ToolSpec
from mcp_agent.prompts import system
from mcp_agent.providers.openai_model import ChatModel
from mcp_agent.tool_calls import ToolCalls
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts

STEPS = 12
PICTURE_BYTES = 80_000  # a phone's screen at 1280 px and quality 80
ALL = STEPS + 1
MOST_KEPT = 3
GOAL = 0.25
LOOK = ToolSpec("de_screenshot", "Take a picture.", {"type": "object", "properties": {}})


def figures() -> Iterator[Figure]:
    """Measure the bytes of a request."""
    every = _bodies(ALL)
    for kept in (1, MOST_KEPT):
        sent, name = _bodies(kept), f"kept_{kept}"
        goal = GOAL if kept == 1 else None
        yield Figure(f"prompt.{name}", _mean(sent), "bytes", _mean(every), goal)
        yield Figure(f"prompt.{name}_fresh", _fresh(sent), "bytes", _fresh(every))


def _bodies(kept: int) -> list[bytes]:
    """Run the loop for so many steps, and return the requests that it sent."""
    shots = random.Random(1)
    with PolicyModel(_looks) as model:
        abort = Abort()
        agent = Agent(
            model=ChatModel(settings_of(model.url), abort, "en"),
            tools=(LOOK,),
            tool_calls=ToolCalls(lambda call: _shot(call, shots)),
            follow_ups=lambda last: (),
            abort=abort,
            budget=Budget(STEPS + 1),
            lang="en",
            pictures_kept=kept,
        )
        for _ in agent.run_stream(opening(system("en"), (), "Look twelve times.")):
            pass
        return model.bodies


def _looks(request: Request) -> Reply:
    if len(tool_texts(request)) < STEPS:
        return Reply(calls=(Call(LOOK.name),))
    return Reply(content="I have seen enough.")


def _shot(call: ToolCall, shots: random.Random) -> ToolOutcome:
    return ToolOutcome("ok", "1080x2400", (Picture(shots.randbytes(PICTURE_BYTES)),))


def _mean(bodies: list[bytes]) -> float:
    return sum(map(len, bodies)) / len(bodies)


def _fresh(bodies: list[bytes]) -> float:
    """Return how many bytes of a request are new, in the mean."""
    fresh = [len(later) - _shared(earlier, later) for earlier, later in pairwise(bodies)]
    return sum(fresh) / len(fresh)


def _shared(earlier: bytes, later: bytes) -> int:
    """Return the length of the common beginning, by halves: the bodies are long."""
    low, high = 0, min(len(earlier), len(later))
    while low < high:
        middle = (low + high + 1) // 2
        if earlier[:middle] == later[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
