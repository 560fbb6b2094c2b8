"""Tell a run what is remembered of jobs like its own, as data that it may doubt.

What is recalled stands at the end of the system prompt, between fences; before it nothing changes,
so that a vendor's prompt cache still hits. Whoever watches sees it as cards.
"""

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.db import Database
from core.differing import Difference, difference
from core.errors import ConsoleError
from core.memory import actions, clauses, experiences, gates, people, recall, stale
from core.memory.actions import Action
from core.memory.clauses import First
from core.memory.evidence import TRUSTED
from core.memory.learning import SAME
from core.memory.recall import Recalled
from core.runs.record import RunRecord
from core.screen.labels import UNSEEN
from core.setup import Instance
from core.words import Lang, phrase
from mcp_agent import prompts
from mcp_agent.versions import Versions

logger = logging.getLogger(__name__)

EXPERIENCES, ACTIONS = "memory.experiences", "memory.actions"
RECIPE_CHARS, STEPS_CHARS = 800, 600
ALIASES_TOLD, ALIAS_CHARS = 3, 40
CHAT = "chat"
#: What of a step tells a model nothing that it could use.
UNTOLD = frozenset({"expect", "alternatives", "note"})
#: What would end a fence, or begin a heading; and what a model may take for the like.
MARKUP = re.compile(r"[<>＜＞﹤﹥`]|^[#＃﹟\s]+", re.MULTILINE)
BRACKETS = {"<": "‹", "＜": "‹", "﹤": "‹", ">": "›", "＞": "›", "﹥": "›"}


@dataclass(frozen=True, slots=True)
class Card:
    """What the console shows of a memory, in the form of a step."""

    tool: str
    args: Mapping[str, Any]
    text: str

    def as_step(self, n: int) -> dict[str, Any]:
        """Give it in the form of a step that went well and took no time."""
        shown = {"tool": self.tool, "args": dict(self.args), "text": self.text}
        return {"n": n, **shown, "ok": True, "ms": 0}


@dataclass(frozen=True, slots=True)
class Memory:
    """What a run is told.

    ``first`` are actions to be run before the model is asked. ``known`` are the experiences of
    this very job against which nothing speaks: with one there is nothing to learn.
    """

    prompt: str | None = None
    cards: tuple[Card, ...] = ()
    experience_ids: tuple[str, ...] = ()
    first: tuple[First, ...] = ()
    known: tuple[str, ...] = ()


NOTHING = Memory()


def remembered(instance: Instance, record: RunRecord) -> Memory:
    """Call to mind what fits a run's request; a memory that cannot be read never stops a run."""
    try:
        return _remembered(instance, record)
    except ConsoleError as error:
        logger.warning("run %s: nothing was recalled: %s", record.run_id, error)
        return NOTHING


def _remembered(instance: Instance, record: RunRecord) -> Memory:
    db, lang = instance.db, record.lang
    known, usable = _called_to_mind(db, record.prompt)
    if _mark_drifted(instance, record, known, usable):
        known, usable = _called_to_mind(db, record.prompt)
    ids = tuple(each.experience.experience_id for each in known)
    if ids:
        with db.write() as session:
            experiences.told(session, ids)
    return Memory(
        prompt="\n\n".join([*_told(known, lang), *_offered(usable, record)]) or None,
        cards=tuple(_cards(known, usable, lang)),
        experience_ids=ids,
        first=clauses.first_actions(db, record.prompt) if record.mode == CHAT else (),
        known=tuple(each.experience.experience_id for each in known if _is_enough(each)),
    )


def _is_enough(recalled: Recalled) -> bool:
    """Say whether there is nothing to learn beside a memory: of this job, and not in doubt."""
    kept = recalled.experience
    is_same = recalled.likeness >= SAME and not recalled.differs
    return is_same and not kept.stale and kept.confidence >= TRUSTED


def _called_to_mind(db: Database, request: str) -> tuple[list[Recalled], list[Action]]:
    """Recall by a request as it was said, and as it would be kept, with nobody's name in it."""
    kept = gates.without_personal(request, people.private(request))
    asked = dict.fromkeys((request, kept))
    found = [known for known in (recall.recall(db, each) for each in asked) if known]
    found.sort(key=lambda known: known[0].likeness, reverse=True)  # each in its own order
    known: dict[str, Recalled] = {}
    for recalled in (recalled for each in found for recalled in each):
        before = known.setdefault(recalled.experience.experience_id, recalled)
        if not recalled.differs:  # a number that only one of both has is somebody's own
            known[recalled.experience.experience_id] = replace(before, request=recalled.request)
    usable = {a.action_id: a for each in asked for a in recall.known_actions(db, each)}
    return list(known.values())[: recall.TOP], list(usable.values())[: recall.ACTIONS_TOP]


