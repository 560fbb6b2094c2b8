"""Carry one task run: have its steps done on its phone, keep what comes of each, end it once.

No model takes part. The steps run next to the phone (`core.devices.remote`); here the lease is
kept alive, the time is measured, and what happens is written down as it happens.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from core import artifacts
from core.devices.lease import RENEW_S
from core.devices.remote import RemotePhones
from core.errors import (
    ConsoleError,
    DiskLow,
    Interrupted,
    LeaseLost,
    McpUnreachable,
    NeedsHuman,
    NotSubmitted,
    RunTimeout,
)
from core.setup import Instance
from core.steps.lines import Asked, Began, Ended, Ready, Shot
from core.steps.record import StepRecord
from core.storing import until_stored
from core.tasks import line
from core.tasks.line import Outcome
from core.tasks.yard import Job

logger = logging.getLogger(__name__)

JPEG = "image/jpeg"
#: Why a run was told to end, by what its last line says then.
INTERRUPTED, STOPPED, TIMEOUT = "interrupted", "stopped", "run_timeout"


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that failed: what a mender is given."""

    job: Job
    steps: list[Any]
    ended: Ended

    @property
    def index(self) -> int | None:
        """Give the index of the step of the task itself; None when no step was reached."""
        parts = self.ended.path.split(".")
        return int(parts[1]) if len(parts) > 1 else None


#: Gives the steps to go on with from the failed one, or None when nothing can be done.
Mender = Callable[[Failure, threading.Event], list[Any] | None]


@dataclass
class _Progress:
    """What was told of the attempt so far."""

    number: int = 0
    before: int = 0  # steps that began before a mender had the run go on
    last: int = 0
    at: str = ""
    pictures: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    began: bool = False
    mended: bool = False  # from then on pictures show what the mended step led to


