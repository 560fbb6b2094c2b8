"""The screens of an app on which a job was done, and whether the app still has them.

A screen is told as a step's is, by what it is made of and by no words: `core.steps.likeness`.
Which rule, and why: docs/decisions/0028-when-a-recipe-is-out-of-date.md.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.steps.likeness import likeness, mark
from core.steps.schema import Expect

MOST = 8
CHARS = 20_000  # of their JSON; the largest of 32 real screens has 2,200
#: As much a screen has in common with itself when it was turned, scrolled or emptied.
KIN = 0.6


@dataclass(frozen=True, slots=True)
class Stood:
    """Where a run acted, each screen once and in order; ``success`` says that it went well."""

    screens: tuple[Expect, ...]
    success: bool


@dataclass(frozen=True, slots=True)
class Drift:
    """An app that is laid out anew: of ``count`` screens that were known ``met`` were met."""

    met: int
    count: int


def distinct(steps: Iterable[dict[str, Any]]) -> tuple[Expect, ...]:
    """Give the screens for which steps were made, each once and in order."""
    made_for = (Expect.model_validate(step["expect"]) for step in steps if step.get("expect"))
    return tuple({mark(screen): screen for screen in made_for}.values())


def kept(screens: Iterable[Expect], package: str) -> list[dict[str, Any]]:
    """Give the first screens of an app as they are kept with an experience."""
    found, left = list[dict[str, Any]](), CHARS
    for screen in of_app(screens, package)[:MOST]:
        raw = screen.model_dump(mode="json", exclude_defaults=True)
        left -= len(json.dumps(raw))
        if left < 0:
            break
        found.append(raw)
    return found


def of_app(screens: Iterable[Expect], package: str) -> list[Expect]:
    """Give the screens that are an app's; none when nobody knows which app."""
    return [screen for screen in screens if package and screen.app == package]


def drift(known: Sequence[Expect], stood: Stood) -> Drift | None:
    """Say how far the screens of an app are other than they were, if they are.

    Who got lost saw others, too: of what a run that failed was told, nothing may have been met.
    """
    if not known or not stood.screens:
        return None
    met = _met(known, stood.screens)
    few = 2 * met < len(known) and 2 * _met(stood.screens, known) < len(stood.screens)
    return Drift(met, len(known)) if not met or (few and stood.success) else None


def _met(these: Sequence[Expect], those: Sequence[Expect]) -> int:
    """Count of these screens those that are among the others."""
    return sum(any(likeness(one, other) >= KIN for other in those) for one in these)
