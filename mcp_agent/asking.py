"""Make a run follow its questions: the rows are the truth, `Asking.follow` brings the run to them.

New questions are published and the run parks; when the last one is closed it takes a slot again,
and then the brain is told. Calling it once too often changes nothing.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from core.clock import iso
from core.db import Database
from core.runs import parking, questions
from core.runs.events import Answered, Event, InputNeeded
from core.runs.questions import EXPIRED, Question
from mcp_agent.providers.base import AgentQuery
from mcp_agent.pulse import Pulse

logger = logging.getLogger(__name__)


@dataclass
class Asking:
    """The questions of one run under way; `follow` may be called from any thread."""

    db: Database
    run_id: str
    pulse: Pulse
    publish: Callable[[Event], object]
    stop_run: Callable[[], None]
    parked: bool = False
    _shown: set[str] = field(default_factory=set)
    _closed: set[str] = field(default_factory=set)
    _untold: list[Question] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def follow(self, query: AgentQuery, slots: Callable[[], int]) -> bool:
        """Publish what is new and let the run wait or go on; True when its status changed."""
        with self._lock:
            asked = questions.of_run(self.db, self.run_id)
            for question in asked:
                self._show(question)
            still_open = [question for question in asked if question.open]
            if still_open:
                return self._park(still_open)
            return self.parked and self._go_on(query, slots)

    def _show(self, question: Question) -> None:
        """Publish a question once, and its end once."""
        key = question.question_id
        if question.open and key not in self._shown:
            self._shown.add(key)
            self.publish(as_event(question))
        elif not question.open and key in self._shown and key not in self._closed:
            self._closed.add(key)
            self._untold.append(question)
            self.publish(Answered(key, _said(question) or EXPIRED, question.answered_by))
            if question.kind == "takeover" and question.status == "expired":
                logger.info("run %s: the phone was not given back in time", self.run_id)
                self.stop_run()

    def _park(self, still_open: list[Question]) -> bool:
        paused = any(question.kind == "takeover" for question in still_open)
        if not self.parked:
            self.pulse.stand_still()
        changed, self.parked = not self.parked or paused, True
        parking.park(self.db, self.run_id, "paused" if paused else "waiting")
        return changed

    def _go_on(self, query: AgentQuery, slots: Callable[[], int]) -> bool:
        if parking.resume(self.db, self.run_id, slots()) is None:
            return False
        self.parked = False
        self.pulse.go_on()
        for question in self._untold:
            query.answer(question.question_id, _said(question))
        self._untold.clear()
        return True


def as_event(question: Question) -> InputNeeded:
    """Give a question as the event that shows it."""
    return InputNeeded(
        question.question_id,
        question.kind,
        question.title,
        question.question,
        question.options,
        iso(question.expires_at),
    )


def _said(question: Question) -> str | None:
    """Give what a person said; None when nobody did in time."""
    return question.value if question.status == "answered" else None
