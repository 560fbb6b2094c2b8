"""Learn from runs that went well: a recipe in words, and pieces that can be replayed.

The model reads the request and what was done, never the text of a screen or of the answer, so
that a screen cannot put an order into a memory. What it writes passes `core.memory.gates`; steps
are taken from the run itself, whatever the model makes of them.
"""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.devices import apps
from core.differing import difference
from core.errors import ConsoleError
from core.memory import gates, learning, people
from core.memory.actions import NewAction, Origin
from core.memory.experiences import NewExperience
from core.memory.learning import Kept
from core.memory.people import Private
from core.settings import AgentSettings
from core.setup import Instance
from core.storing import until_stored
from core.words import phrase
from mcp_agent import aside, pieces
from mcp_agent.abort import Abort
from mcp_agent.aside import Most
from mcp_agent.lessons import Lesson
from mcp_agent.offline import plain
from mcp_agent.salvage import objects

logger = logging.getLogger(__name__)

RECIPE, ACTION = "经验提炼", "动作提炼"  # what these lines of the log begin with
ACTIONS_MOST = 3
ALIASES_MOST = 8
RECIPE_MOST, ACTION_MOST = Most(tokens=600), Most(tokens=1_500)


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a lesson; ``why`` is the code of why there is no experience."""

    experience: Kept | None = None
    actions: tuple[Kept, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class App:
    """The app in which most was done; ``label`` is empty where no app was opened by its name."""

    label: str = ""
    package: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be learned of a run; ``task`` and ``done`` say nothing that is somebody's own.

    In the acts of ``lesson`` the names of people are open values.
    """

    lesson: Lesson
    app: App
    private: Private
    task: str
    done: str


def distill(
    instance: Instance,
    settings: AgentSettings,
    lesson: Lesson,
    version_of: Callable[[str], str] = lambda package: "",
    stop: Abort | None = None,
) -> Learned:
    """Learn what can be learned; what fails is logged and told, never raised.

    ``version_of`` says which version of a package is on the run's phone; ``stop`` that nobody
    waits for a model any more.
    """
    why_not = lesson.why_not or ("" if settings.agent_model else "no_model")
    if why_not:
        logger.info("%s: run %s: nothing is learned: %s", RECIPE, lesson.run.run_id, why_not)
        return Learned(why=why_not)
    app = app_of(lesson)
    app = replace(app, version=version_of(app.package)) if app.package else app
    subject = _subject(lesson, app)
    experience, why = _experience(instance, settings, subject, stop)
    if why.startswith("model_") and why != "model_empty":  # it is not waited for a second time
        logger.warning("%s: run %s: not asked: %s", ACTION, lesson.run.run_id, why)
        return Learned(why=why)
    new = [act for act in lesson.acts if act.is_lasting and not act.is_replay]
    kept = tuple(_actions(instance, settings, subject, stop)) if new else ()
    return Learned(experience, kept, why)


def app_of(lesson: Lesson) -> App:
    """Say in which app most was done, and by what name it was opened."""
    packages = Counter(act.app for act in lesson.acts if act.app)
    package = packages.most_common(1)[0][0] if packages else ""
    opened = [
        act.step["app"]
        for act in lesson.acts
        if act.step["type"] == "open_app"
        if act.app == package
    ]
    label = opened[-1] if opened else package
    return App(apps.label_of(label) or (label if label != package else ""), package)


def _subject(lesson: Lesson, app: App) -> Subject:
    """Find what in a run is somebody's own, and take it out of what a model is told of it."""
    typed = [act.step["text"] for act in lesson.acts if act.step["type"] == "input_text"]
    labels = [act.words for act in lesson.acts if act.step["type"] != "input_text"]
    private = people.private(lesson.task, typed, labels)
    return Subject(
        replace(lesson, acts=pieces.opened(lesson.acts, private)),
        app,
        private,
        gates.without_personal(lesson.task, private).strip(),
        private.hide(pieces.told(lesson.acts), gates.language(lesson.task)),
    )


