"""Find the element that a step means, by its selectors in their order."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import ElementGone
from core.screen import lookup, selectors
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.schema import Selector


@dataclass(frozen=True, slots=True)
class Found:
    """What a selector found; ``count`` is how many fit, of which the first was taken."""

    element: Element
    selector: Selector
    count: int


def seek(screen: Screen, wanted: Sequence[Selector]) -> Found | None:
    """Find what the first selector that fits anything means, else nothing."""
    for selector in wanted:
        found = lookup.elements(screen, selector.given)
        if found:
            free = [each for each in found if not each.covered] or found
            return Found(free[0], selector, len(found))
    return None


def find(screen: Screen, wanted: Sequence[Selector]) -> Found:
    """Find what is wanted.

    Raises:
        ElementGone: It is not there; the nearest labels are named.
    """
    found = seek(screen, wanted)
    if found is None:
        raise missing(screen, wanted)
    return found


def missing(screen: Screen, wanted: Sequence[Selector]) -> ElementGone:
    """Say that none of the selectors fits anything, and what is there instead."""
    said = " / ".join(selector.said for selector in wanted)
    spoken = next((selector.words for selector in wanted if selector.words), "")
    return ElementGone(wanted=said, nearest=selectors.nearest(screen, spoken))
