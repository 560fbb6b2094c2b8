"""What is left of a run for later: what was done, how it went, and whether it is worth keeping."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from core import conversations
from core.memory import screens
from core.memory.experiences import Experience
from core.runs import acts, proof
from core.runs.events import ToolFinished
from core.runs.record import RunRecord
from core.setup import Instance
from core.steps.schema import Expect
from mcp_agent.acts import Act
from mcp_agent.ending import Outcome
from mcp_agent.providers.base import provider
from mcp_agent.recalling import CHAT, NOTHING, Memory

ACTS_MOST = 10
#: Notices of a limit at which a run was cut short.
LIMITS = frozenset({"step_limit", "budget_tokens", "budget_cost", "budget_minutes"})
#: An answer that says it was not done, in the first person or of the thing itself.
FAILURE = re.compile(
    r"没能|未能|没有(?:完成|成功|做到|找到|办法)|没(?:找到|做到|成功|完成)|无法|做不到|不能完成|失败|卡在"
    r"|很?抱歉|步数已经?用完"
    r"|\b(?:could|can|did)(?: not|n['’]t)\b|\bcannot\b|\bunable\b|\bfail(?:ed|s)?\b"
    r"|\bsorry\b|\bstuck\b|\bnot (?:able|possible|found|done)\b",
    re.IGNORECASE,
)
#: Errors for which what a run was told is not to blame.
NOT_ITS_FAULT = re.compile(
    r"model_|mcp_|interrupted|device_|lease_lost|provider_|tools_|internal|disk_|database_"
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A run that has ended.

    ``acts`` are its last acts that went well, ``calls`` counts all calls that did, ``texts`` are
    what they said; ``whole`` says that no act is missing from ``acts``. ``screens`` are those on
    which the run acted, none where a replay went a part of its way. ``success`` is None when what
    the run was told neither helped nor failed, ``tokens`` where its model's server told no
    numbers. ``n`` is the number of the next card.
    """

    run: RunRecord
    task: str
    answer: str
    verified: bool | None
    success: bool | None
    acts: tuple[Act, ...] = ()
    calls: int = 0
    texts: tuple[str, ...] = ()
    whole: bool = False
    screens: tuple[Expect, ...] = ()
    steps: int = 0
    tokens: int | None = 0
    n: int = 1
    memory: Memory = field(default=NOTHING)

    @property
    def is_about_something(self) -> bool:
        """Say whether there is anything to tell: an answered chat in which something was done."""
        return self.run.mode == CHAT and self.success is not None and self.calls > 0

    def after(self, drifted: Sequence[Experience]) -> "Lesson":
        """Give the lesson when some of what was known turned out to be out of date."""
        gone = {each.experience_id for each in drifted}
        known = tuple(each for each in self.memory.known if each not in gone)
        return replace(self, memory=replace(self.memory, known=known))

    @property
    def is_due(self) -> bool:
        """Say whether something is to come of it: credit for what was told, or more."""
        told = bool(self.memory.experience_ids) and self.success is not None
        return told or self.is_about_something

    def kept(self) -> dict[str, Any]:
        """Give the form in which it is kept until something came of it; see `kept_lesson`."""
        memory = replace(self.memory, prompt=None, cards=(), first=())
        body: dict[str, Any] = _FORM.dump_python(replace(self, memory=memory), mode="json")
        return body

    @property
    def why_not(self) -> str | None:
        """Say by a code why nothing is to be learned; None when something is."""
        if self.verified is False:
            return "unverified"
        if not self.success:
            return "failed"
        only_replayed = bool(self.acts) and all(act.is_replay for act in self.acts)
        return "known" if self.memory.known or only_replayed else None


_FORM = TypeAdapter(Lesson)


def kept_lesson(body: dict[str, Any]) -> Lesson:
    """Read what `Lesson.kept` gave.

    Raises:
        ValidationError: Another version wrote it.
    """
    return _FORM.validate_python(body)


@dataclass
class Witness:
    """Sees what a run does, for what is learned from it.

    ``said`` is what a person added while it went on, ``limited`` that a limit cut it short.
    """

    said: list[str] = field(default_factory=list)
    limited: bool = False
    _texts: list[str] = field(default_factory=list)

    def see(self, event: ToolFinished) -> None:
        """Remember a call that went well; one that only asked a person did nothing."""
        if event.status == "ok" and not event.waits:
            self._texts.append(event.text)

    def lesson(
        self, instance: Instance, run: RunRecord, outcome: Outcome, memory: Memory, n: int
    ) -> Lesson:
        """Judge how the run went, now that it has ended."""
        verified = proof.verified(instance.db, run.run_id)
        done = [Act(app, step) for app, step in acts.of_run(instance.db, run.run_id)]
        return Lesson(
            run=run,
            task=conversations.cut("\n".join([run.prompt, *self.said])),
            answer=outcome.answer,
            verified=verified,
            success=_success(outcome, verified, self.limited),
            acts=tuple(done[-ACTS_MOST:]),
            calls=len(self._texts),
            texts=tuple(self._texts[-ACTS_MOST:]),
            whole=len(done) <= ACTS_MOST and not self.said,
            screens=_screens(done),
            steps=outcome.steps,
            tokens=_tokens(run, outcome),
            n=n,
            memory=memory,
        )


def _screens(done: Sequence[Act]) -> tuple[Expect, ...]:
    replayed = any(act.is_replay for act in done)
    return () if replayed else screens.distinct(act.step for act in done)


def _tokens(run: RunRecord, outcome: Outcome) -> int | None:
    """Count what a run took; nobody knows where its model was asked and told no numbers."""
    if outcome.usage is not None and outcome.usage.all_tokens:
        return outcome.usage.all_tokens
    return None if outcome.turns and provider(run.provider).caps.model else 0


def _success(outcome: Outcome, verified: bool | None, limited: bool) -> bool | None:
    if outcome.stopped or (outcome.error and NOT_ITS_FAULT.match(outcome.error)):
        return None
    if outcome.error or limited or verified is False:
        return False
    return bool(verified) or not FAILURE.search(outcome.answer)
