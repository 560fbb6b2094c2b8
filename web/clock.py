"""What the console does by the clock, in threads of its own."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.date import DateTrigger

from core import leaps, retention, settings
from core.clock import utc_now
from core.devices.remote import RemotePhones
from core.errors import ConsoleError
from core.leaps import Leaps, steady_s
from core.memory import audit as memory_audit
from core.setup import Instance
from core.tasks import due
from core.trouble import Trouble
from core.words import DEFAULT_LANG, Lang
from mcp_agent import review
from mcp_agent.abort import Abort
from web.triggers import Every

logger = logging.getLogger(__name__)

SWEEP_EVERY_MIN, FIRST_SWEEP_MIN = 60, 2
GRACE_S = 300
TICK_S = 1
WATCH_S = 5.0
LEAP_MOST = timedelta(days=1)
AUDIT_AT = (3, 47)  # by the clock on the wall: when nobody works
MADE_UP_MIN = 10  # after the start, where the last review is more than a day ago


class Clock:
    """The console's jobs; started once, in the process that serves."""

    def __init__(
        self,
        instance: Instance,
        phones: RemotePhones,
        wake_tasks: Callable[[], None],
        watch: Leaps | None = None,
    ) -> None:
        self._phones = phones
        self._instance = instance
        self._wake_tasks = wake_tasks
        self.audit_failed: ConsoleError | None = None  # why the latest review broke off
        self._audit = threading.Lock()
        self._troubles: dict[str, Trouble] = {}  # by the job
        self._stop = Abort()
        self._leaps = watch or Leaps()
        self._trusted_from = 0.0
        self._is_behind = False  # after a leap, until all that follows from it is stored
        self._scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"misfire_grace_time": GRACE_S, "coalesce": True}
        )

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.add_listener(self._note_end, EVENT_JOB_ERROR | EVENT_JOB_EXECUTED)
        db, now = self._instance.db, utc_now()
        self._doubt(leaps.DOUBT if leaps.is_odd(db, now) else leaps.doubt_left(db, now))
        self._catch_up()
        self._plan()
        self._scheduler.start()
        threading.Thread(target=self._watch, name="leaps", daemon=True).start()

    def _plan(self) -> None:
        """Say when each job runs next, by the clock as it is now."""

        def plan(work: Callable[[], None], trigger: object, name: str, **more: object) -> None:
            self._scheduler.add_job(work, trigger, id=name, replace_existing=True, **more)

        # soon after the start too: a console that is restarted every hour must not keep all
        first = utc_now() + timedelta(minutes=FIRST_SWEEP_MIN)
        plan(self.sweep, Every(minutes=SWEEP_EVERY_MIN), "retention", next_run_time=first)
        hour, minute = AUDIT_AT
        at = CronTrigger(hour=hour, minute=minute)
        # a machine that sleeps at night reviews when it wakes
        plan(self.audit, at, "audit", misfire_grace_time=None)
        latest, now = memory_audit.latest(self._instance.db), utc_now()
        if latest is None or now - latest > timedelta(days=1, seconds=GRACE_S):
            made_up = DateTrigger(now + timedelta(minutes=MADE_UP_MIN))
            plan(self.make_up, made_up, "audit-made-up")
        # a tick that found the last one still at work is made up for by the next
        plan(self.tick, Every(seconds=TICK_S), "tasks")

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
            self.audit_failed = None
        except ConsoleError as error:
            self.audit_failed = error
            raise
        except Exception:  # raised again and logged; the page says that it broke off
            self.audit_failed = ConsoleError()
            raise
        finally:
            self._audit.release()

    def tick(self) -> None:
        """Start the tasks that are due."""
        if due.take(self._instance.db, utc_now()):
            self._wake_tasks()

    def sweep(self) -> None:
        """Let go of what is kept longer, or is more, than the settings say."""
        chosen, now = settings.load(self._instance), utc_now()
        trusted = steady_s() >= self._trusted_from
        days = chosen.agent_retention_days if trusted else None
        retention.sweep(self._instance, now, days, chosen.agent_retention_gb)
        leaps.note(self._instance.db, now)

    def look_at_clock(self) -> None:
        """Plan anew where the clock leapt: the jobs' next times were meant by the old one."""
        by = self._leaps.look()
        if by is not None:
            logger.warning("the clock leapt by %s", by)
            self._is_behind = True
            self._doubt(leaps.DOUBT if abs(by) > LEAP_MOST else timedelta())
            self._plan()
        if self._is_behind:
            self._catch_up()
            self._is_behind = False

    def _doubt(self, lasts: timedelta) -> None:
        if lasts:
            logger.warning("nothing goes for its age for %s: the clock may be wrong", lasts)
            self._trusted_from = steady_s() + lasts.total_seconds()

    def _catch_up(self) -> None:
        """Store what follows from the clock as it is now."""
        db, now = self._instance.db, utc_now()
        left_s = self._trusted_from - steady_s()
        if left_s > 0:
            leaps.doubt(db, now + timedelta(seconds=left_s))
        forward = due.bring_forward(db, now)
        if forward:
            logger.warning("%s tasks and runs were brought forward", forward)

    def _watch(self) -> None:
        trouble = Trouble(logger, "after a leap of the clock not all could be planned anew")
        while not self._stop.wait(WATCH_S):
            try:
                self.look_at_clock()
                trouble.is_over()
            except Exception as error:  # noqa: BLE001 - told; the next look tries again
                trouble.happened(error)

    def _note_end(self, event: JobExecutionEvent) -> None:
        job = event.job_id
        trouble = self._troubles.setdefault(job, Trouble(logger, f"job {job} failed"))
        if event.exception is None:
            trouble.is_over()
        else:
            trouble.happened(event.exception)