def _experience(
    instance: Instance, settings: AgentSettings, subject: Subject, stop: Abort | None
) -> tuple[Kept | None, str]:
    """Ask for a recipe and keep it; without one, say why by a code."""
    lesson, app, private = subject.lesson, subject.app, subject.private
    run_id, lang = lesson.run.run_id, gates.language(lesson.task)
    said = phrase("distill.said", lang, task=subject.task, done=subject.done)
    try:
        answer = aside.ask(settings, lang, phrase("distill.recipe", lang), said, RECIPE_MOST, stop)
        recipe = _recipe(answer)
        fault = gates.recipe_fault(recipe, lesson.task, subject.done, private)
        if fault is not None:
            logger.warning("%s: run %s: refused as %s: %.200r", RECIPE, run_id, fault, recipe)
            return None, fault
        wanted = NewExperience(
            task=subject.task,
            recipe=recipe,
            app=app.label,
            lang=lang,
            run_id=run_id,
            package=app.package,
            app_version=app.version,
            proved=lesson.verified is True,
            steps=lesson.steps,
            tokens=lesson.tokens or 0,
            screens=lesson.screens,
        )
        kept = _stored(lambda: learning.keep_experience(instance.db, wanted), run_id, stop)
    except ConsoleError as error:
        logger.warning("%s: run %s: %s", RECIPE, run_id, error)
        return None, error.code
    logger.info("%s: run %s: %s", RECIPE, run_id, "merged" if kept.merged else "kept")
    return kept, ""


def _stored(keep: Callable[[], Kept], run_id: str, stop: Abort | None) -> Kept:
    """Keep what was learned, once there is room for it."""

    def tell(error: ConsoleError) -> None:
        logger.error("%s: run %s: waits to be stored: %s", RECIPE, run_id, error)

    return until_stored(keep, (stop or Abort()).wait, tell)


def _actions(
    instance: Instance, settings: AgentSettings, subject: Subject, stop: Abort | None
) -> Iterator[Kept]:
    """Ask which pieces of the run have a name, and keep those that are what was done."""
    lesson = subject.lesson
    run_id, lang = lesson.run.run_id, gates.language(lesson.task)
    said = phrase("distill.said", lang, task=subject.task, done=pieces.listed(lesson.acts))
    try:
        answer = aside.ask(settings, lang, phrase("distill.actions", lang), said, ACTION_MOST, stop)
    except ConsoleError as error:
        logger.warning("%s: run %s: %s", ACTION, run_id, error)
        return
    found = list(_proposed(answer))
    if not found and answer.strip() != "[]":
        logger.warning("%s: run %s: no object in %.200r", ACTION, run_id, answer)
    for raw in found[:ACTIONS_MOST]:
        try:
            wanted = _wanted(raw, subject)
            origin = Origin(run_id, subject.app.version, lesson.verified is True)
            kept = _stored(partial(learning.keep_action, instance.db, wanted, origin), run_id, stop)
        except ConsoleError as error:
            logger.warning("%s: run %s: refused %.200r: %s", ACTION, run_id, raw, error)
            continue
        logger.info("%s: run %s: %s", ACTION, run_id, kept.name)
        yield kept


def _wanted(raw: dict[str, Any], subject: Subject) -> NewAction:
    """Make an action of what the model proposed.

    Raises:
        Invalid: It is no action, or not what was done.
    """
    lesson, private = subject.lesson, subject.private
    name = str(raw.get("name") or "").strip()
    own = f"{lesson.task}\n{subject.done}"
    pieces.refuse(gates.name_fault(name, own, private), "name", name)
    given = raw.get("aliases")
    proposed = [str(each).strip() for each in given] if isinstance(given, list) else []
    aliases = [each for each in proposed if gates.name_fault(each, own, private) is None]
    aliases = [each for each in aliases if difference(each, name) is None][:ALIASES_MOST]
    steps = pieces.grounded(raw.get("steps"), lesson, (name, *aliases))
    if private.is_told_in(json.dumps(steps, ensure_ascii=False)):
        pieces.refuse("personal", "steps", name)
    is_all = pieces.is_all(steps, lesson) and pieces.is_for_anybody(steps, private)
    another = difference(name, subject.task if is_all else own, part=True)
    pieces.refuse("another" if another else None, "name", name)
    if is_all and gates.name_fault(subject.task, own) is None:
        aliases.append(subject.task)
    aliases = [alias for alias in aliases if not plain.is_command(alias)]
    wanted = NewAction(name, steps, tuple(aliases), subject.app.label)
    plain.refuse(wanted)
    return wanted


def _proposed(answer: str) -> Iterator[dict[str, Any]]:
    """Yield what looks like an action in an answer, also within another object."""
    todo: list[Any] = list(objects(answer))
    while todo:
        each = todo.pop(0)
        if isinstance(each, list):
            todo = [*each, *todo]
        elif isinstance(each, dict):
            if "name" in each and "steps" in each:
                yield each
            else:
                todo = [value for value in each.values() if isinstance(value, list)] + todo


def _recipe(answer: str) -> str:
    """Take the words of a recipe out of what a model put around them."""
    for found in objects(answer):
        said = found.get("recipe")
        if isinstance(said, str):
            return said.strip()
    lines = [line for line in answer.strip().splitlines() if not line.strip().startswith("```")]
    return "\n".join(lines).strip().removeprefix("#").strip()
