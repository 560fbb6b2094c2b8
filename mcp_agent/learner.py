"""Learn from ended runs in the background, one after the other, when their answers are there.

What comes of it is kept with the run's answer, since the run's own events have ended; see
docs/decisions/0024-what-is-learned-after-the-answer.md.
"""

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from core import conversations
from core.errors import ConsoleError
from core.memory import experiences
from core.memory.experiences import Experience, Went
from core.memory.screens import Stood
from core.runs import teaching
from core.runs.teaching import Left
from core.settings import AgentSettings
from core.setup import Instance
from core.storing import PASSING, until_stored
from core.words import Lang, catalogue, phrase
from mcp_agent import distill
from mcp_agent.abort import Abort
from mcp_agent.distill import RECIPE, Learned
from mcp_agent.lessons import Lesson, kept_lesson
from mcp_agent.recalling import Card
from mcp_agent.versions import Versions

logger = logging.getLogger(__name__)

T = TypeVar("T")
LEARNED = "memory.learned"
MOST = 200  # runs that wait to be learned from; what comes on top is let go
PLAIN = ("unverified", "failed", "known", "no_model", "broken_off")
TRIES = 2  # what ended the console so often is not tried again


class Learner:
    """A thread that learns; ``changed`` is called when ``newest`` is another card."""

    def __init__(
        self,
        instance: Instance,
        load_settings: Callable[[], AgentSettings],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.instance = instance
        self.changed = changed
        self.newest: dict[str, Any] | None = None
        self._load_settings = load_settings
        self._todo: queue.Queue[Lesson | None] = queue.Queue(MOST)
        self._thread: threading.Thread | None = None
        self._stop = Abort()

    def start(self) -> None:
        """Begin to learn, first what a former process did not come to the end of."""
        for left in teaching.left(self.instance.db):
            self._take_up(left)
        self._thread = threading.Thread(target=self._learn_forever, name="learner", daemon=True)
        self._thread.start()

    def stop(self, wait_s: float = 0.0) -> None:
        """Learn no more, and wait for no model; what goes on is given ``wait_s``."""
        self._stop.set("stopped")
        try:
            self._todo.put_nowait(None)
        except queue.Full:
            logger.warning("%s: the learner is behind; what waits is let go", RECIPE)
        if self._thread is not None:
            self._thread.join(wait_s)

    def consider(self, lesson: Lesson) -> None:
        """Take a run that has ended; never waits."""
        try:
            self._todo.put_nowait(lesson)
        except queue.Full:
            run_id = lesson.run.run_id
            logger.warning("%s: run %s: nothing is learned, too many wait", RECIPE, run_id)

    def _take_up(self, left: Left) -> None:
        """Learn after all; of what ended the console twice it is said that nothing came."""
        try:
            lesson = kept_lesson(left.body)
        except ValidationError as error:
            logger.warning("%s: run %s: not learned from: %s", RECIPE, left.run_id, error)
            with self.instance.db.write() as session:
                teaching.settle(session, left.run_id)
            return
        if left.tries < TRIES:
            self.consider(lesson)
        else:
            self._show(lesson, Learned(why="broken_off"))

    def _learn_forever(self) -> None:
        while (lesson := self._todo.get()) is not None and not self._stop.is_set():
            try:
                self._count_try(lesson)
                self.learn(lesson)
                if self._stop.is_set():
                    self._count_try(lesson, -1)
            except PASSING as error:
                logger.error("%s: run %s: not learned from: %s", RECIPE, lesson.run.run_id, error)
            except Exception:  # the thread must live: the next run may teach something
                run_id = lesson.run.run_id
                logger.exception("%s: run %s: could not be learned from", RECIPE, run_id)
                self._give_up(lesson)

    def learn(self, lesson: Lesson) -> None:
        """Credit what the run was told, learn from it, and keep the card with its answer."""
        drifted = self._credit(lesson)
        lesson = lesson.after(drifted)
        if not lesson.is_about_something:
            self._settle(lesson)
            return
        versions = Versions(self.instance, lesson.run.serial)
        settings = self._load_settings()
        learned = distill.distill(self.instance, settings, lesson, versions.of, self._stop)
        if self._stop.is_set():  # the next start does it
            return
        if learned.why == "no_model":  # nobody expects rules to learn
            self._settle(lesson)
        else:
            self._show(lesson, learned, drifted)

    def _count_try(self, lesson: Lesson, by: int = 1) -> None:
        def count() -> None:
            with self.instance.db.write() as session:
                teaching.count_try(session, lesson.run.run_id, by)

        self._store(lesson, count)

    def _give_up(self, lesson: Lesson) -> None:
        """Say that nothing came of a lesson, where that can be said."""
        try:
            self._show(lesson, Learned(why="broken_off"))
        except Exception:  # whatever broke may break this, too; the next start tries again
            logger.exception("%s: run %s: nor could that be said", RECIPE, lesson.run.run_id)

    def _show(self, lesson: Lesson, learned: Learned, drifted: Sequence[Experience] = ()) -> None:
        """Keep the card with the run's answer, and show it where the run is shown."""
        card = card_of(learned, lesson.run.lang, drifted)
        shown = {
            "n": lesson.n,
            "tool": card.tool,
            "args": dict(card.args),
            "ok": learned.experience is not None or bool(learned.actions),
            "ms": 0,
            "text": card.text,
        }
        run = lesson.run
        if self._settle(lesson, learned=shown):
            self.newest = {"run_id": run.run_id, "conv_id": run.conv_id, "card": shown}
            self.changed()

    def _settle(self, lesson: Lesson, **said: Any) -> bool:
        """Let go of a lesson; False when its answer is gone, so that nobody sees what is said."""
        run = lesson.run

        def settle() -> bool:
            with self.instance.db.write() as session:
                teaching.settle(session, run.run_id)
                return conversations.note(session, run.conv_id, run.run_id, **said)

        return self._store(lesson, settle)

    def _store(self, lesson: Lesson, write: Callable[[], T]) -> T:
        """Write what belongs to a lesson, once there is room; until then no other is begun."""
        run_id = lesson.run.run_id

        def tell(error: ConsoleError) -> None:
            logger.error("%s: run %s: waits to be stored: %s", RECIPE, run_id, error)

        return until_stored(write, self._stop.wait, tell)

    def _credit(self, lesson: Lesson) -> list[Experience]:
        """Credit what was told; returns what is out of date, since its app is laid out anew."""
        told = lesson.memory.experience_ids
        if not told or lesson.success is None:
            return []
        drifted = self._store(lesson, lambda: self._credited(lesson, lesson.success is True))
        for each in drifted:
            run_id, why = lesson.run.run_id, each.stale
            logger.info("run %s: experience %s drifted: %s", run_id, each.experience_id, why)
        return drifted

    def _credited(self, lesson: Lesson, success: bool) -> list[Experience]:
        went = Went(success, lesson.steps, lesson.tokens)
        with self.instance.db.write() as session:
            stood = Stood(lesson.screens, success)
            drifted = experiences.find_drifted(session, lesson.memory.known, stood)
            if not teaching.credit(session, lesson.run.run_id, lesson.after(drifted).kept()):
                return []
            experiences.credit(session, lesson.memory.experience_ids, went)
            return drifted


def card_of(learned: Learned, lang: Lang, drifted: Sequence[Experience] = ()) -> Card:
    """Say what was found out of date, and what was kept, or why nothing was."""
    kept = learned.experience
    parts = [phrase("memory.learned.drifted", lang, count=len(drifted))] if drifted else []
    if kept is not None:
        key = "merged" if kept.merged else "experience"
        parts.append(phrase(f"memory.learned.{key}", lang))
    else:
        parts.append(phrase("memory.learned.nothing", lang, why=_why(learned.why, lang)))
    names = [each.name for each in learned.actions]
    if names:
        said = ", ".join(names)
        parts.append(phrase("memory.learned.actions", lang, count=len(names), names=said))
    args = {
        "experience": kept.name if kept else None,
        "experience_id": kept.memory_id if kept else None,
        "actions": names,
        "action_ids": [each.memory_id for each in learned.actions],
    }
    return Card(LEARNED, args, "; ".join(parts) if lang == "en" else "；".join(parts))


def _why(code: str, lang: Lang) -> str:
    if code in PLAIN:
        return phrase(f"memory.why.{code}", lang)
    fault = f"memory.gate.{code}"
    if fault in catalogue(lang)["phrases"]:
        return phrase("memory.why.gate", lang, what=phrase(fault, lang))
    return phrase("memory.why.model", lang)
