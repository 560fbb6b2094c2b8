"""What speaks against an experience: outcomes, age, twins; and what rules alone make of it."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.db import Database
from core.memory import actions, recall, stale
from core.memory.experiences import Experience
from core.memory.recall import Recalled
from core.words import Lang, phrase

FAILED_OFTEN = 3  # a run may fail for other reasons than what it was told
TRUSTED = 0.4
TWIN = 0.8
FORGOTTEN = timedelta(days=90)
BEST = 10
#: What each piece of evidence takes from the score.
WEIGHTS = {"fails": 5, "stale": 4, "replay": 4, "twin": 4, "forgotten": 2}
SUGGESTED = 6  # up to this score rules suggest to delete


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that speaks against an experience."""

    code: str
    details: dict[str, Any] = field(default_factory=dict)

    def shown(self, lang: Lang) -> dict[str, Any]:
        """Say it."""
        details = {**self.details}
        if "why" in details:
            details["why"] = stale.said(details["why"], lang)
        said = phrase(f"evidence.{self.code}", lang, **details)
        return {"code": self.code, "details": details, "message": said}


@dataclass(frozen=True, slots=True)
class Case:
    """An experience with what speaks against it, and the ids of those that it makes doubles."""

    experience: Experience
    evidence: tuple[Evidence, ...]
    worse: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Tell apart what was judged: the recipe, and the evidence as far as it weighs.

        Failures count by their order of magnitude, so that a memory that a person kept is not
        brought up again for one more of them.
        """
        weighed = [_weighed(each) for each in self.evidence]
        text = json.dumps([self.experience.task, self.experience.recipe, *weighed])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def score(self) -> int:
        """Give what rules alone make of it, 0 to 10."""
        return max(0, BEST - sum(WEIGHTS[each.code] for each in self.evidence))

    @property
    def mostly_failed(self) -> bool:
        """Say whether runs that were told of it failed, whatever anybody thinks of it."""
        return any(each.code == "fails" for each in self.evidence)

    @property
    def is_bad(self) -> bool:
        """Say whether rules alone suggest to delete it."""
        return self.score <= SUGGESTED


def case(db: Database, experience: Experience, now: datetime) -> Case:
    """Gather what speaks against an experience."""
    twins = _twins(db, experience)
    better = next((each for each in twins if _worth(each.experience) > _worth(experience)), None)
    worse = (e.experience for e in twins if _worth(e.experience) < _worth(experience))
    found = _gathered(db, experience, better, now)
    return Case(experience, tuple(found), tuple(each.experience_id for each in worse))


def _gathered(
    db: Database, one: Experience, twin: Recalled | None, now: datetime
) -> list[Evidence]:
    found = []
    if one.failures >= FAILED_OFTEN and one.confidence < TRUSTED:
        found.append(Evidence("fails", {"failures": one.failures, "successes": one.successes}))
    if one.stale:
        found.append(Evidence("stale", {"why": one.stale}))
    found += [
        Evidence("replay", {"name": name, "why": why})
        for name, why in actions.stale_of_run(db, one.run_id)
    ]
    if twin is not None:
        likeness = round(twin.likeness * 100)
        said = twin.experience.task[:80]
        found.append(Evidence("twin", {"task": said, "likeness": likeness}))
    if not one.hits and now - one.created > FORGOTTEN:
        found.append(Evidence("forgotten", {"days": (now - one.created).days}))
    return found


def _twins(db: Database, one: Experience) -> list[Recalled]:
    """Find the others of the same job and app, the closest first."""
    return [
        near
        for near in recall.recall(db, one.task, top=recall.ORDERED, floor=TWIN)
        if near.experience.experience_id != one.experience_id
        and (near.experience.app == one.app or "" in (near.experience.app, one.app))
        and not near.differs
    ]


def _worth(one: Experience) -> tuple[bool, float, datetime, str]:
    """Say how far one is to be trusted; of equals the newer one stays."""
    return not one.stale, one.confidence, one.created, one.experience_id


def _weighed(evidence: Evidence) -> list[Any]:
    details = dict(evidence.details)
    match evidence.code:
        case "fails":
            details = {"failures": evidence.details["failures"].bit_length()}
        case "replay":  # it fails of something else each night
            details = {"name": evidence.details["name"]}
        case "stale":  # of how many screens it is may be another number each time
            details = {"why": stale.kind(evidence.details["why"])}
        case "forgotten" | "twin":
            details = {}
    return [evidence.code, details]
