"""End a run, whoever finds that it is over: its carrier, a stop, or the next start.

What a reader can learn from the last event is stored before anyone reads it, in the transaction
that frees slot and device: whoever has read it can start the next run.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.db import Database
from core.errors import ConsoleError
from core.runs import proof, store
from core.runs.events import Done, Event, Failed, Usage
from core.runs.log import EventLog
from core.runs.record import Ending, RunRecord
from core.runs.wire import usage_wire, wire
from core.words import error_words, phrase
from mcp_agent.repeating import offered

INTERRUPTED = "interrupted"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run went: ``error`` is a code of the words' catalogue, or None when it answered.

    ``turns`` says whether its brain had any; without one a saved action did all of it. ``told`` are
    the cards of what was remembered for it, in the form of steps; ``lesson`` is what it teaches.
    """

    answer: str = ""
    error: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    stopped: bool = False
    usage: Usage | None = None
    reasoning: str = ""
    steps: int = 0
    turns: bool = True
    ms: int = 0
    continuation: str | None = None
    attempt: int = 1
    extra: Mapping[str, Any] = field(default_factory=dict)
    told: tuple[Mapping[str, Any], ...] = ()
    lesson: Mapping[str, Any] | None = None

    @property
    def status(self) -> str:
        """Give the run's last status."""
        if self.error:
            return "failed"
        return "stopped" if self.stopped else "done"


def end_run(db: Database, log: EventLog, record: RunRecord, outcome: Outcome) -> bool:
    """Store the end of a run, then publish it.

    Returns:
        False when somebody else had ended it; then their last event is published here too.

    Raises:
        DiskFull, DatabaseBusy: It could not be stored, so the run has not ended; try again.
    """
    last = _last_event(record, outcome, proof.verified(db, record.run_id))
    shown = wire(last)
    assert shown is not None, "a run's last event is always shown"
    with log.storing:
        waiting = log.unstored()
        terminal = log.compose(*shown)
        ending = Ending(
            status=outcome.status,
            answer=last.answer if isinstance(last, Done) else outcome.answer,
            entries=[*waiting, terminal],
            extra=_extra(record, outcome, last),
            tokens=outcome.usage.all_tokens if outcome.usage else 0,
            continuation=outcome.continuation,
            attempt=outcome.attempt,
            lesson=outcome.lesson,
        )
        try:
            ours = store.finish(db, record.run_id, ending)
        except ConsoleError:
            log.withdraw(terminal)
            raise
        log.mark_stored(waiting)
    if ours:
        logger.info("run %s: %s%s", record.run_id, outcome.status, f" {outcome.error or ''}")
    else:
        theirs = [each for each in store.events(db, record.run_id, 0) if each.terminal]
        terminal = theirs[0] if theirs else terminal
    log.publish(terminal, stored=True)
    return ours


def _last_event(record: RunRecord, outcome: Outcome, verified: bool | None) -> Done | Failed:
    if outcome.error:
        words = error_words(outcome.error, record.lang, dict(outcome.details))
        return Failed(outcome.error, words.message, words.hint)
    answer = outcome.answer
    if outcome.stopped and not answer.strip():
        answer = phrase("stopped", record.lang)
    return Done(answer, outcome.usage, record.mode, outcome.stopped, verified, outcome.extra)


def _extra(record: RunRecord, outcome: Outcome, last: Event) -> dict[str, Any]:
    """Choose what is shown with the message later, and never sent to a model."""
    extra: dict[str, Any] = {"steps": outcome.steps, "ms": outcome.ms}
    if outcome.usage:
        extra["usage"] = usage_wire(outcome.usage)
    if outcome.told:
        extra["told"] = list(outcome.told)
    if outcome.reasoning:
        extra["reasoning"] = outcome.reasoning
    if outcome.stopped:
        extra["stopped"] = True
    if isinstance(last, Done) and last.verified is not None:
        extra["verified"] = last.verified
    if isinstance(last, Failed):
        extra["error"] = {"code": last.code, "message": last.message, "hint": last.hint}
    if outcome.error == INTERRUPTED:
        extra["again"] = offered(record)
    return extra
