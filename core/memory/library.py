"""Both libraries as a whole: what they earned, taken out, brought in, and emptied of one app."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row as Read
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from core.db import Database
from core.errors import NameTaken
from core.memory import actions, arriving, audit, experiences, of_app
from core.memory.actions import NewAction
from core.memory.arriving import Arrival, placed
from core.memory.experiences import NewExperience
from core.memory.of_app import Names
from core.models import Action, Experience, ExperienceAudit

CHUNK = 500
ACTIONS_AT_ONCE = 20  # each is checked against those that it runs
PORTION = 200  # experiences that are brought in or forgotten at once
APPS = 8
APPS_LISTED = 500
#: What of an experience goes out and comes in; what was earned on one rack says nothing of another.
NAMED = ("name", "aliases", "app", "steps")
CARRIED = ("task", "recipe", "app", "lang", "package", "app_version", "proved")


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import did; ``known`` counts what was there already, ``taken`` names that were."""

    experiences: int
    actions: int
    known: int
    taken: tuple[str, ...]


def figures(db: Database) -> dict[str, Any]:
    """Say how much is remembered and what it earned; ``apps`` by steps saved, most first."""
    sums = (
        func.count(),
        func.coalesce(func.sum(Experience.hits), 0),
        func.coalesce(func.sum(Experience.steps_saved), 0),
        func.coalesce(func.sum(Experience.tokens_saved), 0),
    )
    saved = func.sum(Experience.steps_saved)
    by_app = (
        select(Experience.app, saved, func.sum(Experience.tokens_saved), func.sum(Experience.hits))
        .where(Experience.hits > 0)
        .group_by(Experience.app)
        .order_by(saved.desc())
        .limit(APPS)
    )
    with db.read() as session:
        count, hits, steps, tokens = session.execute(select(*sums)).one()
        known, uses = session.execute(
            select(func.count(), func.coalesce(func.sum(Action.uses), 0)).select_from(Action)
        ).one()
        apps = [_app(row) for row in session.execute(by_app)]
    return {
        "experiences": count,
        "actions": known,
        "waiting": audit.waiting(db),
        "hits": hits,
        "replays": uses,
        "steps_saved": steps,
        "tokens_saved": tokens,
        "apps": apps,
    }


def apps(db: Database) -> list[dict[str, Any]]:
    """Count experiences and actions of each app that a memory names, those with most first."""
    with db.read() as session:
        known = _by_app(session, Experience.app)
        named = _by_app(session, Action.app)
    ordered = sorted(known | named, key=lambda app: (-known[app] - named[app], app))
    return [
        {"app": app, "experiences": known[app], "actions": named[app]}
        for app in ordered[:APPS_LISTED]
    ]


def taken_out(db: Database, app: str = "") -> Iterator[dict[str, Any]]:
    """Yield all that is remembered, of one app if it is named, as ``{kind, …}`` each."""
    with db.read() as session:
        names = of_app.names(session, app) if app else None
    after = 0
    while rows := _experiences_after(db, after, names):
        for row in rows:
            yield {"kind": "experience", **{name: getattr(row, name) for name in CARRIED}}
        after = rows[-1].number
    with db.read() as session:
        every = (
            select(Action).order_by(Action.created, Action.id).execution_options(yield_per=CHUNK)
        )
        for named in names.actions(session) if names else session.scalars(every):
            yield {"kind": "action", **{name: getattr(named, name) for name in NAMED}}


def bring_in(db: Database, wanted: Sequence[NewExperience], named: Sequence[NewAction]) -> Brought:
    """Add what is not there yet: everything, or nothing when something does not fit.

    All of it is checked before; then it comes in portions. Of an import that was cut off, another
    adds what is missing. Nothing counts as proved: that was on another rack, or a file says so.

    Raises:
        Invalid: Something does not fit; ``path`` names the place.
    """
    for at, each in enumerate(wanted):
        with placed(f"experiences.{at}"):
            experiences.checked(each.task, each.recipe)
    arrivals, taken = arriving.in_order(db, named)
    taken += _add_actions(db, arrivals)
    new = 0
    for at in range(0, len(wanted), PORTION):
        with db.write() as session:  # others write in between
            portion = [replace(each, proved=False) for each in wanted[at : at + PORTION]]
            new += _add_unknown(session, portion)
    return Brought(new, len(named) - len(taken), len(wanted) - new, tuple(taken))


def forget(db: Database, app: str) -> dict[str, int]:
    """Forget everything of one app, also what was thought of it; returns how much that was.

    Experiences go in portions, since others write in between; what was cut off goes on from there.
    """
    with db.read() as session:
        names = of_app.names(session, app)
        numbers = session.scalars(select(Experience.number).where(names.experiences)).all()
    gone = 0
    for at in range(0, len(numbers), PORTION):
        with db.write() as session:
            ids = experiences.remove_all(session, numbers[at : at + PORTION])
            audit.forget(session, ids)
        gone += len(ids)
    with db.write() as session:
        session.execute(delete(ExperienceAudit).where(names.reviews))
        named = names.actions(session)
        for each in named:
            session.delete(each)
        return {"experiences": gone, "actions": len(named)}


def _add_actions(db: Database, arrivals: Sequence[Arrival]) -> list[str]:
    """Add actions in portions; returns the names that were taken meanwhile."""
    taken = list[str]()
    for at in range(0, len(arrivals), ACTIONS_AT_ONCE):
        with db.write() as session:  # others write in between
            for each in arrivals[at : at + ACTIONS_AT_ONCE]:
                try:
                    with placed(f"actions.{each.at}"), session.begin_nested():
                        actions.add(session, each.action)
                except NameTaken:
                    taken.append(each.action.name)
    return taken


def _add_unknown(session: Session, wanted: Sequence[NewExperience]) -> int:
    """Add those that are not there yet, with one look at the library; returns how many."""
    asked = Experience.task.in_({each.task for each in wanted})
    same = session.execute(select(Experience.task, Experience.recipe).where(asked))
    there = {(task, recipe) for task, recipe in same}
    new = {(each.task, each.recipe): each for each in wanted}
    for said in there & new.keys():
        del new[said]
    for each in new.values():
        experiences.add(session, each)
    return len(new)


def _experiences_after(db: Database, number: int, names: Names | None) -> Sequence[Experience]:
    query = select(Experience).where(Experience.number > number)
    if names is not None:
        query = query.where(names.experiences)
    with db.read() as session:
        return session.scalars(query.order_by(Experience.number).limit(CHUNK)).all()


def _by_app(session: Session, app: Any) -> Counter[str]:
    query = select(app, func.count()).where(app != "").group_by(app)
    return Counter(dict(session.execute(query).all()))


def _app(row: Read[str, int, int, int]) -> dict[str, Any]:
    app, steps, tokens, hits = row
    return {"app": app, "steps_saved": steps, "tokens_saved": tokens, "hits": hits}
