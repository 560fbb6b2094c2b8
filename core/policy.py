"""Say whether an act needs a person's word first, judged on what it really touches.

The screen is untrusted, so nothing that it says makes an act harmless; a label only makes it
risky. An act that resolves to no labelled element is as risky as the screen it happens on.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from core.devices.base import Point
from core.policy_words import (
    LEXICON,
    LONGEST_EN,
    LONGEST_ZH,
    PAY_PIN,
    SCHEMES,
    SEARCH,
    SLIDE,
    Words,
)
from core.screen.elements import Element
from core.screen.screen import SYSTEM_UI, Screen

CHINESE = re.compile(r"[一-鿿]")
ANY = "act"  # the kind of an act that is asked for only because every act is


@dataclass(frozen=True, slots=True)
class Risk:
    """Why a person is asked: the kind of act, and the words that told it."""

    kind: str
    said: str


@dataclass(frozen=True, slots=True)
class Act:
    """What is about to be sent to a phone.

    ``element`` is what it touches, where that is known. ``blind`` says that it goes to a point or
    to whatever has the focus, so that the screen has to speak for it.
    """

    element: Element | None = None
    blind: bool = False
    url: str = ""
    swipe_from: Point | None = None


def judge(act: Act, screen: Screen) -> Risk | None:
    """Judge an act on the screen that it goes to.

    Returns:
        The gravest risk, or None when the act can be taken back or does nothing of weight.
    """
    if act.url:
        return _of_address(act.url)
    element = act.element
    if act.swipe_from is not None:
        return _of_slider(element, act.swipe_from, screen)
    if element is not None and _pieces(element):
        return of_element(element) or _of_digit(element, screen)
    if act.blind or element is not None:
        return None if _searches(element, screen) else of_screen(screen)
    return None


def of_element(element: Element) -> Risk | None:
    """Judge by the element's own words."""
    for piece in _pieces(element):
        risk = of_label(piece)
        if risk is not None:
            return risk
    return None


def of_label(label: str) -> Risk | None:
    """Judge one label: a control's short words, never a sentence that speaks of them."""
    text = " ".join(label.split()).lower()
    if not text or len(text) > (LONGEST_ZH if CHINESE.search(text) else LONGEST_EN):
        return None
    for words in LEXICON:
        if _compiled(words).search(text):
            return Risk(words.kind, label.strip())
    return None


def of_screen(screen: Screen) -> Risk | None:
    """Judge an act that goes to nothing labelled: what could be pressed here speaks for it."""
    grave = {words.kind for words in LEXICON if words.screen}
    for element in screen.elements:
        if element.package == SYSTEM_UI:
            continue
        risk = of_element(element)
        if risk is not None and risk.kind in grave:
            return risk
    return _slider(screen.elements)


def _of_address(url: str) -> Risk | None:
    scheme = urlsplit(url.strip()).scheme.lower()
    kind = SCHEMES.get(scheme)
    return Risk(kind, f"{scheme}:") if kind else None


def _of_slider(element: Element | None, start: Point, screen: Screen) -> Risk | None:
    """Judge a finger that moves: over a list it scrolls, on a slider it does what that says.

    A slider's knob has no words of its own, so whatever is written on its level speaks for it.
    """
    if element is not None and of_element(element):
        return of_element(element)
    level = (e for e in screen.elements if abs(e.point[1] - start[1]) <= e.bounds.height)
    return _slider(level)


def _slider(elements: Iterable[Element]) -> Risk | None:
    for element in elements:
        for piece in _pieces(element):
            if SLIDE.search(piece.lower()):
                return Risk("pay", piece)
    return None


def _of_digit(element: Element, screen: Screen) -> Risk | None:
    """A digit of a payment's PIN pays, though its label is only a digit."""
    if len(element.label.strip()) != 1:
        return None
    for each in screen.elements:
        for piece in _pieces(each):
            if PAY_PIN.search(piece.lower()):
                return Risk("pay", piece)
    return None


def _searches(element: Element | None, screen: Screen) -> bool:
    """Say whether typing goes to a field that only looks for something."""
    field = element
    if field is None or field.kind != "field":
        focused = (e for e in screen.elements if e.kind == "field" and "focused" in e.flags)
        field = next(focused, None)
    if field is None:
        return False
    return any(SEARCH.search(text.lower()) for text in (*field.texts, field.short_id))


def _pieces(element: Element) -> tuple[str, ...]:
    if element.kind == "field":  # what somebody typed is no control's label
        return ()
    return tuple(dict.fromkeys(text for text in (element.label, *element.texts) if text.strip()))


@cache
def _compiled(words: Words) -> re.Pattern[str]:
    return words.pattern
