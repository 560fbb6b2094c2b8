"""Carry one run from its inbox row to its last event.

It reads the provider's events, gives tool calls their numbers and pictures their addresses,
publishes what outsiders see, and ends the run with exactly one terminal event, whatever happens.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from core import attachments, conversations
from core.clock import iso, utc_now
from core.errors import ConsoleError, NotFound
from core.inbox import queue
from core.inbox.queue import InboxRow
from core.memory import clauses
from core.memory.clauses import Clause
from core.runs import questions, store, tokens
from core.runs.events import (
    Activity,
    Consumed,
    Event,
    Message,
    Notice,
    ProviderEvent,
    ReasoningDelta,
    Route,
    SessionStarted,
    TextDelta,
    TextSegment,
    ToolFinished,
    ToolStarted,
    TurnResult,
    Usage,
)
from core.runs.log import EventLog
from core.runs.record import RunRecord
from core.settings import REASONING_KEPT, RUN_LIMIT_S, AgentSettings
from core.setup import Instance
from core.words import phrase
from mcp_agent.asking import Asking
from mcp_agent.checking import check_draft
from mcp_agent.designer import Workshop, workshop
from mcp_agent.ending import Outcome, end_run
from mcp_agent.lessons import LIMITS, Lesson, Witness
from mcp_agent.modes import CHECK, DESIGNER
from mcp_agent.providers.base import AgentQuery, Attachment, Http, QueryInput, provider
from mcp_agent.pulse import SILENCE_S, Pulse
from mcp_agent.recalling import NOTHING, Card, remembered
from mcp_agent.step_pictures import StepPictures

logger = logging.getLogger(__name__)

STOPPED = "stopped"
PHONE = "phone"
HARD_STOP_S = 0.9  # a stop frees slot and phone within a second, whatever the brain does
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

    @property
    def answer_so_far(self) -> str:
        """What was said to the person until now."""
        return "\n\n".join(part for part in [*self.said, self.text] if part.strip())


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
        self.progress = Progress()
        self._lock = threading.RLock()
        self._record: RunRecord | None = None
        self._query: AgentQuery | None = None
        self._added: set[str] = set()
        self._pushed: set[str] = set()
        self._why = ""
        self._stop: Future[None] = Future()
        self._pictures = StepPictures(instance, row.run_id, self._stop, self._tell_once)
        self._announces = False
        self._hard: threading.Timer | None = None
        self._ended = False
        self._asking: Asking | None = None
        self._memory = NOTHING
        self._witness = Witness()
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
            outcome = self._outcome(error.code, error.details)
        except Exception:  # the outermost: a run must end with words whatever broke
            logger.exception("run %s: broke", run_id)
            outcome = self._outcome("internal", {})
        finally:
            if pulse is not None:
                pulse.stop()
        self._end(outcome)

    def stop(self, why: str = STOPPED) -> None:
        """Stop the run within a second: ``why`` is `STOPPED` or the code of an error."""
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
        questions.void_now(self.instance.db, self.row.run_id)  # nobody approves a stopped run

    def push(self, row: InboxRow) -> None:
        """Hand a follow-up to the brain, once; what it does not take in is left to the next run."""
        with self._lock:
            if row.id in self._pushed or self._query is None or self._ended:
                return  # before the query exists, its start picks the row up
            if row.id not in self._added:
                self._added.add(row.id)
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
        if self._record is None or self._last is None:
            return None
        n = self.progress.tools + self.progress.cards + 1
        return self._witness.lesson(self.instance, self._record, self._last, self._memory, n)

    def _publish(self, event: Event) -> None:
        with self._lock:
            if not self._ended:
                self.log.append(event)

    def _carry(self, record: RunRecord, asking: Asking) -> Outcome:
        reason = phrase("route.only", record.lang)
        self._publish(Route(record.channel, reason, (record.channel,)))
        query = self._begin(record)
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

    def _begin(self, record: RunRecord) -> AgentQuery:
        if record.mode == CHECK:
            return check_draft(self._input(record))
        brain = provider(record.provider)
        if brain.caps.model:  # rules have nobody to tell
            self._memory = remembered(self.instance, record)
        for card in self._memory.cards:
            self._show(card)
        self._announces = brain.caps.announces
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

    def _show(self, card: Card) -> None:
        """Publish a card in the form of a step; it is none of the run's own."""
        self.progress.cards += 1
        n = self.progress.cards
        self._publish(ToolStarted(card.tool, card.tool, card.args, n=n))
        self._publish(ToolFinished(card.tool, "ok", card.text, n=n, name=card.tool, args=card.args))

    def _workshop(self, record: RunRecord) -> Workshop | None:
        """Give a designer's run the place for its draft; its checks are shown as steps."""
        if record.mode not in (DESIGNER, CHECK):
            return None
        return workshop(self.instance, record, self._hear)

    def _hear(self, event: ProviderEvent) -> None:
        """Take an event; whoever sends one is alive."""
        if self._asking is not None:
            self._asking.pulse.heard()
        self._take(event)

    def _take(self, event: ProviderEvent) -> None:
        """Note one event of the provider, and publish what outsiders see of it."""
        progress = self.progress
        match event:
            case SessionStarted(continuation):
                progress.continuation = continuation
            case Activity(turn) if turn is not None:
                progress.counts_turns = True
                self._advance(turn)
            case TextDelta() | TextSegment() | ReasoningDelta():
                self._take_text(event)
            case ToolStarted() | ToolFinished():
                self._take_tool(event)
            case Usage():
                progress.usage = event if progress.usage is None else progress.usage + event
                self._publish(progress.usage)
            case Consumed(input_ids):
                queue.complete(self.instance.db, input_ids)
                self._tell_taken(input_ids)
            case TurnResult():
                progress.result = event
            case Notice():
                self._witness.limited |= event.code in LIMITS
                self._publish(event)
            case _:
                pass

    def _tell_taken(self, input_ids: tuple[str, ...]) -> None:
        """Say which of the things that were added the brain has read."""
        with self._lock:
            added = tuple(each for each in input_ids if each in self._added)
        if added:
            self._publish(Consumed(added))

    def _take_text(self, event: TextDelta | TextSegment | ReasoningDelta) -> None:
        progress = self.progress
        if isinstance(event, TextSegment):  # it was streamed already, piece by piece
            progress.said.append(event.text)
            progress.text = ""
            return
        if isinstance(event, TextDelta):
            progress.text += event.text
        else:
            progress.reasoning = (progress.reasoning + event.text)[:REASONING_KEPT]
        self._publish(event)

    def _take_tool(self, event: ToolStarted | ToolFinished) -> None:
        if isinstance(event, ToolStarted):
            self._begin_tool(event)
            return
        progress = self.progress
        begun = progress.calls.get(event.call_id)
        if begun is None:
            logger.warning("run %s: unknown tool call %s ended", self.row.run_id, event.call_id)
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
        self._witness.see(shown)
        self.follow_questions()

    def _begin_tool(self, event: ToolStarted) -> None:
        progress = self.progress
        progress.tools += 1
        started = replace(event, n=progress.tools + progress.cards, started=iso(utc_now()))
        progress.calls[event.call_id] = started
        writes = event.name not in READS
        if writes or not progress.counts_turns:
            step = progress.step if progress.counts_turns else progress.tools
            self._advance(step, acted=writes)
        self._publish(started)
        if writes and event.server == PHONE:
            serial = self._record.serial if self._record else None
            progress.before[event.call_id] = self._pictures.before(serial, self._announces)

    def _advance(self, step: int, acted: bool = False) -> None:
        self.progress.step = step
        store.advance(self.instance.db, self.row.run_id, step, acted)
        self.changed()

    def _image(self, tool: str, event: ToolFinished) -> str | None:
        """Give the address of the step's picture: the tool's own, or how the screen is now."""
        if event.pictures:
            return self._pictures.keep(event.pictures[-1])
        if tool in READS or event.status == "aborted" or self._record is None:
            return None
        return self._pictures.after(self._record.serial)

    def _tell_once(self, error: ConsoleError) -> None:
        """Say once in a run what makes it poorer; it goes on."""
        record = self._record
        if error.code not in self.progress.told and record is not None:
            self.progress.told.add(error.code)
            self._publish(Notice(error.code, error.words(record.lang).message))

    def _result(self) -> Outcome:
        result = self.progress.result
        if self._why and (result is None or result.status != "ok"):
            return self._stopped_outcome()
        if result is None:
            return self._outcome("provider_failed", {"detail": "no result"})
        if result.status == "ok":
            extra = result.extra or self._nothing_made()
            return replace(self._outcome(None, {}), answer=result.text, extra=extra)
        return self._outcome(result.error_class or "provider_failed", result.details)

    def _nothing_made(self) -> Mapping[str, Any]:
        """Say of a designer's run that it ended without a draft."""
        record = self._record
        if record is None or record.mode != DESIGNER:
            return {}
        return {"draft_error": phrase("draft.none", record.lang)}

    def _stopped_outcome(self) -> Outcome:
        if self._why == STOPPED:
            return replace(self._outcome(None, {}), stopped=True)
        record = self._record
        details = {
            "limit_s": RUN_LIMIT_S,
            "silence_s": SILENCE_S,
            "serial": record.serial if record else "",
        }
        return self._outcome(self._why, details)

    def _outcome(self, error: str | None, details: Mapping[str, Any]) -> Outcome:
        progress = self.progress
        return Outcome(
            answer=progress.answer_so_far,
            error=error,
            details=details,
            usage=progress.usage,
            reasoning=progress.reasoning,
            steps=progress.tools,
            ms=round((time.monotonic() - progress.begun) * 1000),
            continuation=progress.continuation,
            attempt=self.row.attempt,
        )

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
            record = self._record or store.get(self.instance.db, self.row.run_id)
            if end_run(self.instance.db, self.log, record, outcome):
                self._last = outcome
        except NotFound:  # its conversation was deleted, and the run with it
            logger.info("run %s: gone before it ended", self.row.run_id)
        self.changed()
