"""Keep what a run taught, and bring together what says the same.

Everything is found and written in one transaction, so that two runs which learn the same at once
leave one memory.
"""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from core.db import Database
from core.differing import difference
from core.errors import NameTaken
from core.memory import actions, experiences, gates, recall
from core.memory.actions import Action, NewAction, Origin
from core.memory.experiences import Experience, NewExperience
from core.steps.checks import as_json, parse_action

SAME = 0.85  # from here on two tasks are one, unless a number or an opposite tells them apart
ALIASES_MOST = 20
#: What two lists of the same steps may differ in.
ASIDE = frozenset({"expect", "alternatives", "note", "timeout_s"})


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of something learned; ``merged`` says that it was there already."""

    name: str
    merged: bool
    memory_id: str


def keep_experience(db: Database, wanted: NewExperience) -> Kept:
    """Keep an experience, or what it adds to the one of the same job in the same app.

    Raises:
        Invalid: It says nothing or is too long.
    """
    with db.write() as session:
        twin = twin_of(db, wanted)
        if twin is None:
            made = experiences.add(session, wanted)
            return Kept(made.task, merged=False, memory_id=made.experience_id)
        renewed = experiences.renew(session, twin.experience_id, wanted)
        return Kept(renewed.task, merged=True, memory_id=renewed.experience_id)


def keep_action(db: Database, wanted: NewAction, origin: Origin) -> Kept:
    """Keep an action; one with the same steps gets those of the new names that are free.

    Not so where a number or an opposite tells the names apart: a switch is turned on and off by
    the same steps.

    Raises:
        Invalid: It does not fit; ``path`` names the place.
        NameTaken: Another one has its name, with other steps that are to be trusted as much.
    """
    with db.write() as session:
        twin = _with_same_steps(session, wanted)
        if twin is not None:
            both = replace(
                wanted, name=twin.name, aliases=(*twin.aliases, wanted.name, *wanted.aliases)
            )
            free = _only_free(session, replace(both, steps=twin.raw), twin)
            return _kept(actions.change_in(session, twin.action_id, free), merged=True)
        old = actions.owner_of(session, wanted.name)
        free = _only_free(session, wanted, old)
        if old is None:
            return _kept(actions.add(session, free, origin), merged=False)
        if not _gives_way(old, origin):
            raise NameTaken(name=wanted.name)
        return _kept(actions.change_in(session, old.action_id, free, origin), merged=True)


def _kept(action: Action, *, merged: bool) -> Kept:
    return Kept(action.name, merged, action.action_id)


def twin_of(db: Database, wanted: NewExperience) -> Experience | None:
    """Return the experience of the same job, in the same app and language, if there is one.

    A write that goes on has seen everything, since no other can be going on.
    """
    for found in recall.recall(db, wanted.task, top=recall.ORDERED, floor=SAME):
        kept = found.experience
        same_app = kept.app == wanted.app or "" in (kept.app, wanted.app)
        if not same_app or found.differs:
            continue
        if gates.language(kept.recipe) == gates.language(wanted.recipe):
            return kept
    return None


def _with_same_steps(session: Session, wanted: NewAction) -> Action | None:
    core = _core(as_json(parse_action(wanted.steps)))
    same_app = actions.of_app(session, wanted.app.strip())
    same = (action for action in same_app if _core(action.raw) == core)
    return next((each for each in same if difference(each.name, wanted.name) is None), None)


def _core(steps: Any) -> Any:
    """Leave out of steps, also of nested ones, what does not tell them apart."""
    if isinstance(steps, dict):
        return {key: _core(value) for key, value in steps.items() if key not in ASIDE}
    return [_core(each) for each in steps] if isinstance(steps, list) else steps


def _only_free(session: Session, wanted: NewAction, own: Action | None) -> NewAction:
    """Leave out the aliases that other actions have."""
    own_id = own.action_id if own else None
    owners = ((alias, actions.owner_of(session, alias)) for alias in wanted.aliases)
    free = [alias for alias, owner in owners if owner is None or owner.action_id == own_id]
    return replace(wanted, aliases=tuple(dict.fromkeys(free))[:ALIASES_MOST])


def _gives_way(old: Action, origin: Origin) -> bool:
    """Say whether what a run taught may replace an action: never what a person wrote."""
    return bool(old.run_id) and (not old.proved or bool(old.stale) or origin.proved)
