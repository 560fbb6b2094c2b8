"""What a new request calls back to mind: the experiences of jobs like it, and known actions.

Candidates come from the index (`core.memory.index`) and are then compared exactly; see
docs/decisions/0020-when-a-job-is-known.md for the floor.
"""

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.db import Database
from core.differing import Difference, difference
from core.memory import action_names, actions, experiences
from core.memory.actions import Action
from core.memory.experiences import Experience
from core.memory.near import ACROSS, OWN, Look, of_this_app
from core.screen.selectors import squeeze
from core.similar import FLOOR, Closer, grams

TOP = 2
ORDERED = 12  # that are put in order by a closer look
ACTIONS_TOP = 3
LIKE_IT = 0.6  # an action is a short name, which shares pairs with much
COMPARED = 1_000  # actions that are compared with a request, the most used first
LOOKED_UP = 120  # words of a request among which names are looked up
LONGEST = 16  # words of a name that is looked up within a request
SHORTEST = 2  # signs of one
#: One Chinese sign is a word here, and so is what blanks or signs set apart.
WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience, and how like its job is to the one that was asked for, 0 to 1."""

    experience: Experience
    likeness: float
    request: str

    @property
    def differs(self) -> Difference | None:
        """Say by which number or opposite it is another job, however like it is."""
        return difference(self.experience.task, self.request)


def recall(db: Database, request: str, *, top: int = TOP, floor: float = FLOOR) -> list[Recalled]:
    """Find the experiences of jobs like the one that is asked for, the closest first.

    Where they are too few, those told in the other language follow. One of another app is left out
    however like it is: its task names an app that the request does not, or the request one that is
    not its own.
    """
    with db.read() as session:
        own = Look(session, OWN, request)
        likest = own.likest(ORDERED, floor)
        closer = Closer(request, own.weigh)
        best = heapq.nlargest(top, likest, key=lambda number: closer.to(own.tasks[number]))
        if len(best) < top:
            found = Look(session, ACROSS, request).likest(top - len(best), floor)
            likest, best = likest | found, [*best, *found]
        kept = experiences.of_numbers(session, best)
    return [Recalled(kept[number], likest[number], request) for number in best]


def known_actions(db: Database, request: str, top: int = ACTIONS_TOP) -> list[Action]:
    """Find the actions that a request names, the longest name first, then those like it."""
    keys = [*action_names.long_ones_within(db, request), *_phrases(request)]
    named = actions.with_keys(db, list(dict.fromkeys(keys)))
    found = {action.action_id: action for action in named}
    if len(found) < top:
        scored = heapq.nlargest(top, _scored(db, request), key=lambda each: each[0])
        for action in actions.of_ids(db, [action_id for _, action_id in scored]):
            found.setdefault(action.action_id, action)
    return list(found.values())[:top]


def _scored(db: Database, request: str) -> Iterator[tuple[float, str]]:
    """Yield the ids of actions of the request's app whose name or alias is like the request."""
    pairs = grams(request)
    for each in actions.called(db, COMPARED):
        best = max(_covered(pairs, grams(name)) for name in each.names)
        if best >= LIKE_IT and of_this_app("\n".join(each.names), each.app, request):
            yield best, each.action_id


def _covered(asked: frozenset[int], name: frozenset[int]) -> float:
    """Say how much of a name a request holds; a request is longer than the names within it."""
    return len(asked & name) / len(name) if len(name) > 1 else 0.0


def _phrases(request: str) -> Iterator[str]:
    """Yield what within a request could be a name, as names are compared, the longest first."""
    words = WORD.findall(request.casefold())[:LOOKED_UP]
    for length in range(min(LONGEST, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            key = squeeze("".join(words[at : at + length]))
            if len(key) >= SHORTEST:
                yield key
