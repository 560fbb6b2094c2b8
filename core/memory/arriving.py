"""Put the actions of a file in an order in which each finds those that it runs.

All that can be wrong is found before anything is written, and without holding the database: a
file of somebody else's may hold thousands that run one another.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from core.db import Database
from core.errors import Invalid
from core.memory import action_chains, action_names
from core.memory.action_chains import OTHERS_MOST
from core.memory.actions import NewAction
from core.steps.checks import parse_action


@dataclass(frozen=True, slots=True)
class Arrival:
    """An action of a file; ``keys`` are its names as they are compared, ``runs`` by place."""

    at: int
    action: NewAction
    keys: frozenset[str]
    runs: dict[str, str]


def in_order(db: Database, named: Sequence[NewAction]) -> tuple[list[Arrival], list[str]]:
    """Check the actions of a file.

    Returns:
        Those to add, the ones that others run first; and the names of those that are taken.

    Raises:
        Invalid: One does not fit; ``path`` names the place in the file.
    """
    arrivals = [_arrival(at, action) for at, action in enumerate(named)]
    every = [key for each in arrivals for key in (*each.keys, *each.runs.values())]
    known = action_names.known(db, every)
    to_add, taken, reach = list[Arrival](), list[str](), dict[str, set[str]]()
    for each in _sorted(arrivals):
        if each.keys & known:
            taken.append(each.action.name)
            continue
        _check_runs(each, known, reach)
        known |= each.keys
        to_add.append(each)
    return to_add, taken


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Have a refusal name the place in the whole file."""
    try:
        yield
    except Invalid as error:
        detail = str(error.details.get("detail", ""))
        raise Invalid(path=f"{place}.{error.path}", detail=detail) from error


def _arrival(at: int, action: NewAction) -> Arrival:
    with placed(f"actions.{at}"):
        steps = parse_action(action.steps)
        keys = frozenset(action_names.keys_of(action.name, action.aliases))
    return Arrival(at, replace(action, steps=steps), keys, action_chains.runs(steps))


def _check_runs(arrival: Arrival, known: set[str], reach: dict[str, set[str]]) -> None:
    """Make sure that what an action runs is there and not too much; ``reach`` knows it by key."""
    others = set[str]()
    for place, key in arrival.runs.items():
        others |= {key} | reach.get(key, set())
        if key not in known:
            _refuse(arrival, place, f"there is no action {key}.")
        if len(others) > OTHERS_MOST:
            _refuse(arrival, place, action_chains.too_many())
    reach.update(dict.fromkeys(arrival.keys, others))


def _refuse(arrival: Arrival, place: str, why: str) -> None:
    with placed(f"actions.{arrival.at}"):
        raise Invalid(path=place, detail=f"{place}: {why}")


def _sorted(arrivals: Sequence[Arrival]) -> Iterator[Arrival]:
    """Yield each after those that it runs, without recursion: a chain may be long.

    Raises:
        Invalid: Some run one another in a circle.
    """
    by_key = {key: each for each in reversed(arrivals) for key in each.keys}
    done, open_ = set[int](), dict[int, Iterator[tuple[str, str]]]()
    for first in arrivals:
        todo = [first]
        while todo:
            each = todo[-1]
            if each.at in done:
                todo.pop()
                continue
            rest = open_.setdefault(each.at, iter(each.runs.items()))
            place, inner = next(((p, by_key[key]) for p, key in rest if key in by_key), ("", None))
            if inner is None:
                done.add(each.at)
                yield todo.pop()
            elif inner.at not in done:
                if inner.at in open_:
                    _refuse(each, place, "it would run itself again, in a circle.")
                todo.append(inner)
