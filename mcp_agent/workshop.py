"""The place where a run works on a draft of a task: checked, tried without a model, and kept."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.db import Database
from core.devices.remote import RemotePhones
from core.memory import actions
from core.runs import proof, store
from core.runs.events import ProviderEvent
from core.runs.proof import Checked
from core.runs.record import RunRecord
from core.setup import Instance
from core.steps.hands import Stop
from core.tasks import drafts
from core.tasks.drafts import Draft, Kept, Replay
from core.words import Lang, phrase
from mcp_agent.rehearsal import Stage


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
