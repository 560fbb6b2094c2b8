"""What was learned of how jobs go: kept, found, changed and forgotten.

What of it a new request calls back to mind is `core.memory.recall`'s.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, select, tuple_, update
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import Invalid, NotFound
from core.memory import earned, index, screens, stale, wording
from core.memory.earned import Earned
from core.memory.screens import Stood
from core.models import Experience as Row
from core.similar import grams
from core.steps.schema import Expect
from core.words import DEFAULT_LANG, Lang

TASK_CHARS, RECIPE_CHARS = 2_000, 4_000
PAGE = 50
#: Of the rules for what is kept, and how it is found; what is older is said anew at night.
EDITION = 1
FEW = 5_000  # rows up to here are found by their words, and then brought in order


@dataclass(frozen=True, slots=True)
class NewExperience:
    """What was learned from a run: the request, and how such a job goes, without coordinates.

    ``steps`` and ``tokens`` are what the run took; ``proved`` says that the server met its checks;
    ``screens`` are those on which it acted, of any app.
    """

    task: str
    recipe: str
    app: str = ""
    lang: str = "zh"
    run_id: str = ""
    package: str = ""
    app_version: str = ""
    proved: bool = False
    steps: int = 0
    tokens: int = 0
    screens: tuple[Expect, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Give the columns of its row."""
        given = {name: getattr(self, name) for name in self.__slots__}
        return {**given, "screens": screens.kept(self.screens, self.package)}


@dataclass(frozen=True, slots=True)
class Experience:
    """An experience as it is kept; ``stale`` says why it is only a hint, if it is."""

    experience_id: str
    task: str
    recipe: str
    app: str
    lang: str
    package: str
    app_version: str
    run_id: str
    proved: bool
    stale: str
    steps: int
    tokens: int
    hits: int
    successes: int
    failures: int
    steps_saved: int
    tokens_saved: int
    created: datetime
    updated: datetime

    @property
    def confidence(self) -> float:
        """How far it is to be trusted, by how the runs ended that were told of it."""
        return (self.successes + 1) / (self.successes + self.failures + 2)

    def shown(self, lang: Lang = DEFAULT_LANG) -> dict[str, Any]:
        """Give it as the API shows it."""
        given = asdict(self)
        return {
            "id": given.pop("experience_id"),
            **given,
            "stale": stale.said(self.stale, lang),
            "confidence": round(self.confidence, 3),
            "created": iso(self.created),
            "updated": iso(self.updated),
        }


@dataclass(frozen=True, slots=True)
class Went:
    """How a run went that was told of something: what it took, and whether it got there.

    ``tokens`` is None where the model's server told no numbers.
    """

    success: bool
    steps: int = 0
    tokens: int | None = 0


def listing(
    db: Database,
    search: str = "",
    app: str = "",
    before: str | None = None,
    lang: Lang = DEFAULT_LANG,
) -> dict[str, Any]:
    """Return one page of experiences, last changed first, as ``{items, next}``.

    Args:
        db: Where they are.
        search: Kept when in the task or the recipe, or when it is the app.
        app: Kept when it is the app's label or package.
        before: Cursor of the page before: the id of its last experience.
        lang: In which it is said why one is stale.
    """
    with db.read() as session:
        query = _matching(session, search, app)
        if before:
            mark = _row(session, before)
            query = query.where(tuple_(Row.updated, Row.number) < (mark.updated, mark.number))
        ordered = query.order_by(Row.updated.desc(), Row.number.desc())
        rows = session.scalars(ordered.limit(PAGE + 1)).all()
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    return {"items": [_experience(row).shown(lang) for row in rows[:PAGE]], "next": more}


def get(db: Database, experience_id: str) -> Experience:
    """Return an experience.

    Raises:
        NotFound: There is none of that id.
    """
    with db.read() as session:
        return _experience(_row(session, experience_id))


