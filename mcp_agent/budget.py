"""What a run may use up: steps, tokens, money and minutes; when one is gone, the model sums up."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.runs.events import Notice, Usage
from core.words import Lang, phrase
from mcp_agent.model import Message, Model, ModelEvent, ToolSpec


@dataclass
class Budget:
    """The limits of one run and what it has used; a limit of 0 is none, steps apart.

    ``waited_s`` says how long people were waited for: that time is not the run's.
    """

    steps: int
    tokens: int = 0
    cost: float = 0
    minutes: float = 0
    used: Usage = field(default_factory=lambda: Usage(0, 0, calls=0))
    began: float = field(default_factory=time.monotonic)
    waited_s: Callable[[], float] = lambda: 0.0

    def count(self, usage: Usage) -> None:
        """Take one model call into account."""
        self.used = self.used + usage

    def over(self, step: int, lang: Lang) -> Notice | None:
        """Say which limit does not allow this step, counted from 1; None when all do."""
        gone_minutes = (time.monotonic() - self.began - self.waited_s()) / 60
        if step > self.steps:
            return Notice("step_limit", phrase("step_limit", lang, steps=self.steps))
        if self.tokens and self.used.all_tokens >= self.tokens:
            return Notice("budget_tokens", phrase("budget.tokens", lang, limit=f"{self.tokens:,}"))
        if self.cost and (self.used.cost or 0) >= self.cost:
            return Notice("budget_cost", phrase("budget.cost", lang, limit=f"{self.cost:g}"))
        if self.minutes and gone_minutes >= self.minutes:
            return Notice("budget_minutes", phrase("budget.minutes", lang, limit=self.minutes))
        return None


@dataclass(frozen=True)
class Metered:
    """A model whose use is counted."""

    model: Model
    budget: Budget

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[ModelEvent]:
        """Ask the model; see `mcp_agent.model.Model`."""
        for event in self.model.stream(messages, tools):
            if isinstance(event, Usage):
                self.budget.count(event)
            yield event
