"""The designer's own tool, with which it hands in the task that it made.

``submit_task`` takes steps, has them checked, does them once without a model, and gives what is
wrong back to the model, three times at most. The draft is a task only once a human saves it.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from core.errors import Invalid
from core.steps.outline import outline
from core.tasks import drafts
from core.tasks.drafts import Draft, Replay
from core.words import Lang, phrase
from mcp_agent.local_tools import LOCAL_TOOLS, LocalContext, LocalOutcome

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
