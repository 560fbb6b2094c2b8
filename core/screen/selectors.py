"""Find an element by the words a model says, or again after the screen was read anew.

Words match exactly, else without regard to case and spaces, else as a part; over text,
description and hint. Nothing is guessed: several matches are refused with the candidates.
"""

import difflib
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from core.errors import Ambiguous, ElementGone, Invalid
from core.screen.elements import Element, cut
from core.screen.screen import SYSTEM_UI, Screen
from core.screen.state import ADVICE

NEAREST = 6
CANDIDATES = 12


def find(
    screen: Screen, text: str, index: int | None = None, among: Sequence[Element] | None = None
) -> Element:
    """Find the element that carries ``text``.

    Args:
        screen: A fresh one.
        text: What the element says, whole or in part.
        index: Which of several, from 0.
        among: Elements of the screen to choose from; all of them when left out.

    Raises:
        ElementGone: None carries it; the nearest labels are named.
        Ambiguous: Several do and ``index`` was not given.
        Invalid: ``index`` is beyond them.
    """
    found = matches(screen, text, among)
    if not found:
        raise ElementGone(wanted=f'"{cut(text)}"', nearest=nearest(screen, text))
    if index is None and len(found) > 1:
        raise Ambiguous(wanted=f'"{cut(text)}"', candidates=_candidates(found))
    if index is not None and not 0 <= index < len(found):
        detail = f'index {index}, and {len(found)} elements match "{cut(text)}".'
        raise Invalid(path="index", detail=detail)
    return found[index or 0]


def matches(screen: Screen, text: str, among: Sequence[Element] | None = None) -> list[Element]:
    """List the elements that carry ``text`` in the best way any of them does.

    What lies under the keyboard or another window counts only where nothing else matches.
    """
    wanted = squeeze(text)
    elements = screen.elements if among is None else among
    if not wanted:
        raise Invalid(path="text", detail="text is empty.")
    found = [e for e in elements if text in (*e.texts, e.label)]
    if not found:
        found = [e for e in elements if wanted in map(squeeze, (*e.texts, e.label))]
    if not found:
        found = [e for e in elements if any(wanted in squeeze(t) for t in (*e.texts, e.label))]
    return [e for e in found if not e.covered] or found


def again(screen: Screen, before: Element, shown: Screen | None = None) -> Element:
    """Find an element of an earlier screen on a fresh one.

    It is the one with the same app, kind, label and id. Where there are several, as ``Delete`` in
    each row of a list, it is the one with the same words beside it, else the one at the same
    place. An element without words or id must still be at its place.

    Args:
        screen: The fresh one.
        before: The element as it was.
        shown: The earlier screen; without it nothing is known of what stood beside the element.

    Raises:
        ElementGone: It is not there any more, or cannot be told from others.
    """
    same = [e for e in screen.elements if _identity(e) == _identity(before)]
    placed = [e for e in same if e.bounds == before.bounds]
    beside = _beside(shown, before) if shown else frozenset()
    if beside and (len(same) > 1 or not placed):
        same = [e for e in same if beside & _beside(screen, e)]
        placed = [e for e in same if e.bounds == before.bounds]
    if placed:
        return placed[0]
    if len(same) == 1 and (before.label or before.short_id):
        return same[0]
    raise ElementGone(wanted=before.name, nearest=nearest(screen, before.label))


def _beside(screen: Screen, element: Element) -> frozenset[str]:
    """Give the words that stand in the same row; a field's are left out, for they change."""
    _, middle = element.point
    return frozenset(
        e.label
        for e in screen.elements
        if e.label
        and e.kind not in ("list", "field")
        and e.package == element.package
        and e.bounds.top <= middle < e.bounds.bottom
        and _identity(e) != _identity(element)
    )


def nearest(screen: Screen, text: str) -> str:
    """Say what is there instead: the most similar labels, else the first ones.

    What the bars say is left out, unless a dialog of the system itself is in front.
    """
    if screen.state in ("locked", "off"):  # what the app shows cannot be there now
        return ADVICE[screen.state]
    names = {squeeze(t): e for e in reversed(screen.elements) for t in e.texts}
    close = difflib.get_close_matches(squeeze(text), list(names), NEAREST, 0.3)
    shown = list({id(names[c]): names[c] for c in close}.values())
    if not shown:
        bars = "" if screen.app.package == SYSTEM_UI else SYSTEM_UI
        shown = [e for e in screen.elements if e.label and e.package != bars][:NEAREST]
    if not shown:
        return "No element on this screen has a label; take de_screenshot."
    lead = "Nearest" if close else "On the screen"
    return f"{lead}: {'; '.join(e.name for e in shown)}. de_ui_tree lists all."


@lru_cache(maxsize=4096)
def squeeze(text: str) -> str:
    """Fold case and width and drop every space, also the invisible ones."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c) != "Cf")


def _identity(element: Element) -> tuple[str, str, str, str]:
    return element.package, element.kind, element.label, element.short_id


def _candidates(found: list[Element]) -> str:
    lines = [f"index {i}: {e.name} @{e.point[0]},{e.point[1]}" for i, e in enumerate(found)]
    more = len(lines) - CANDIDATES
    return "; ".join(lines[:CANDIDATES]) + (f"; and {more} more" if more > 0 else "")