def _mark_drifted(
    instance: Instance, record: RunRecord, known: Sequence[Recalled], usable: Sequence[Action]
) -> bool:
    """Make a hint of what was learned of another version of its app than the phone has now."""
    versions = Versions(instance, record.serial)
    old = [each.experience for each in known]
    drifted = [(e, now) for e in old if (now := versions.drift(e.package, e.app_version))]
    moved = [(a, now) for a in usable if (now := versions.drift(a.package, a.app_version))]
    if not drifted and not moved:
        return False
    with instance.db.write() as session:
        for each, now in drifted:
            why = f"{each.package} {each.app_version} → {now}"
            experiences.mark_stale(session, each.experience_id, why, now)
        for action, now in moved:
            why = f"{action.package} {action.app_version} → {now}"
            actions.mark_stale(session, action.action_id, why, now)
    return True


def _told(known: Sequence[Recalled], lang: Lang) -> list[str]:
    if not known:
        return []
    return ["\n".join([prompts.EXPERIENCES[lang], *(_experience(each, lang) for each in known)])]


def _experience(recalled: Recalled, lang: Lang) -> str:
    kept = recalled.experience
    return phrase(
        "memory.experience",
        lang,
        task=plain(kept.task, RECIPE_CHARS),
        recipe=plain(kept.recipe, RECIPE_CHARS),
        successes=kept.successes,
        failures=kept.failures,
        stale=_stale(kept.stale, lang),
        differs=_differs(recalled.differs, lang),
    )


def _offered(usable: Sequence[Action], record: RunRecord) -> list[str]:
    if not usable:
        return []
    lang, request = record.lang, record.prompt
    return ["\n".join([prompts.ACTIONS[lang], *(_action(each, request, lang) for each in usable)])]


def _action(action: Action, request: str, lang: Lang) -> str:
    steps = json.dumps([_bare(step) for step in action.raw], ensure_ascii=False)
    return phrase(
        "memory.action",
        lang,
        name=" ".join(plain(action.name, RECIPE_CHARS).split()),
        aliases=_aliases(action, lang),
        steps=plain(steps, STEPS_CHARS),
        stale=_stale(action.stale, lang),
        differs=_differs(_other_than(action, request), lang),
    )


def _aliases(action: Action, lang: Lang) -> str:
    """Say what else an action is called, the shortest names, since those are the handiest."""
    short = sorted(action.aliases, key=len)[:ALIASES_TOLD]
    names = [" ".join(plain(each, ALIAS_CHARS).split()) for each in short]
    return phrase("memory.aliases", lang, names=", ".join(names)) if names else ""


def _bare(step: Any) -> Any:
    return {key: value for key, value in step.items() if key not in UNTOLD}


def _stale(why: str, lang: Lang) -> str:
    if not why:
        return ""
    return phrase("memory.stale", lang, why=plain(stale.said(why, lang), RECIPE_CHARS))


def _other_than(action: Action, request: str) -> Difference | None:
    """Say which number or opposite in all names of an action the request has not."""
    found = [difference(name, request, part=True) for name in (action.name, *action.aliases)]
    return found[0] if all(found) else None


def _differs(found: Difference | None, lang: Lang) -> str:
    if found is None:
        return ""
    return phrase("memory.differs", lang, kept=found.one or "—", asked=found.other or "—")


def plain(text: str, most: int) -> str:
    """Take out of a memory what could end its fence, pass for a heading of ours, or is hidden."""
    seen = "\n".join(UNSEEN.sub("", text[: most * 2]).splitlines())
    bare = MARKUP.sub(lambda found: BRACKETS.get(found[0], ""), seen)
    return bare if len(bare) <= most else f"{bare[:most]}…"


def _cards(known: Sequence[Recalled], usable: Sequence[Action], lang: Lang) -> list[Card]:
    cards = []
    if known:
        items = [
            {
                "id": each.experience.experience_id,
                "task": each.experience.task,
                "likeness": round(each.likeness, 2),
            }
            for each in known
        ]
        text = phrase("memory.experiences", lang, count=len(known))
        cards.append(Card(EXPERIENCES, {"items": items}, text))
    if usable:
        items = [{"id": each.action_id, "name": each.name} for each in usable]
        names = ", ".join(each.name for each in usable)
        text = phrase("memory.actions", lang, count=len(usable), names=names)
        cards.append(Card(ACTIONS, {"items": items}, text))
    return cards
