"""The rules' hands: tool calls as events, and moving about on one page.

Every function is a generator of events that returns what it found; what makes going on
impossible is raised as the leaf that says it.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from core.errors import PhoneFault, RunOver, StepLimit
from core.runs.events import Activity, ProviderEvent
from mcp_agent.abort import Abort
from mcp_agent.model import ToolCall, ToolOutcome
from mcp_agent.offline import tree
from mcp_agent.offline.intents import Direction
from mcp_agent.offline.tree import Element, Tree
from mcp_agent.tool_calls import ToolCalls

T = TypeVar("T")
Doing = Generator[ProviderEvent, None, T]

SCROLLS = 10
FINGER: dict[Direction, Direction] = {
    "down": "up",
    "up": "down",
    "right": "left",
    "left": "right",
}


@dataclass
class Hands:
    """One run's way to the phone; ``now`` is the screen as it was last read."""

    tool_calls: ToolCalls
    abort: Abort
    max_acts: int
    serial: str = ""
    acts: int = 0
    now: Tree = field(default_factory=lambda: tree.parse(""))
    fresh: bool = False
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def ask(self, name: str, /, **arguments: Any) -> Doing[ToolOutcome]:
        """Call a tool that looks.

        Raises:
            RunOver: A stop was said.
        """
        call = ToolCall(f"offline_{next(self._ids)}", name, arguments)
        outcome = yield from self.tool_calls.carry_out(call)
        if self.abort.is_set():
            raise RunOver
        return outcome

    def act(self, name: str, /, **arguments: Any) -> Doing[str]:
        """Call a tool that touches, and return what it said.

        Raises:
            StepLimit: The run has acted often enough.
            PhoneFault: The tool failed; what it said is in the words.
        """
        if self.acts >= self.max_acts:
            raise StepLimit(steps=self.max_acts)
        self.acts += 1
        self.fresh = False
        yield Activity(turn=self.acts)
        outcome = yield from self.ask(name, **arguments)
        if outcome.status != "ok":
            raise PhoneFault(serial=self.serial, detail=outcome.text)
        return outcome.text

    def look(self) -> Doing[Tree]:
        """Read the screen.

        Raises:
            PhoneFault: It cannot be read.
        """
        outcome = yield from self.ask("de_ui_tree")
        if outcome.status != "ok":
            raise PhoneFault(serial=self.serial, detail=outcome.text)
        self.now, self.fresh = tree.parse(outcome.text), True
        return self.now

    def see(self) -> Doing[Tree]:
        """Return the screen, read anew only when something was done since."""
        return self.now if self.fresh else (yield from self.look())

    def tap(self, element: Element) -> Doing[Tree]:
        """Tap an element of the screen as it was last read, and read what is there then."""
        yield from self.act("de_tap", element=element.number)
        return (yield from self.look())

    def back(self) -> Doing[bool]:
        """Go back; False when that led out of the app."""
        before = self.now.package
        yield from self.act("de_press_key", key="back")
        yield from self.look()
        return self.now.package == before

    def scroll(self, direction: Direction) -> Doing[bool]:
        """Show more of what lies in a direction; False at the end."""
        before = self.now.shown
        yield from self.act("de_swipe", direction=FINGER[direction])
        yield from self.look()
        return self.now.shown != before
