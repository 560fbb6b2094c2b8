"""Mend a step of a task run that no longer finds its element: one question to the model.

The model sees the screen and chooses an element; the selectors are ours, proven on that screen.
It touches nothing itself, and the step is judged by policy like any other. Steps that look
whether a run went well are never mended: that would make every run go well.
"""

import json
import logging
import threading
from collections.abc import Callable
from typing import Any

from core import artifacts
from core.devices.remote import RemotePhones
from core.errors import ConsoleError, ElementGone
from core.settings import AgentSettings
from core.setup import Instance
from core.tasks import proposals
from core.tasks.proposals import New
from core.words import Lang
from mcp_agent import aside, prompts, salvage
from mcp_agent.task_carrier import Failure

logger = logging.getLogger(__name__)

MENDED = ("click", "long_click", "input_text", "extract")
FIELD = "field"
ALTERNATIVES = 2
MOST_A_RUN = 3
JPEG = "image/jpeg"
LONGEST = 960

Element = dict[str, Any]


class Healer:
    """A mender of task runs; see `mcp_agent.task_carrier.Mender`."""

    def __init__(
        self,
        instance: Instance,
        phones: RemotePhones,
        load_settings: Callable[[], AgentSettings],
    ) -> None:
        self.instance = instance
        self.db = instance.db
        self.phones = phones
        self.load_settings = load_settings
        self._mended: dict[str, set[int]] = {}
        self._lock = threading.Lock()

    def __call__(self, failure: Failure, stopping: threading.Event) -> list[Any] | None:
        """Give the steps to go on with from the failed one; None when it cannot be mended."""
        step = _mendable(failure)
        if step is None or not self._first_time(failure):
            return None
        try:
            after = self._mend(failure, step)
        except ConsoleError as error:
            logger.warning("task run %s: not mended: %s", failure.job.run_id, error)
            return None
        if after is None or stopping.is_set():
            return None
        steps = list(failure.steps)
        steps[failure.index or 0] = after
        return steps

    def _mend(self, failure: Failure, step: dict[str, Any]) -> dict[str, Any] | None:
        job, index = failure.job, failure.index or 0
        there: list[Element] = self.phones.elements(job.serial)["elements"]
        known = proposals.worked(self.db, job.task_id, index, step)
        if known is not None and _is_there(known, there):
            logger.info("task run %s: step %s as proposed before", job.run_id, index)
            return known
        chosen, why = self._ask(failure, step, there)
        if chosen is None:
            logger.info("task run %s: step %s has no successor: %s", job.run_id, index, why)
            return None
        after = with_element(step, chosen)
        picture = self._picture(failure)
        new = New(job.task_id, job.revision, job.run_id, index, step, after, why, picture)
        proposals.add(self.db, new)
        logger.info("task run %s: step %s mended", job.run_id, index)
        return after

    def _ask(
        self, failure: Failure, step: dict[str, Any], there: list[Element]
    ) -> tuple[Element | None, str]:
        """Ask which element took the place of the one that is gone; and why."""
        settings = self.load_settings()
        lang: Lang = "en"
        said = prompts.HEAL_ASKED.format(
            task=failure.job.spec.name,
            step=json.dumps(step, ensure_ascii=False),
            next=json.dumps(failure.steps[(failure.index or 0) + 1 :][:2], ensure_ascii=False),
            error=failure.ended.error,
            seen=failure.ended.seen,
        )
        answer = aside.ask(settings, lang, prompts.HEAL, said)
        for found in salvage.objects(answer):
            number, why = found.get("element"), str(found.get("why") or "")[:500]
            chosen = next((each for each in there if each["number"] == number), None)
            return (chosen if chosen and _fits(step, chosen, failure) else None), why
        return None, answer[:500]

    def _picture(self, failure: Failure) -> str:
        """Keep how the screen is before the mended step; a proposal is worth less without."""
        job = failure.job
        try:
            jpeg = self.phones.screenshot(job.serial, LONGEST)
            return artifacts.save(self.instance, job.run_id, jpeg, JPEG, of_task=True)
        except (ConsoleError, OSError) as error:
            logger.warning("task run %s: no picture of what was mended: %s", job.run_id, error)
            return ""

    def _first_time(self, failure: Failure) -> bool:
        """Mend a step once in an attempt, and not many of one run."""
        key = f"{failure.job.run_id}.{failure.job.attempt}"
        with self._lock:
            done = self._mended.setdefault(key, set())
            fresh = failure.index not in done and len(done) < MOST_A_RUN
            done.add(failure.index or 0)
            while len(self._mended) > 1_000:
                del self._mended[next(iter(self._mended))]
        return fresh


def _mendable(failure: Failure) -> dict[str, Any] | None:
    """Give the step, if it is one of the task's own that did not find its element."""
    allowed = failure.job.spec.policy.heal and failure.ended.path == f"steps.{failure.index}"
    if not allowed or not isinstance(failure.ended.error, ElementGone):
        return None
    step: dict[str, Any] = failure.steps[failure.index or 0]
    return step if step["type"] in MENDED and step.get("selector") else None


def _is_there(step: dict[str, Any], there: list[Element]) -> bool:
    """Say whether the element of a step is on the screen, by the selector that was proven there."""
    return any(step["selector"] == each["selector"] for e in there for each in e["selectors"])


def _fits(step: dict[str, Any], chosen: Element, failure: Failure) -> bool:
    """Say whether an element can stand in the step, and is the one that the model was shown."""
    shown = f"[{chosen['number']}] {chosen['kind']} "
    is_field = chosen["kind"] == FIELD
    right_kind = (
        is_field if step["type"] == "input_text" else step["type"] == "extract" or not is_field
    )
    return bool(chosen["selectors"]) and right_kind and shown in failure.ended.seen


def with_element(step: dict[str, Any], chosen: Element) -> dict[str, Any]:
    """Name another element in a step; the old way to find it stays, in case it comes back.

    So does how a switch is to stand, or one that stands so already would be turned back.
    """
    ranked = [each["selector"] for each in chosen["selectors"]]
    kept = [*ranked[1 : 1 + ALTERNATIVES], step["selector"], *step.get("alternatives", ())]
    # the screen is another one now
    rest = {key: value for key, value in step.items() if key != "expect"}
    if stood := (step.get("expect") or {}).get("stands"):
        rest["expect"] = {"stands": stood}
    return {**rest, "selector": ranked[0], "alternatives": kept[:8]}
