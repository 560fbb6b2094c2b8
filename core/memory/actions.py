"""Named actions: saved lists of steps that a model, a task or a person replays by name.

Steps are checked on every save: no points, nothing unknown, no action that runs itself in the
end. Names and aliases are one space: see `core.memory.action_names`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import String, cast, select, update
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import NotFound
from core.memory import action_chains, action_names, earned, stale
from core.memory.earned import Earned
from core.models import Action as Row
from core.models import ActionName
from core.screen.selectors import squeeze
from core.steps.checks import as_json, parse_action
from core.steps.schema import OPEN, Steps
from core.words import DEFAULT_LANG, Lang

PAGE = 50
KEYS_AT_ONCE = 500
MOST = (Row.uses.desc(), Row.updated.desc())  # the most replayed first


@dataclass(frozen=True, slots=True)
class NewAction:
    """What somebody wants to save; ``steps`` as they came."""

    name: str
    steps: Any
    aliases: tuple[str, ...] = ()
    app: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where steps come from that a run taught; ``proved`` says that its checks were met."""

    run_id: str = ""
    app_version: str = ""
    proved: bool = False


BY_HAND = Origin()


@dataclass(frozen=True, slots=True)
class Called:
    """The names of an action, its own first, and the app it is of."""

    action_id: str
    names: tuple[str, ...]
    app: str


@dataclass(frozen=True, slots=True)
class Action:
    """An action as it is kept; ``raw`` are its steps as JSON.

    ``proved`` says that these very steps have led where they should, ``stale`` why they are only
    a hint any more.
    """

    action_id: str
    name: str
    aliases: tuple[str, ...]
    app: str
    raw: list[Any]
    uses: int
    used: datetime | None
    run_id: str
    app_version: str
    proved: bool
    stale: str
    successes: int
    failures: int
    created: datetime
    updated: datetime

    @property
    def steps(self) -> Steps:
        """Give the steps, checked.

        Raises:
            Invalid: They were saved by another version, and fit this one no more.
        """
        return parse_action(self.raw)

    @property
    def package(self) -> str:
        """Name the package whose screens its steps were made for; empty when they do not say."""
        return package_of(self.raw)

    def shown(self, lang: Lang = DEFAULT_LANG) -> dict[str, Any]:
        """Give it as the API shows it."""
        return {
            "id": self.action_id,
            "name": self.name,
            "aliases": list(self.aliases),
            "app": self.app,
            "steps": self.raw,
            "uses": self.uses,
            "used": iso(self.used) if self.used else None,
            "run_id": self.run_id,
            "app_version": self.app_version,
            "proved": self.proved,
            "stale": stale.said(self.stale, lang),
            "successes": self.successes,
            "failures": self.failures,
            "created": iso(self.created),
            "updated": iso(self.updated),
        }


def package_of(raw: list[Any]) -> str:
    """Name the package whose screens steps were made for; empty when they do not say."""
    expects = (step.get("expect") or {} for step in raw if isinstance(step, dict))
    return next((str(each["app"]) for each in expects if each.get("app")), "")


def listing(
    db: Database, search: str = "", before: str | None = None, lang: Lang = DEFAULT_LANG
) -> dict[str, Any]:
    """Return one page of actions, last changed first, as ``{items, next}``.

    Args:
        db: Where they are.
        search: Kept when in a name or alias, or when it is the app.
        before: Cursor of the page before: the id of its last action.
        lang: In which it is said why one is stale.
    """
    query = select(Row).order_by(Row.updated.desc(), Row.id.desc())
    with db.read() as session:
        if search:
            named = select(ActionName.action_id).where(
                ActionName.key.contains(squeeze(search), autoescape=True)
            )
            query = query.where(Row.id.in_(named) | (Row.app == search))
        if before:
            mark = _row(session, before)
            query = query.where(
                (Row.updated < mark.updated) | ((Row.updated == mark.updated) & (Row.id < mark.id))
            )
        rows = session.scalars(query.limit(PAGE + 1)).all()
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    return {"items": [_action(row).shown(lang) for row in rows[:PAGE]], "next": more}


def get(db: Database, action_id: str) -> Action:
    """Return an action.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return _action(_row(session, action_id))


def find(db: Database, name: str) -> Action | None:
    """Return the action of a name or alias, if there is one."""
    with db.read() as session:
        row = action_names.find(session, name)
        return _action(row) if row is not None else None


def resolve(db: Database, name: str) -> Action:
    """Return the action of a name or alias.

    Raises:
        NotFound: There is none; the nearest names are given.
    """
    found = find(db, name)
    if found is None:
        raise NotFound(kind="action", name=name, known=action_names.nearest(db, name))
    return found


def with_keys(db: Database, keys: Sequence[str]) -> list[Action]:
    """Return the actions that have one of these as squeezed name or alias, in the keys' order."""
    query = select(ActionName.key, Row).join(Row, Row.id == ActionName.action_id)
    with db.read() as session:
        found = {
            key: _action(row)
            for at in range(0, len(keys), KEYS_AT_ONCE)
            for key, row in session.execute(
                query.where(ActionName.key.in_(keys[at : at + KEYS_AT_ONCE]))
            )
        }
    return [found[key] for key in keys if key in found]


def most_used(db: Database, count: int) -> list[Action]:
    """Return the actions that were replayed most, then those changed last."""
    with db.read() as session:
        return [_action(row) for row in session.scalars(select(Row).order_by(*MOST).limit(count))]


def called(db: Database, count: int) -> list[Called]:
    """Say how the actions are called that were replayed most, then those changed last."""
    query = select(Row.id, Row.name, Row.aliases, Row.app).order_by(*MOST).limit(count)
    with db.read() as session:
        rows = session.execute(query).all()
    return [Called(number, (name, *map(str, aliases)), app) for number, name, aliases, app in rows]