def add(session: Session, wanted: NewExperience) -> Experience:
    """Keep an experience, and make it findable.

    Raises:
        Invalid: The task or the recipe says nothing or is too long.
    """
    pairs = checked(wanted.task, wanted.recipe)
    row = Row(**wanted.values, pairs=len(pairs), edition=EDITION)
    session.add(row)
    session.flush()
    index.put(session, row.number, wanted.task)
    wording.put(session, row.number, wanted.task, wanted.recipe)
    return _experience(row)


def change(
    session: Session, experience_id: str, task: str, recipe: str, app: str = ""
) -> Experience:
    """Have a person's words for an experience; what it was found stale for is forgotten.

    So are its old screens.

    Raises:
        NotFound: There is none of that id.
        Invalid: As `add`.
    """
    row = _row(session, experience_id)
    checked(task, recipe)
    if (task, recipe) != (row.task, row.recipe):
        reword(session, row, task, recipe)
        row.by_hand = True
    row.app = app
    if row.stale:
        row.screens = []
    row.stale, row.updated = "", utc_now()
    session.flush()
    return _experience(row)


def renew(session: Session, experience_id: str, wanted: NewExperience) -> Experience:
    """Keep what a later run of the same job taught, under the task of the first.

    The recipe is replaced unless that would put an unproved one in the place of a proved one.

    Raises:
        NotFound: There is none of that id.
        Invalid: As `add`.
    """
    row = _row(session, experience_id)
    checked(row.task, wanted.recipe)
    if wanted.proved or not row.proved or row.stale:
        reword(session, row, row.task, wanted.recipe)
        row.proved, row.run_id = wanted.proved, wanted.run_id
        if wanted.package:
            row.package, row.app_version = wanted.package, wanted.app_version
        row.screens = wanted.values["screens"]
        row.stale, row.updated = "", utc_now()
    session.flush()
    return _experience(row)


def reword(session: Session, row: Row, task: str, recipe: str) -> None:
    """Say a row in other words, and have it found by those."""
    wording.take(session, {row.number: (row.task, row.recipe)})
    wording.put(session, row.number, task, recipe)
    if task != row.task:
        index.take(session, {row.number: row.task})
        index.put(session, row.number, task)
        row.pairs = len(grams(task))
    row.task, row.recipe = task, recipe


def remove(session: Session, experience_id: str) -> None:
    """Forget an experience.

    Raises:
        NotFound: There is none of that id.
    """
    row = _row(session, experience_id)
    index.take(session, {row.number: row.task})
    wording.take(session, {row.number: (row.task, row.recipe)})
    session.delete(row)


def remove_all(session: Session, numbers: Sequence[int]) -> list[str]:
    """Forget those of these that are there; returns their ids."""
    wanted = select(Row.number, Row.id, Row.task, Row.recipe).where(Row.number.in_(numbers))
    rows = session.execute(wanted).all()
    if rows:
        index.take(session, {row.number: row.task for row in rows})
        wording.take(session, {row.number: (row.task, row.recipe) for row in rows})
        session.execute(delete(Row).where(Row.number.in_([row.number for row in rows])))
    return [row.id for row in rows]


def told(session: Session, experience_ids: Iterable[str]) -> None:
    """Count that a run was told of these."""
    session.execute(update(Row).where(Row.id.in_(experience_ids)).values(hits=Row.hits + 1))


def credit(session: Session, experience_ids: Iterable[str], went: Went) -> None:
    """Credit the outcome of a run to the experiences that it was told of, the likest first.

    What it saved against the run that taught it is the first one's alone, so that sums are true.
    """
    ids = list(experience_ids)
    changed = {"successes": Row.successes + 1} if went.success else {"failures": Row.failures + 1}
    session.execute(update(Row).where(Row.id.in_(ids)).values(updated=utc_now(), **changed))
    steps = tokens = 0
    if went.success and ids:
        steps, tokens = _saved(session, ids[0], went)
    earned.note(session, Earned(int(went.success), int(not went.success), 0, steps, tokens))


