"""The bearer secret of a run: it names a conversation and is resolved anew at each call.

So a token never outlives its run, follows the conversation to its next one, and can reach only
the device, and the right to write, that the current run has.
"""

from dataclasses import dataclass

from sqlalchemy import delete, select, update

from core.db import Database
from core.ids import digest, secret_token
from core.models import Run, RunToken
from core.words import Lang

OBSERVE = "observe"
LIVE = ("running", "waiting", "paused")


@dataclass(frozen=True, slots=True)
class RunAccess:
    """What the holder of a run token may do now."""

    run_id: str
    conv_id: str
    mode: str
    serial: str | None
    hardware_serial: str | None
    fence: int
    autonomy: str
    look_first: bool
    lang: Lang

    @property
    def may_write(self) -> bool:
        """Whether this run may touch the phone at all."""
        return self.autonomy != OBSERVE


def mint(db: Database, conv_id: str) -> str:
    """Make the token of a conversation's next run; those of its earlier runs die."""
    secret = secret_token("pdr")
    with db.write() as session:
        session.execute(delete(RunToken).where(RunToken.conv_id == conv_id))
        session.add(RunToken(digest=digest(secret), conv_id=conv_id))
    return secret


def resolve(db: Database, secret: str) -> RunAccess | None:
    """Return what this token reaches now, or None when its conversation has no live run."""
    with db.read() as session:
        run = session.scalar(
            select(Run)
            .join(RunToken, RunToken.conv_id == Run.conv_id)
            .where(RunToken.digest == digest(secret), Run.status.in_(LIVE))
            .order_by(Run.created.desc())
        )
    if run is None:
        return None
    return RunAccess(
        run_id=run.id,
        conv_id=run.conv_id,
        mode=run.mode,
        serial=run.serial,
        hardware_serial=run.hardware_serial,
        fence=run.fence,
        autonomy=run.autonomy,
        look_first=run.look_first,
        lang="en" if run.lang == "en" else "zh",
    )


def looked(db: Database, run_id: str) -> None:
    """Note that a run has seen the screen since a person had its phone."""
    with db.write() as session:
        session.execute(update(Run).where(Run.id == run_id).values(look_first=False))
