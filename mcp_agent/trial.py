"""Try saved actions on a phone that nobody uses, at night, so that a review knows more.

Only where the settings allow it. A risky step is not done: there is nobody to ask. What an action
came to is written down with it as after any replay; what a phone could not do says nothing of it.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from core.clock import utc_now
from core.db import Database
from core.devices import lease, store
from core.devices.lease import Claim
from core.devices.remote import RemotePhones
from core.errors import ConsoleError, DeviceBusy, ElementGone, NoSuchApp
from core.ids import short_id
from core.memory import actions, experiences, stale
from core.memory.actions import Action
from core.steps.lines import Asked, Ended, Ready
from core.words import Lang, phrase
from mcp_agent.abort import Abort

logger = logging.getLogger(__name__)

MOST = 20  # actions of one night
AGAIN = timedelta(days=7)  # what was replayed since then needs no trial
LIMIT_S = 120.0
PROLONG_S = 8.0
HOME = {"type": "press_key", "key": "home"}
#: What speaks against the action itself; anything else may be the phone, the network, the night.
TELLING = (ElementGone, NoSuchApp)


@dataclass
class Hold:
    """A phone in our hands for one trial; set once the trial has lasted long enough."""

    db: Database
    serial: str
    owner: str
    fence: int
    until: float
    stop: Abort
    prolonged: float = 0.0

    def is_set(self) -> bool:
        """Say whether to stop; keeps the phone until then."""
        now = time.monotonic()
        if now - self.prolonged > PROLONG_S:
            self.prolonged = now
            with self.db.write() as session:
                lease.renew(session, self.owner, self.fence)
        return now > self.until or self.stop.is_set()

    def wait(self, timeout: float) -> bool:
        """Wait a while."""
        self.stop.wait(timeout)
        return self.is_set()


def try_out(db: Database, phones: RemotePhones, lang: Lang, stop: Abort) -> int:
    """Try actions that nobody replayed lately, as long as a phone is free; returns how many."""
    count = 0
    for action in actions.unused_since(db, utc_now() - AGAIN, MOST):
        with _free_phone(db, lang, stop) as held:
            if held is None or stop.is_set():
                break
            _try(db, phones, action, held)
            count += 1
    return count


def _try(db: Database, phones: RemotePhones, action: Action, held: Hold) -> None:
    asked = Asked([HOME, *action.raw], pictures="none", ready=Ready(unlocked=True))
    ended = Ended("stopped", {})
    try:
        for line in phones.steps(held.serial, asked, held.owner, held.fence, held):
            if isinstance(line, Ended):
                ended = line
    except ConsoleError as error:
        logger.warning("经验巡检: 动作回放 %s: %s", action.name, error)
        return
    logger.info("经验巡检: 动作回放 %s: %s %s", action.name, ended.verdict, ended.error or "")
    if ended.verdict in ("success", "partial"):
        actions.replayed(db, action, None)
    elif isinstance(ended.error, TELLING):
        actions.replayed(db, action, stale.failed(ended.error))
        with db.write() as session:
            experiences.reopen(session, action.run_id)


@contextmanager
def _free_phone(db: Database, lang: Lang, stop: Abort) -> Iterator[Hold | None]:
    """Hold a phone that is ready and in nobody's hands, if there is one."""
    owner = f"trial-{short_id()}"
    claim = Claim("task", owner, phrase("audit.trial", lang))
    held = next(_holds(db, claim, stop), None)
    try:
        yield held
    finally:
        if held is not None:
            with db.write() as session:
                lease.release(session, owner)


def _holds(db: Database, claim: Claim, stop: Abort) -> Iterator[Hold]:
    for phone in store.ready(db):
        try:
            with db.write() as session:
                fence = lease.take(session, phone.hardware_serial, claim)
        except DeviceBusy:
            continue
        yield Hold(db, phone.serial, claim.owner, fence, time.monotonic() + LIMIT_S, stop)