def _saved(session: Session, experience_id: str, went: Went) -> tuple[int, int]:
    """Count what a run saved against the one that taught the experience: steps and tokens.

    Tokens count only where both runs were told theirs.
    """
    row = session.scalar(select(Row).where(Row.id == experience_id, Row.steps > 0))
    if row is None:
        return 0, 0
    steps = row.steps - went.steps
    tokens = row.tokens - went.tokens if row.tokens and went.tokens is not None else 0
    row.steps_saved, row.tokens_saved = row.steps_saved + steps, row.tokens_saved + tokens
    return steps, tokens


def find_drifted(session: Session, experience_ids: Iterable[str], stood: Stood) -> list[Experience]:
    """Mark as stale, and return, what was told to a run that found its app laid out anew.

    One that has no screens yet gets those of a run that went well.
    """
    drifted = []
    for row in session.scalars(select(Row).where(Row.id.in_(list(experience_ids)))):
        here = screens.of_app(stood.screens, row.package)
        known = [Expect.model_validate(raw) for raw in row.screens]
        if not known and stood.success:
            row.screens = screens.kept(here, row.package)
        elif found := screens.drift(known, replace(stood, screens=tuple(here))):
            row.stale = stale.kept("screens", met=found.met, count=found.count)
            drifted.append(_experience(row))
    return drifted


def reopen(session: Session, run_id: str) -> None:
    """Have what a run taught judged again."""
    taught = (Row.run_id == run_id) & (Row.run_id != "")
    session.execute(update(Row).where(taught).values(updated=utc_now()))


def mark_stale(session: Session, experience_id: str, why: str, version: str = "") -> None:
    """Say why an experience is only a hint, and have it judged; an empty ``why`` takes it back.

    ``version`` is that of its app from now on, when that is what makes it stale.
    """
    changed: dict[str, Any] = {"stale": why[: stale.CHARS]}
    changed |= {"app_version": version} if version else {}
    changed |= {"updated": utc_now()} if why else {}
    session.execute(update(Row).where(Row.id == experience_id).values(**changed))


def of_numbers(session: Session, numbers: Iterable[int]) -> dict[int, Experience]:
    """Return the experiences that the index points to."""
    rows = session.scalars(select(Row).where(Row.number.in_(list(numbers))))
    return {row.number: _experience(row) for row in rows}


def checked(task: str, recipe: str) -> frozenset[int]:
    """Give the pairs of a task that can be kept with its recipe.

    Raises:
        Invalid: One of them says nothing or is too long.
    """
    pairs = grams(task)
    if not pairs or len(task) > TASK_CHARS:
        raise Invalid(path="task", detail=f"1-{TASK_CHARS}")
    if not recipe.strip() or len(recipe) > RECIPE_CHARS:
        raise Invalid(path="recipe", detail=f"1-{RECIPE_CHARS}")
    return pairs


def _matching(session: Session, search: str, app: str) -> Select[Row]:
    query = select(Row)
    if app:
        query = query.where((Row.app == app) | (Row.package == app))
    if search:
        query = query.where(_found_by(session, search))
    return query


def _found_by(session: Session, search: str) -> ColumnElement[bool]:
    """Find words by the index of words, unless they are so common that a walk is quick."""
    said = Row.task.icontains(search, autoescape=True)
    said |= Row.recipe.icontains(search, autoescape=True)
    is_app = Row.app == search
    having = wording.holding(session, search, FEW)
    if having is None or _of_app(session, search) > FEW:
        return said | is_app
    return (Row.number.in_(having) & said) | is_app


def _of_app(session: Session, app: str) -> int:
    """Count the experiences of an app, as far as it matters whether they are few."""
    some = select(Row.number).where(Row.app == app).limit(FEW + 1).subquery()
    return session.scalar(select(func.count()).select_from(some)) or 0


def _row(session: Session, experience_id: str) -> Row:
    row = session.scalar(select(Row).where(Row.id == experience_id))
    if row is None:
        raise NotFound(kind="experience", name=experience_id)
    return row


def _experience(row: Row) -> Experience:
    same = [name for name in Experience.__slots__ if name != "experience_id"]
    return Experience(row.id, **{name: getattr(row, name) for name in same})
