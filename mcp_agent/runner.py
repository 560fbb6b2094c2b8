"""Accept runs, have them carried, stop them, and close those that a crash left open."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core import settings as agent_settings
from core.db import Database
from core.devices.lease import Claim
from core.errors import DeviceBusy, NotFound
from core.inbox import queue
from core.runs import parking, questions, store
from core.runs.log import EventLog
from core.runs.logs import EventLogs
from core.runs.questions import Question
from core.runs.record import RunRecord, RunRequest
from core.runs.slots import OPEN, PARKED
from core.runs.wire import wire
from core.settings import AgentSettings
from core.setup import Instance
from core.words import DEFAULT_LANG, Lang
from mcp_agent.aftermath import so_far
from mcp_agent.asking import as_event
from mcp_agent.carrier import Carrier
from mcp_agent.crew import Crew
from mcp_agent.ending import INTERRUPTED, end_run
from mcp_agent.lessons import Lesson
from mcp_agent.providers.base import PROVIDERS, load_providers
from mcp_agent.repeating import prompt_again

logger = logging.getLogger(__name__)

OWNER = "console"
CHANNELS = ("phone",)


@dataclass(frozen=True, slots=True)
class RunStart:
    """What somebody asked for; what is None is taken from the settings."""

    prompt: str
    serial: str
    conv_id: str | None = None
    mode: str = "chat"
    channel: str | None = None
    autonomy: str | None = None
    lang: Lang = DEFAULT_LANG
    user_id: str | None = None
    replaces: int | None = None
    attachments: tuple[str, ...] = ()


class Runner(Crew[Carrier]):
    """The runs of this process; ``learn`` is called with each that ended here."""

    def __init__(
        self,
        instance: Instance,
        logs: EventLogs,
        owner: str = OWNER,
        load_settings: Callable[[], AgentSettings] | None = None,
        mcp_url: str | None = None,
    ) -> None:
        super().__init__("run")
        self.instance = instance
        self.logs = logs
        self.owner = owner
        self.learn: Callable[[Lesson], None] | None = None
        self._mcp_url = mcp_url
        self._load_settings = load_settings or partial(agent_settings.load, instance)
        load_providers()

    def begin(self) -> None:
        """Take up or close what a crash left open, then start to work."""
        queue.give_back(self.instance.db, self.owner)
        super().begin()

    def start(self, asked: RunStart) -> RunRecord:
        """Accept a run, or raise the leaf that says what to do first.

        Raises:
            NotFound: No such provider, channel or conversation.
            NoDevice, DeviceOffline, DeviceBusy, SlotBusy, ConversationBusy, Invalid: See
                `core.runs.store.start`.
        """
        chosen = self._load_settings()
        PROVIDERS.get(chosen.provider)
        channel = asked.channel or CHANNELS[0]
        if channel not in CHANNELS:
            raise NotFound(kind="channel", name=channel, known=", ".join(CHANNELS))
        request = RunRequest(
            prompt=asked.prompt,
            serial=asked.serial,
            conv_id=asked.conv_id,
            mode=asked.mode,
            channel=channel,
            provider=chosen.provider,
            autonomy=asked.autonomy or chosen.agent_autonomy,
            max_steps=chosen.agent_max_steps,
            lang=asked.lang,
            owner=self.owner,
            user_id=asked.user_id,
            replaces=asked.replaces,
            attachments=asked.attachments,
        )
        record = store.start(self.instance.db, request, chosen.agent_slots)
        logger.info("run %s: accepted for %s, %s", record.run_id, record.serial, record.provider)
        self.wake()
        return record

    def again(self, run_id: str, how: str) -> RunRecord:
        """Start a run anew after one that broke off, in its conversation and on its phone.

        Raises:
            NotFound: There is no such run.
            NoDevice: It had no phone that is known.
            Invalid: Its brain cannot go on where it was.
        """
        before = store.get(self.instance.db, run_id)
        return self.start(
            RunStart(
                prompt_again(before, how),
                before.serial or "",
                conv_id=before.conv_id,
                mode=before.mode,
                channel=before.channel,
                autonomy=before.autonomy,
                lang=before.lang,
                attachments=queue.attached_to(self.instance.db, run_id),
            )
        )

    def stop(self, run_id: str) -> None:
        """Stop a run in whatever state it is; one that has ended stays as it is.

        Raises:
            NotFound: There is no such run.
        """
        with self._lock:  # so that a run is either not claimed yet or can be told to stop
            carrier = self._carriers.get(run_id)
            if carrier is None:
                self._end_uncarried(store.get(self.instance.db, run_id), error=None)
        if carrier is not None:
            carrier.stop()

    def message(self, run_id: str, text: str, attachment_ids: Sequence[str] = ()) -> str:
        """Add something to a run that goes on, and return the message's id.

        What comes too late for its brain begins the conversation's next run.

        Raises:
            NotFound: There is no such run, or no such attachment.
            RunOver: It has ended; nothing was kept.
        """
        row = queue.add_followup(self.instance.db, run_id, text, attachment_ids)
        with self._lock:
            carrier = self._carriers.get(run_id)
        if carrier is not None:
            carrier.push(row)
        return row.id

    def answer(self, run_id: str, question_id: str, value: str, who: str) -> Question:
        """Answer what a run asks; it goes on as soon as it has a slot again.

        Raises:
            NotFound: There is no such run, or it asked no such question.
            QuestionClosed: It was answered before, has expired, or the run is over.
            Invalid: The value is none of the options.
        """
        answered = parking.answer(self.instance.db, run_id, question_id, value, who)
        logger.info("run %s: %s answered %s with %s", run_id, who, question_id, value)
        self._follow(run_id)
        return answered

    def take_over(self, hardware_serial: str, claim: Claim, lang: Lang) -> int:
        """Put a phone into a person's hands; a run that has it is paused. Returns the fence.

        Raises:
            DeviceBusy: A task, a program or another person holds it.
        """
        taken = parking.take_over(self.instance.db, hardware_serial, claim, lang)
        if taken.run_id is not None:
            logger.info("run %s: paused, %s took over", taken.run_id, claim.label)
            self._follow(taken.run_id)
        return taken.fence

    def give_back(self, hardware_serial: str, claim: Claim) -> None:
        """Take a phone out of a person's hands; the run that was paused for it goes on."""
        run_id = parking.give_back(self.instance.db, hardware_serial, claim)
        if run_id is not None:
            self._follow(run_id)

    def snapshot(self) -> dict[str, Any]:
        """Say what runs now, in the form of ``GET /api/agent/run``."""
        db = self.instance.db
        runs = [_live(db, record) for record in store.open_runs(db)]
        return {"running": bool(runs), "run": runs[0] if runs else None, "runs": runs}

    def _look_after(self) -> None:
        """Let time close what nobody answered, and tell runs what another process took down."""
        questions.expire_due(self.instance.db)
        with self._lock:
            carried = list(self._carriers.items())
        for run_id, carrier in carried:
            self._follow(run_id)
            for row in queue.followups(self.instance.db, run_id):
                carrier.push(row)

    def _follow(self, run_id: str) -> None:
        with self._lock:
            carrier = self._carriers.get(run_id)
        if carrier is None:  # another process carries it, and looks by itself
            return
        try:
            carrier.follow_questions()
        except DeviceBusy:
            logger.warning("run %s: its phone was taken while it waited", run_id)
            carrier.stop("lease_lost")

    def _claim(self) -> tuple[str, Carrier] | None:
        row = queue.claim(self.instance.db, self.owner)
        if row is None:
            return None
        carrier = Carrier(
            self.instance,
            self.logs.open(row.run_id),
            row,
            self._load_settings,
            lambda: self.changed(),
            self._mcp_url,
        )
        carrier.teaches = self.learn is not None
        return row.run_id, carrier

    def _done(self, carrier: Carrier) -> None:
        lesson = carrier.lesson()
        if self.learn is not None and lesson is not None and not self._closing.is_set():
            self.learn(lesson)

    def _sweep(self) -> None:
        """Close the runs that nobody carries any more; what waits in the inbox still runs."""
        for record in store.orphans(self.instance.db, self.owner):
            if record.run_id not in self._carriers:
                logger.warning("run %s: was interrupted", record.run_id)
                self._end_uncarried(record, error=INTERRUPTED)

    def _end_uncarried(self, record: RunRecord, error: str | None) -> None:
        if record.status in OPEN:
            db = self.instance.db
            outcome = so_far(store.events(db, record.run_id, 0), error)
            end_run(db, self._log_after(record), record, outcome)
            self.changed()

    def _log_after(self, record: RunRecord) -> EventLog:
        """Open a log whose ids are above every id that the run's own process can have sent."""
        db = self.instance.db
        if record.status == "queued":
            return self.logs.open(record.run_id)
        return EventLog(
            record.run_id,
            store.next_boot(db),
            self.logs.bell,
            lambda after, before: store.events(db, record.run_id, after, before),
        )


def _live(db: Database, record: RunRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "run_id": record.run_id,
        "conv_id": record.conv_id,
        "serial": record.serial,
        "mode": record.mode,
        "status": record.status,
        "step": record.step,
        "max_steps": record.max_steps,
    }
    waits_for = questions.open_of(db, record.run_id) if record.status in PARKED else []
    if waits_for:
        event = wire(as_event(waits_for[0]))
        shown["question"] = event[1] if event else None
    return shown
