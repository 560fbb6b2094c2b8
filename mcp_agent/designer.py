"""What the designer of a task has beyond a phone: a place for its draft, and a check of it.

``submit_task`` takes steps, has them checked, does them once without a model, and gives what is
wrong back to the model, three times at most. The draft is a task only once a human saves it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from core.db import Database
from core.devices.remote import RemotePhones
from core.errors import Invalid
from core.memory import actions
from core.runs import proof, store
from core.runs.events import ProviderEvent
from core.runs.proof import Checked
from core.runs.record import RunRecord
from core.setup import Instance
from core.steps.hands import Stop
from core.steps.outline import outline
from core.tasks import drafts
from core.tasks.drafts import Draft, Kept, Replay
from core.words import Lang, phrase
from mcp_agent.local_tools import LOCAL_TOOLS, LocalContext, LocalOutcome
from mcp_agent.rehearsal import Stage

ROUNDS = 3
MENDS = (
    "The check without a model failed at {path}: {error}\nDone before it: {done}.\n{seen}\n"
    "That was check {round} of {rounds}. The phone is where it stopped. Find out what is "
    "different, mend the steps and hand them all in again."
)
BROKEN = (
    "The steps are valid, but the check was broken off: {error} Look at the screen, then hand "
    "them in again."
)
SEEN = "The screen then:\n{seen}\n"


@dataclass(frozen=True)
class Workshop:
    """What a run may do with a draft; without a ``stage`` its run may not touch the phone."""

    db: Database
    run_id: str
    prompt: str
    serial: str
    lang: Lang
    stage: Stage | None

    def check(self, name: Any, steps: Any, inputs: Any) -> Draft:
        """Take a draft from outside; raises as `core.tasks.drafts.check`."""
        return drafts.check(name, steps, inputs, partial(actions.steps_of, self.db))

    def rehearse(self, draft: Draft, stop: Stop) -> Replay:
        """Do a draft without a model, and let that count for the run's proof."""
        if self.stage is None:
            why = phrase("draft.observes", self.lang)
            return Replay(False, error=why, said=why, broken=True)
        replay = self.stage.rehearse(draft, stop)
        if not (replay.broken or replay.asks):
            checked = Checked({"replay": True}, replay.ok, replay.error)
            proof.keep(self.db, self.run_id, [checked])
        return replay

    def keep(self, draft: Draft, replay: Replay | None, prompt: str = "") -> dict[str, Any]:
        """Keep a draft, and give what the run's end carries of it."""
        said = drafts.warnings(draft, self.lang)
        if replay is not None:
            said += drafts.replayed(replay, self.lang)
        shown = replay if replay and replay.steps else None
        kept = Kept(draft, said, prompt or self.prompt, self.serial, shown)
        drafts.keep(self.db, kept)
        return {"draft": draft.shown(), "warnings": list(said)}


def workshop(
    instance: Instance, record: RunRecord, tell: Callable[[ProviderEvent], None]
) -> Workshop:
    """Give a run its workshop; ``tell`` gets the events of the checks."""
    db, serial = instance.db, record.serial or ""
    stage = Stage(
        RemotePhones(instance.config.phonedeck_mcp_port, instance.loopback_secret),
        serial,
        record.run_id,
        lambda: store.get(db, record.run_id).fence,
        record.autonomy,
        record.lang,
        tell,
    )
    may_touch = serial and record.autonomy != "observe"
    return Workshop(
        db, record.run_id, record.prompt, serial, record.lang, stage if may_touch else None
    )


class Submission(BaseModel):
    """The arguments of ``submit_task``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="What the task is called, a few words")
    steps: Any = Field(description=outline(), json_schema_extra={"type": "array"})
    inputs: Any = Field(
        default=None,
        description="A value to try for each {{name}} in the steps",
        json_schema_extra={"type": "object"},
    )


@LOCAL_TOOLS.register("submit_task")
class SubmitTask:
    """The designer's own tool; one object serves one run."""

    name = "submit_task"
    description = (
        "Hand in the finished task. It is checked and then done once without a model, from the "
        "home screen on; what is wrong is told."
    )
    params: type[BaseModel] = Submission

    def __init__(self) -> None:
        self.rounds = 0
        self.kept: dict[str, Any] | None = None

    def run(self, params: Submission, context: LocalContext) -> LocalOutcome:
        """Check a draft, do it, and keep it; the run ends once it is proved, or cannot be."""
        shop = context.workshop
        if shop is None:
            return LocalOutcome("This run has no place for a draft.", ok=False)
        try:
            draft = shop.check(params.name, params.steps, params.inputs)
        except Invalid as error:
            said = str(error)
            return LocalOutcome(said, ok=False, payload=self.kept or {"draft_error": said})
        replay = shop.rehearse(draft, context.stop)
        self.kept = shop.keep(draft, replay)
        if replay.broken and shop.stage is not None:
            text = BROKEN.format(error=replay.error)
            return LocalOutcome(text, ok=False, payload=self.kept)
        self.rounds += 1
        if replay.ok or replay.asks or replay.broken or self.rounds >= ROUNDS:
            return LocalOutcome(ending(draft, replay, shop.lang), replay.ok, self.kept, ends=True)
        return LocalOutcome(_mends(replay, self.rounds), ok=False, payload=self.kept)


def ending(draft: Draft, replay: Replay, lang: Lang) -> str:
    """Say how a draft came out, for the person who asked for it."""
    if replay.ok:
        return phrase("draft.proved", lang, name=draft.name, count=len(draft.steps))
    why = drafts.replayed(replay, lang)[0]
    return phrase("draft.unproved_yet", lang, name=draft.name, count=len(draft.steps), why=why)


def _mends(replay: Replay, done_rounds: int) -> str:
    done = [f"{each['path']} {each['type']}" for each in replay.steps if each["status"] == "ok"]
    return MENDS.format(
        path=replay.path,
        error=replay.error,
        done=", ".join(done) or "nothing",
        seen=SEEN.format(seen=replay.seen) if replay.seen else "",
        round=done_rounds,
        rounds=ROUNDS,
    )
