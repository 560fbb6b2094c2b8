"""What the console does by the clock, in threads of its own."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

from core import retention, settings
from core.clock import utc_now
from core.devices.remote import RemotePhones
from core.memory import audit as memory_audit
from core.setup import Instance
from core.tasks import due
from core.trouble import Trouble
from core.words import DEFAULT_LANG, Lang
from mcp_agent import review
from mcp_agent.abort import Abort

logger = logging.getLogger(__name__)

SWEEP_EVERY_MIN, FIRST_SWEEP_MIN = 60, 2
GRACE_S = 300
TICK_S = 1
AUDIT_AT = (3, 47)  # by the clock on the wall: when nobody works
MADE_UP_MIN = 10  # after the start, where the last review is more than a day ago


class Clock:
    """The console's jobs; started once, in the process that serves."""

    def __init__(
        self, instance: Instance, phones: RemotePhones, wake_tasks: Callable[[], None]
    ) -> None:
        self._phones = phones
        self._instance = instance
        self._wake_tasks = wake_tasks
        self._audit = threading.Lock()
        self._troubles: dict[str, Trouble] = {}  # by the job
        self._stop = Abort()
        self._scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"misfire_grace_time": GRACE_S, "coalesce": True}
        )

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.add_listener(self._note_end, EVENT_JOB_ERROR | EVENT_JOB_EXECUTED)
        # soon after the start too: a console that is restarted every hour must not keep all
        first = utc_now() + timedelta(minutes=FIRST_SWEEP_MIN)
        self._scheduler.add_job(
            self.sweep, "interval", minutes=SWEEP_EVERY_MIN, id="retention", next_run_time=first
        )
        hour, minute = AUDIT_AT
        at = CronTrigger(hour=hour, minute=minute)
        # a machine that sleeps at night reviews when it wakes
        self._scheduler.add_job(self.audit, at, id="audit", misfire_grace_time=None)
        self._make_up()
        # a tick that found the last one still at work is made up for by the next
        self._scheduler.add_job(self.tick, "interval", seconds=TICK_S, id="tasks")
        self._scheduler.start()

    def stop(self) -> None:
        """Tick no more, and leave a review where it is."""
        self._stop.set("stopped")
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def due(self) -> dict[str, datetime]:
        """Say when each job runs next."""
        return {job.id: job.next_run_time for job in self._scheduler.get_jobs()}

    @property
    def auditing(self) -> bool:
        """Say whether memories are being reviewed."""
        return self._audit.locked()

    def audit_now(self, lang: Lang) -> bool:
        """Have memories reviewed at once, in the background; False when that is being done."""
        if not self._audit.acquire(blocking=False):
            return False
        self._scheduler.add_job(
            self._review, args=(lang, self._phones), id="audit-now", misfire_grace_time=None
        )
        return True

    def audit(self, lang: Lang = DEFAULT_LANG) -> None:
        """Review memories, unless that is being done."""
        if self._audit.acquire(blocking=False):
            self._review(lang, self._phones)

    def make_up(self) -> None:
        """Review memories after nights without; by day no phone is taken to try actions on."""
        if self._audit.acquire(blocking=False):
            self._review(DEFAULT_LANG, None)

    def _review(self, lang: Lang, phones: RemotePhones | None) -> None:
        """Review memories; the lock is ours already, so that nobody begins in between."""
        try:
            chosen = settings.load(self._instance)
            review.review(self._instance, chosen, lang, phones, self._stop)
        finally:
            self._audit.release()

    def _make_up(self) -> None:
        latest, now = memory_audit.latest(self._instance.db), utc_now()
        if latest is None or now - latest > timedelta(days=1, seconds=GRACE_S):
            at = now + timedelta(minutes=MADE_UP_MIN)
            self._scheduler.add_job(self.make_up, "date", run_date=at, id="audit-made-up")

    def tick(self) -> None:
        """Start the tasks that are due."""
        if due.take(self._instance.db, utc_now()):
            self._wake_tasks()

    def sweep(self) -> None:
        """Let go of what is kept longer, or is more, than the settings say."""
        chosen = settings.load(self._instance)
        retention.sweep(
            self._instance, utc_now(), chosen.agent_retention_days, chosen.agent_retention_gb
        )

    def _note_end(self, event: JobExecutionEvent) -> None:
        job = event.job_id
        trouble = self._troubles.setdefault(job, Trouble(logger, f"job {job} failed"))
        if event.exception is None:
            trouble.is_over()
        else:
            trouble.happened(event.exception)
