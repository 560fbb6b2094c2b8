"""Carry one run from its inbox row to its last event.

It begins the brain's query, hands on what is added and what is answered, and ends the run with
exactly one terminal event, whatever happens. `mcp_agent.hearing` takes in what the brain says.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from core import attachments, conversations
from core.errors import ConsoleError, NotFound
from core.inbox import queue
from core.inbox.queue import InboxRow
from core.memory import clauses
from core.memory.clauses import Clause
from core.runs import questions, store, tokens
from core.runs.events import (
    Consumed,
    Event,
    Message,
    Notice,
    ProviderEvent,
    Route,
    ToolFinished,
    TurnResult,
)
from core.runs.log import EventLog
from core.runs.record import RunRecord
from core.settings import RUN_LIMIT_S, AgentSettings
from core.setup import Instance
from core.storing import PASSING, until_stored
from core.words import DEFAULT_LANG, phrase
from mcp_agent.asking import Asking
from mcp_agent.checking import check_draft
from mcp_agent.ending import INTERRUPTED, Outcome, end_run
from mcp_agent.hearing import PHONE, Hearing, Progress
from mcp_agent.lessons import Lesson, Witness
from mcp_agent.modes import CHECK, DESIGNER
from mcp_agent.providers.base import AgentQuery, Attachment, Http, QueryInput, provider
from mcp_agent.pulse import SILENCE_S, Pulse
from mcp_agent.recalling import NOTHING, remembered
from mcp_agent.workshop import Workshop, workshop

logger = logging.getLogger(__name__)

STOPPED = "stopped"
HARD_STOP_S = 0.9  # a stop frees slot and phone within a second, whatever the brain does


class Carrier:
    """One run under way; `run` belongs to its thread, the rest may be called from any."""

    def __init__(
        self,
        instance: Instance,
        log: EventLog,
        row: InboxRow,
        load_settings: Callable[[], AgentSettings],
        changed: Callable[[], None],
        mcp_url: str | None = None,
    ) -> None:
        self.instance = instance
        self.log = log
        self.row = row
        self.load_settings = load_settings
        self.changed = changed
        self.mcp_url = mcp_url or instance.config.mcp_url
        self.teaches = False
        self.progress = Progress(attempt=row.attempt)
        self._lock = threading.RLock()
        self._record: RunRecord | None = None
        self._query: AgentQuery | None = None
        self._added: dict[str, str] = {}
        self._pushed: set[str] = set()
        self._why = ""
        self._stop: Future[None] = Future()
        self._hard: threading.Timer | None = None
        self._ended = False
        self._over = threading.Event()
        self._leaving = threading.Event()
        self._asking: Asking | None = None
        self._hearing: Hearing | None = None
        self._memory = NOTHING
        self._last: Outcome | None = None

    def run(self) -> None:
        """Carry the run to its end."""
        db, run_id = self.instance.db, self.row.run_id
        pulse: Pulse | None = None
        try:
            self._record = store.begin(db, run_id)
            if self._record is None:  # it was stopped before it began
                return
            self.changed()
            pulse = Pulse(db, run_id, RUN_LIMIT_S, self.stop)
            pulse.start()
            asking = Asking(db, run_id, pulse, self._publish, self.stop)
            outcome = self._carry(self._record, asking)
        except ConsoleError as error:
            outcome = self.progress.outcome(error.code, error.details)
        except Exception:  # the outermost: a run must end with words whatever broke
            logger.exception("run %s: broke", run_id)
            outcome = self.progress.outcome("internal")
        finally:
            if pulse is not None:
                pulse.stop()
        self._end(outcome)
        self._over.wait()  # where a hard stop has ended it, that may still be being stored

    def stop(self, why: str = STOPPED) -> None:
        """Stop the run within a second: ``why`` is `STOPPED` or the code of an error."""
        if why == INTERRUPTED:
            self._leaving.set()
        with self._lock:
            if self._why:
                return
            self._why = why
            query = self._query
        self._stop.set_result(None)
        if query is not None:
            query.abort(why)
        self._hard = threading.Timer(HARD_STOP_S, self._stop_hard)
        self._hard.daemon = True
        self._hard.start()
        try:
            questions.void_now(self.instance.db, self.row.run_id)  # nobody approves a stopped run
        except PASSING as error:  # its end does the same
            logger.warning("run %s: stopped with its questions open: %s", self.row.run_id, error)

    def push(self, row: InboxRow) -> None:
        """Hand a follow-up to the brain, once; what it does not take in is left to the next run."""
        with self._lock:
            if row.id in self._pushed or self._query is None or self._ended:
                return  # before the query exists, its start picks the row up
            if row.id not in self._added:
                self._added[row.id] = row.text
                kept = attachments.of(self.instance, row.attachments)
                shown = tuple(file.shown() for file in kept)
                self.log.append(Message(row.text, "user", row.id, shown))
            files = self._files(row)
            # a foreign brain may know nothing of files, and most follow-ups have none
            with_files = (files,) if files else ()
            if self._query.push(row.text, row.id, *with_files) == "injected":
                self._pushed.add(row.id)

    def slots(self) -> int:
        """Say how many runs may go on at once now."""
        return self.load_settings().agent_slots

    def follow_questions(self) -> None:
        """Publish what the run asks, let it wait, and let it go on once it is answered.

        Raises:
            DeviceBusy: Somebody else took the device while it waited.
        """
        with self._lock:
            asking, query = self._asking, self._query
            if asking is None or query is None or self._ended or self._why:
                return
        if asking.follow(query, self.slots):
            self.changed()

    def lesson(self) -> Lesson | None:
        """Give what can be learned from the run, once it has ended; None when it did not here."""
        return None if self._last is None else self._lesson(self._last)

    def _lesson(self, outcome: Outcome) -> Lesson | None:
        record, hearing = self._record, self._hearing
        if record is None or hearing is None:
            return None
        n = self.progress.tools + self.progress.cards + 1
        return hearing.witness.lesson(self.instance, record, outcome, self._memory, n)

    def _publish(self, event: Event) -> None:
        with self._lock:
            if not self._ended:
                self.log.append(event)

    def _carry(self, record: RunRecord, asking: Asking) -> Outcome:
        reason = phrase("route.only", record.lang)
        self._publish(Route(record.channel, reason, (record.channel,)))
        self._hearing = hearing = Hearing(
            self.instance, record, self.progress, self._publish, self.changed, self._stop
        )
        query = self._begin(record, hearing)
        with self._lock:
            self._query, self._asking = query, asking
            stopped = self._why
        if stopped:
            query.abort(stopped)
        for waiting in queue.followups(self.instance.db, record.run_id):
            self.push(waiting)
        for event in query.events():
            self._hear(event)
        return self._result()

    def _begin(self, record: RunRecord, hearing: Hearing) -> AgentQuery:
        if record.mode == CHECK:
            return check_draft(self._input(record))
        brain = provider(record.provider)
        if brain.caps.model:  # rules have nobody to tell
            self._memory = remembered(self.instance, record)
        for card in self._memory.cards:
            hearing.show(card)
        hearing.announces = brain.caps.announces
        return brain.query(self._input(record))

    def _input(self, record: RunRecord) -> QueryInput:
        db = self.instance.db
        token = tokens.mint(db, record.conv_id)
        phone = Http(self.mcp_url, {"Authorization": f"Bearer {token}"})
        return QueryInput(
            input_id=self.row.id,
            prompt=record.prompt,
            settings=self.load_settings(),
            attachments=self._files(self.row),
            continuation=conversations.continuation(db, record.conv_id),
            mcp={PHONE: phone},
            history=tuple(conversations.history(db, record.conv_id, record.run_id)),
            max_steps=record.max_steps,
            lang=record.lang,
            serial=record.serial,
            mode=record.mode,
            system=self._memory.prompt,
            first=self._memory.first,
            clauses=self._clauses,
            workshop=self._workshop(record),
        )

    def _files(self, row: InboxRow) -> tuple[Attachment, ...]:
        found = attachments.of(self.instance, row.attachments)
        return tuple(Attachment(f.path, f.mime, f.name, f.size, f.id) for f in found)

    def _clauses(self, text: str) -> list[Clause]:
        return clauses.read(self.instance.db, text)

    def _workshop(self, record: RunRecord) -> Workshop | None:
        """Give a designer's run the place for its draft; its checks are shown as steps."""
        if record.mode not in (DESIGNER, CHECK):
            return None
        return workshop(self.instance, record, self._hear)

    def _hear(self, event: ProviderEvent) -> None:
        """Take an event; whoever sends one is alive."""
        if self._asking is not None:
            self._asking.pulse.heard()
        assert self._hearing is not None, "a brain that speaks is heard"
        if isinstance(event, Consumed):
            self._complete(event.input_ids, self._hearing.witness)
            return
        if isinstance(event, TurnResult) and event.consumed:
            self._complete(event.consumed, self._hearing.witness)
        self._hearing.take(event)
        if isinstance(event, ToolFinished):
            self.follow_questions()

    def _complete(self, input_ids: tuple[str, ...], witness: Witness) -> None:
        """Finish the inbox rows that the brain has read, and say which of them were added."""
        queue.complete(self.instance.db, input_ids)
        with self._lock:
            added = {each: self._added[each] for each in input_ids if each in self._added}
        if added:
            witness.said += added.values()
            self._publish(Consumed(tuple(added)))

    def _result(self) -> Outcome:
        result = self.progress.result
        if self._why and (result is None or result.status != "ok"):
            return self._stopped_outcome()
        if result is None:
            return self.progress.outcome("provider_failed", {"detail": "no result"})
        if result.status == "ok":
            extra = result.extra or self._nothing_made()
            return replace(self.progress.outcome(), answer=result.text, extra=extra)
        return self.progress.outcome(result.error_class or "provider_failed", result.details)

    def _nothing_made(self) -> Mapping[str, Any]:
        """Say of a designer's run that it ended without a draft."""
        record = self._record
        if record is None or record.mode != DESIGNER:
            return {}
        return {"draft_error": phrase("draft.none", record.lang)}

    def _stopped_outcome(self) -> Outcome:
        if self._why == STOPPED:
            return replace(self.progress.outcome(), stopped=True)
        record = self._record
        details = {
            "limit_s": RUN_LIMIT_S,
            "silence_s": SILENCE_S,
            "serial": record.serial if record else "",
        }
        return self.progress.outcome(self._why, details)

    def _stop_hard(self) -> None:
        """End the run though its provider does not; the thread that waits for it stays behind."""
        with self._lock:
            if self._ended:
                return
        logger.error("run %s: the provider did not stop in %s s", self.row.run_id, HARD_STOP_S)
        self._end(self._stopped_outcome())

    def _end(self, outcome: Outcome) -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = True
        if self._hard is not None:
            self._hard.cancel()
        try:
            until_stored(lambda: self._store_end(outcome), self._leaving.wait, self._tell_waiting)
        except NotFound:  # its conversation was deleted, and the run with it
            logger.info("run %s: gone before it ended", self.row.run_id)
        finally:
            self._over.set()
        self.changed()

    def _store_end(self, outcome: Outcome) -> None:
        record = self._record or store.get(self.instance.db, self.row.run_id)
        told = tuple(card.as_step(n) for n, card in enumerate(self._memory.cards, start=1))
        lesson = self._lesson(outcome) if self.teaches else None
        kept = lesson.kept() if lesson is not None and lesson.is_due else None
        ended = replace(outcome, told=told, lesson=kept)
        if end_run(self.instance.db, self.log, record, ended):
            self._last = outcome

    def _tell_waiting(self, error: ConsoleError) -> None:
        """Say to whoever watches why the end does not come yet."""
        logger.error("run %s: its end waits to be stored: %s", self.row.run_id, error)
        record = self._record
        lang = record.lang if record else DEFAULT_LANG
        self.log.append(Notice(error.code, error.words(lang).message))