def of_ids(db: Database, ids: Sequence[str]) -> list[Action]:
    """Return the actions of these ids that are there, in their order."""
    with db.read() as session:
        rows = {row.id: row for row in session.scalars(select(Row).where(Row.id.in_(ids)))}
        return [_action(rows[each]) for each in ids if each in rows]


def unused_since(db: Database, moment: datetime, count: int) -> list[Action]:
    """Return actions that nobody replayed since a moment, the longest unused first.

    Those that want a value are left out: nobody is there to say it. So is what was neither done
    nor replayed here: it may have come in a file, and nobody looks on when it is tried.
    """
    done_here = (Row.run_id != "") | Row.used.is_not(None)
    unused = (Row.used.is_(None) | (Row.used < moment)) & ~cast(Row.steps, String).contains(OPEN)
    unused &= done_here
    with db.read() as session:
        rows = session.scalars(select(Row).where(unused).order_by(Row.used, Row.id).limit(count))
        return [_action(row) for row in rows]


def steps_of(db: Database, name: str) -> tuple[str, Steps]:
    """Return an action's own name and its steps, as the runner wants them.

    Raises:
        NotFound: There is none of that name or alias.
    """
    found = resolve(db, name)
    return found.name, found.steps


def create(db: Database, wanted: NewAction) -> Action:
    """Save a new action.

    Raises:
        Invalid: It does not fit; ``path`` names the place.
        NameTaken: Another action has the name or an alias of it.
    """
    with db.write() as session:
        return add(session, wanted)


def add(session: Session, wanted: NewAction, origin: Origin = BY_HAND) -> Action:
    """Save a new action in a transaction of the caller's; raises as `create`."""
    row = Row(name=wanted.name)
    session.add(row)
    session.flush()
    return _fill(session, row, wanted, origin)


def change(db: Database, action_id: str, wanted: NewAction) -> Action:
    """Save an action anew; raises as `create`.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        return change_in(session, action_id, wanted)


def change_in(
    session: Session, action_id: str, wanted: NewAction, origin: Origin = BY_HAND
) -> Action:
    """Save an action anew within a transaction; raises as `change`."""
    return _fill(session, _row(session, action_id), wanted, origin)


def of_app(session: Session, app: str) -> list[Action]:
    """Return the actions of an app."""
    return [_action(row) for row in session.scalars(select(Row).where(Row.app == app))]


def owner_of(session: Session, name: str) -> Action | None:
    """Return the action of a name or alias within a transaction."""
    row = action_names.find(session, name)
    return _action(row) if row is not None else None


def remove(db: Database, action_id: str) -> None:
    """Forget an action.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        session.delete(_row(session, action_id))


def replayed(db: Database, action: Action, failed: str | None, drifted: str = "") -> None:
    """Write down how a replay ended: ``failed`` says why it did, None that all was done.

    What was done to the end is proved, unless it was changed meanwhile; what failed is a hint
    only, and so is what was done on other screens than it was made for: ``drifted`` says so.
    """
    same = Row.updated == action.updated
    with db.write() as session:
        row = update(Row).where(Row.id == action.action_id)
        session.execute(row.values(uses=Row.uses + 1, used=utc_now()))
        earned.note(session, Earned(replays=1))
        if failed is None:
            session.execute(row.values(successes=Row.successes + 1))
            session.execute(row.where(same).values(proved=True, stale=drifted[: stale.CHARS]))
        else:
            session.execute(row.values(failures=Row.failures + 1))
            session.execute(row.where(same).values(proved=False, stale=failed[: stale.CHARS]))


def stale_of_run(db: Database, run_id: str) -> list[tuple[str, str]]:
    """Return name and reason of the stale actions that a run taught."""
    if not run_id:
        return []
    query = select(Row.name, Row.stale).where(Row.run_id == run_id, Row.stale != "")
    with db.read() as session:
        return [(name, why) for name, why in session.execute(query.order_by(Row.id))]


def mark_stale(session: Session, action_id: str, why: str, version: str = "") -> None:
    """Say why an action is only a hint; an empty ``why`` takes it back.

    ``version`` is that of its app from now on, when that is what makes it stale.
    """
    changed = {"stale": why[: stale.CHARS], **({"app_version": version} if version else {})}
    session.execute(update(Row).where(Row.id == action_id).values(**changed))


def _fill(session: Session, row: Row, wanted: NewAction, origin: Origin) -> Action:
    steps = parse_action(wanted.steps)
    keys = action_names.keys_of(wanted.name, wanted.aliases)
    action_names.take(session, row, keys)
    action_chains.check(session, steps, row)
    row.name, row.app = wanted.name.strip(), wanted.app.strip()
    row.aliases = [alias for key, alias in keys.items() if key != squeeze(wanted.name)]
    if as_json(steps) != row.steps:
        row.steps, row.stale, row.proved = as_json(steps), "", origin.proved
        row.run_id, row.app_version = origin.run_id, origin.app_version
    row.updated = utc_now()
    session.flush()
    return _action(row)


def _row(session: Session, action_id: str) -> Row:
    row = session.get(Row, action_id)
    if row is None:
        raise NotFound(kind="action", name=action_id)
    return row


def _action(row: Row) -> Action:
    return Action(
        action_id=row.id,
        name=row.name,
        aliases=tuple(map(str, row.aliases)),
        app=row.app,
        raw=list(row.steps),
        uses=row.uses,
        used=row.used,
        run_id=row.run_id,
        app_version=row.app_version,
        proved=row.proved,
        stale=row.stale,
        successes=row.successes,
        failures=row.failures,
        created=row.created,
        updated=row.updated,
    )