class TaskCarrier:
    """One attempt of one run, in a thread of its own."""

    def __init__(
        self,
        instance: Instance,
        phones: RemotePhones,
        job: Job,
        changed: Callable[[], None] = lambda: None,
        mender: Mender | None = None,
    ) -> None:
        self.instance = instance
        self.db = instance.db
        self.phones = phones
        self.job = job
        self.changed = changed
        self.mender = mender
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._leaving = threading.Event()
        self._why = ""
        self._progress = _Progress()

    def stop(self, why: str = STOPPED) -> None:
        """End the run; the first reason counts."""
        if why == INTERRUPTED:
            self._leaving.set()
        self._why = self._why or why
        self._stopping.set()

    def run(self) -> str:
        """Carry the run to the end of this attempt; says how it stands then."""
        beat = threading.Thread(target=self._beat, name=f"beat-{self.job.run_id}", daemon=True)
        beat.start()
        outcome = Outcome("failed", error=ConsoleError())
        try:
            outcome = self._carry()
        except ConsoleError as error:
            outcome = self._broken(error)
        except Exception:  # the run is ended all the same, or it would hold its phone
            logger.exception("task run %s: broke off", self.job.run_id)
        finally:
            self._ended.set()
            status = self._store_end(outcome)
            beat.join(timeout=RENEW_S)
        logger.info("task run %s: %s %s", self.job.run_id, status, outcome.error or "")
        self.changed()
        return status

    def _store_end(self, outcome: Outcome) -> str:
        def tell(error: ConsoleError) -> None:
            logger.error("task run %s: its end waits to be stored: %s", self.job.run_id, error)

        return until_stored(
            lambda: line.finish(self.db, self.job, outcome), self._leaving.wait, tell
        )

    def _carry(self) -> Outcome:
        steps: list[Any] = list(self.job.spec.steps)
        first, inputs = self.job.first, dict(self.job.inputs)
        while True:
            ended = self._do(steps, first, inputs)
            failure = Failure(self.job, steps, ended)
            if ended.verdict != "failed" or self.mender is None or failure.index is None:
                return self._outcome(ended)
            mended = self.mender(failure, self._stopping)
            if mended is None or self._stopping.is_set():
                return self._outcome(ended)
            self._progress.mended = True
            steps, first, inputs = mended, failure.index, {**inputs, **ended.values}

    def _do(self, steps: list[Any], first: int, inputs: dict[str, str]) -> Ended:
        self._progress.before = self._progress.last
        policy = self.job.spec.policy
        app = self.job.app if policy.app_there and "{{" not in self.job.app else ""
        asked = Asked(
            steps,
            inputs,
            first,
            autonomy="auto" if policy.may_risk else "confirm_risky",
            pictures="all" if self._progress.mended else policy.pictures,
            ready=Ready(policy.battery_min, policy.storage_min_mb, policy.unlocked, app),
        )
        told = self.phones.steps(
            self.job.serial, asked, self.job.run_id, self.job.fence, self._stopping
        )
        ended = Ended("failed", {}, ConsoleError())
        for each in told:
            match each:
                case Began(path):
                    self._progress.began = True
                    self._progress.at = path
                    line.at(self.db, self.job.run_id, path)
                case Shot():
                    self._keep(each)
                case StepRecord():
                    self._write(each)
                case Ended():
                    ended = each
            self.changed()
        return ended

    def _keep(self, shot: Shot) -> None:
        try:
            url = artifacts.save(self.instance, self.job.run_id, shot.jpeg, JPEG, of_task=True)
        except DiskLow as error:
            logger.warning("task run %s: no picture of %s: %s", self.job.run_id, shot.path, error)
            return
        self._progress.pictures.append((shot.path, {"url": url, "name": shot.name}))

    def _write(self, record: StepRecord) -> None:
        """Keep what came of a step, with the pictures that were taken in it."""
        mine = [picture for path, picture in self._progress.pictures if path == record.path]
        kept = self._progress.pictures
        self._progress.pictures = [each for each in kept if each[0] != record.path]
        self._progress.number += 1
        told = replace(record, n=record.n + self._progress.before)
        self._progress.last = max(self._progress.last, told.n)
        line.put_step(self.db, self.job, self._progress.number, told, mine)

    def _outcome(self, ended: Ended) -> Outcome:
        if ended.verdict == "stopped":
            return self._stopped(ended.values)
        human = isinstance(ended.error, NeedsHuman | NotSubmitted)
        status = "needs_human" if human else ended.verdict
        return Outcome(status, ended.values, ended.error, ended.path, ended.seen)

    def _stopped(self, values: dict[str, str]) -> Outcome:
        at = self._progress.at
        match self._why:
            case "stopped":
                return Outcome(STOPPED, values, path=at)
            case "run_timeout":
                limit_s = f"{self.job.spec.policy.timeout_s:g}"
                return Outcome("failed", values, RunTimeout(limit_s=limit_s), at)
            case "interrupted":
                return Outcome("failed", values, Interrupted(), at)
            case _:
                return Outcome("failed", values, LeaseLost(serial=self.job.serial), at)

    def _broken(self, error: ConsoleError) -> Outcome:
        """Say what the end of the line means; before the first step nothing was sent yet."""
        if self._why:
            return self._stopped({})
        if isinstance(error, McpUnreachable) and not self._progress.began:
            return Outcome("queued", error=error)
        return Outcome("failed", error=error, path=self._progress.at)

    def _beat(self) -> None:
        """Renew the lease, and end the run when its time is up or its phone is lost."""
        until = time.monotonic() + self.job.spec.policy.timeout_s
        while not self._ended.wait(max(0.0, min(RENEW_S, until - time.monotonic()))):
            if time.monotonic() >= until:
                return self.stop(TIMEOUT)
            why = self._alive()
            if why:
                return self.stop(why)
        return None

    def _alive(self) -> str | None:
        try:
            return line.keep_alive(self.db, self.job)
        except Exception:  # a busy database is no lost lease: the fence tells at the next act
            logger.exception("task run %s: the lease could not be renewed now", self.job.run_id)
            return None
