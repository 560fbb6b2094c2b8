"""Which tasks are near a request, in its own language and in the other one."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from core.devices import apps
from core.meanings import alike_across, marks, sought
from core.memory import index
from core.similar import Rarities, Weigh, alike, grams, squeezed


def of_this_app(task: str, app: str, request: str) -> bool:
    """Say whether a memory of an app may be meant: neither names an app that the other does not."""
    labels = [squeezed(label) for label in app.split(" / ") if squeezed(label)]
    if not labels:
        return True
    asked, named = squeezed(request), apps.named_in(request)
    if any(label in asked for label in labels) or not named.isdisjoint(apps.named_in(app)):
        return True
    said = squeezed(task)
    return not any(label in said for label in labels) and named <= apps.named_in(task)


def of_every_app(task: str, app: str, request: str) -> bool:
    """Say the same of a memory in the other language: it must be of every app that is named."""
    named = apps.named_in(request)
    return named <= apps.named_in(f"{task}\n{app}") and of_this_app(task, app, request)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of signs by which a request is compared with tasks.

    Attributes:
        of_request: Gives the signs of a request.
        of_task: Gives those of a task.
        likeness: Compares both by what signs weigh, 0 to 1.
        fits: Says of a task, its app and a request whether the app may be meant.
        budget: Says how many rows of the index are looked at, by the signs of a request.
        at_least: How many signs are looked up however common they are.
    """

    of_request: Callable[[str], frozenset[int]]
    of_task: Callable[[str], frozenset[int]]
    likeness: Callable[[frozenset[int], frozenset[int], Weigh], float]
    fits: Callable[[str, str, str], bool]
    budget: Callable[[int], int]
    at_least: int


OWN = Kind(grams, grams, alike, of_this_app, budget=index.budget, at_least=1)
#: What everybody speaks of says nothing.
ACROSS = Kind(sought, marks, alike_across, of_every_app, budget=lambda signs: 500, at_least=0)


class Look:
    """A look at what is near a request by one kind of signs.

    ``tasks`` are those that were found, by number; ``weigh`` knows the signs' weights.
    """

    def __init__(self, session: Session, kind: Kind, request: str) -> None:
        asked = kind.of_request(request)
        known = index.counts(session, {*asked, index.ALL})
        total = known.pop(index.ALL, 0)
        chosen = index.rarest(asked, known, kind.budget(len(asked)), kind.at_least)
        near = index.candidates(session, chosen, len(asked)) if chosen else {}
        self.tasks = {n: task for n, (task, app) in near.items() if kind.fits(task, app, request)}
        self._kind, self._asked = kind, asked
        self._every = {number: kind.of_task(task) for number, task in self.tasks.items()}
        unknown = set().union(*self._every.values()) - known.keys()
        self.weigh = Rarities(known | index.counts(session, unknown), total).__getitem__

    def likest(self, most: int, floor: float) -> dict[int, float]:
        """Give how alike those are that are as alike as the floor, the likest first, by number."""
        alikes = (
            (self._kind.likeness(self._asked, signs, self.weigh), number)
            for number, signs in self._every.items()
        )
        return {n: found for found, n in heapq.nlargest(most, alikes) if found >= floor}
