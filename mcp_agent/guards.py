"""Keep a brain from going in circles, and from leaning on one tool for ever.

Each is a wrapper around the call of a tool: it passes the call on and looks at what came back.
"""

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from core.errors import LoopDetected
from mcp_agent.model import CallTool, ToolCall, ToolOutcome

TOLD_AT, STOPPED_AT = 3, 5
TOLD = (
    "(This same call has had this same result {times} times. Look at the screen and try another "
    "way, or stop and say what is in the way.)"
)
CAPPED = "{name} was called {most} times, which is all there is for one run. Go on without it."


@dataclass
class LoopGuard:
    """Says so when an act leads to the same screen again and again, and stops it in the end.

    Whatever leads somewhere new is progress, and what was counted before is forgotten: to come
    back to a list five times is no circle when five entries were opened.
    """

    call_tool: CallTool
    reads: Collection[str]
    _met: set[str] = field(default_factory=set)
    _times: Counter[str] = field(default_factory=Counter)

    def __call__(self, call: ToolCall) -> ToolOutcome:
        """Make a call.

        Raises:
            LoopDetected: It led to the same screen as four times before.
        """
        outcome = self.call_tool(call)
        if call.name in self.reads or outcome.status == "aborted" or outcome.waits_for:
            return outcome
        if outcome.screen == "":  # nobody can tell: it may well be another one each time
            return outcome
        times = self._count(call, outcome)
        if times >= STOPPED_AT:
            raise LoopDetected(tool=call.name, times=times)
        if times >= TOLD_AT:
            return replace(outcome, text=f"{outcome.text}\n{TOLD.format(times=times)}")
        return outcome

    def _count(self, call: ToolCall, outcome: ToolOutcome) -> int:
        ended_at = outcome.text if outcome.screen is None else outcome.screen
        same = json.dumps([call.name, call.arguments, ended_at], sort_keys=True)
        if same not in self._met:
            self._met.add(same)
            self._times.clear()
        self._times[same] += 1
        return self._times[same]


@dataclass
class Cap:
    """Lets each tool be called so many times in one run."""

    call_tool: CallTool
    most: int
    _calls: Counter[str] = field(default_factory=Counter)

    def __call__(self, call: ToolCall) -> ToolOutcome:
        """Make a call, or say that there are no more of it."""
        self._calls[call.name] += 1
        if self._calls[call.name] > self.most:
            return ToolOutcome("error", CAPPED.format(name=call.name, most=self.most))
        return self.call_tool(call)
