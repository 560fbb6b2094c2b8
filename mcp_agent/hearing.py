"""Hear what a brain says and does: its calls get numbers, its pictures addresses.

What outsiders see of it is published; what the end of the run is made of is noted in `Progress`.
"""

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from core.clock import iso, utc_now
from core.errors import ConsoleError
from core.runs import store
from core.runs.events import (
    Activity,
    Closed,
    Event,
    Notice,
    ProviderEvent,
    ReasoningDelta,
    SessionStarted,
    TextDelta,
    TextSegment,
    ToolFinished,
    ToolStarted,
    TurnResult,
    Usage,
)
from core.runs.record import RunRecord
from core.settings import REASONING_KEPT
from core.setup import Instance
from mcp_agent.ending import Outcome
from mcp_agent.lessons import LIMITS, Witness
from mcp_agent.recalling import Card
from mcp_agent.step_pictures import StepPictures

logger = logging.getLogger(__name__)

#: The server of the phone's tools, as the brain's events name it.
PHONE = "phone"
READS = frozenset(
    (
        "de_list_devices",
        "de_screenshot",
        "de_ui_tree",
        "de_find",
        "de_current_app",
        "de_list_apps",
        "de_wait_for",
        "prove",
        "ask_user_question",
        "submit_task",
    )
)


@dataclass
class Progress:
    """What has happened in the run so far."""

    attempt: int = 1
    begun: float = field(default_factory=time.monotonic)
    calls: dict[str, ToolStarted] = field(default_factory=dict)
    before: dict[str, str | None] = field(default_factory=dict)
    tools: int = 0
    cards: int = 0
    step: int = 0
    counts_turns: bool = False
    said: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    text: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    continuation: str | None = None
    result: TurnResult | None = None

    def outcome(
        self, error: str | None = None, details: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Give what the run comes to if it ends now."""
        return Outcome(
            answer="\n\n".join(part for part in [*self.said, self.text] if part.strip()),
            error=error,
            details=details or {},
            usage=self.usage,
            reasoning=self.reasoning,
            steps=self.tools,
            turns=self.counts_turns,
            ms=round((time.monotonic() - self.begun) * 1000),
            continuation=self.continuation,
            attempt=self.attempt,
        )


class Hearing:
    """What one run's brain says, heard by the run's own thread alone.

    ``announces`` says whether an act waits until its picture of before is taken; ``stop`` ends
    waiting for one. ``changed`` is called when the run is a step further.
    """

    def __init__(
        self,
        instance: Instance,
        record: RunRecord,
        progress: Progress,
        publish: Callable[[Event], None],
        changed: Callable[[], None],
        stop: Future[None],
    ) -> None:
        self.announces = False
        self.witness = Witness()
        self._db = instance.db
        self._record = record
        self._progress = progress
        self._publish = publish
        self._changed = changed
        self._pictures = StepPictures(instance, record.run_id, stop, self._tell_once)

    def show(self, card: Card) -> None:
        """Publish a card in the form of a step; it is none of the run's own."""
        self._progress.cards += 1
        n = self._progress.cards
        self._publish(ToolStarted(card.tool, card.tool, card.args, n=n))
        self._publish(ToolFinished(card.tool, "ok", card.text, n=n, name=card.tool, args=card.args))

    def take(self, event: ProviderEvent) -> None:
        """Note one event of the provider, and publish what outsiders see of it."""
        progress = self._progress
        match event:
            case SessionStarted(continuation):
                progress.continuation = continuation
            case Activity(turn) if turn is not None:
                progress.counts_turns = True
                self._advance(turn)
            case TextDelta() | TextSegment() | ReasoningDelta():
                self._take_text(event)
            case ToolStarted():
                self._begin_tool(event)
            case ToolFinished():
                self._end_tool(event)
            case Usage():
                progress.usage = event if progress.usage is None else progress.usage + event
                self._publish(progress.usage)
            case TurnResult():
                progress.result = event
            case Notice():
                self._take_notice(event)
            case Closed() if event.classification:
                self._log_failure(event)
            case _:
                pass

    def _take_notice(self, event: Notice) -> None:
        if event.will_retry:
            words = "run %s: %s, try %s, again in %.3g s"
            given = (self._record.run_id, event.code, event.attempt, event.delay_s)
            logger.info(words, *given)
        self.witness.limited |= event.code in LIMITS
        self._publish(event)

    def _log_failure(self, event: Closed) -> None:
        """Leave for tomorrow what kind of failure it was; the run's end says it in words."""
        result = self._progress.result
        logger.warning(
            "run %s: %s failed: %s (%s, http status %s), %s",
            self._record.run_id,
            self._record.provider,
            event.reason,
            event.classification,
            result.http_status if result else None,
            "the same may do better later" if event.retryable else "the same would fail again",
        )

    def _take_text(self, event: TextDelta | TextSegment | ReasoningDelta) -> None:
        progress = self._progress
        if isinstance(event, TextSegment):  # it was streamed already, piece by piece
            progress.said.append(event.text)
            progress.text = ""
            return
        if isinstance(event, TextDelta):
            progress.text += event.text
        else:
            progress.reasoning = (progress.reasoning + event.text)[:REASONING_KEPT]
        self._publish(event)

    def _begin_tool(self, event: ToolStarted) -> None:
        progress = self._progress
        progress.tools += 1
        started = replace(event, n=progress.tools + progress.cards, started=iso(utc_now()))
        progress.calls[event.call_id] = started
        writes = event.name not in READS
        if writes or not progress.counts_turns:
            step = progress.step if progress.counts_turns else progress.tools
            self._advance(step, acted=writes)
        self._publish(started)
        if writes and event.server == PHONE:
            before = self._pictures.before(self._record.serial, self.announces)
            progress.before[event.call_id] = before

    def _end_tool(self, event: ToolFinished) -> None:
        progress = self._progress
        begun = progress.calls.get(event.call_id)
        if begun is None:
            logger.warning("run %s: unknown tool call %s ended", self._record.run_id, event.call_id)
            return
        shown = replace(
            event,
            n=begun.n,
            name=begun.name,
            args=begun.args,
            started=begun.started,
            pictures=(),
            before=progress.before.pop(event.call_id, None),
            image=self._image(begun.name, event),
        )
        self._publish(shown)
        self.witness.see(shown)

    def _advance(self, step: int, acted: bool = False) -> None:
        self._progress.step = step
        store.advance(self._db, self._record.run_id, step, acted)
        self._changed()

    def _image(self, tool: str, event: ToolFinished) -> str | None:
        """Give the address of the step's picture: the tool's own, or how the screen is now."""
        if event.pictures:
            return self._pictures.keep(event.pictures[-1])
        if tool in READS or event.status == "aborted":
            return None
        return self._pictures.after(self._record.serial)

    def _tell_once(self, error: ConsoleError) -> None:
        """Say once in a run what makes it poorer; it goes on."""
        if error.code not in self._progress.told:
            self._progress.told.add(error.code)
            self._publish(Notice(error.code, error.words(self._record.lang).message))
