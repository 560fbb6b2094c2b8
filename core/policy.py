"""Say whether an act needs a person's word first, judged on what it really touches.

The screen is untrusted, so nothing that it says makes an act harmless; a label only makes it
risky. An act that resolves to no labelled element is as risky as the screen it happens on.
"""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from core.devices.base import Point
from core.policy_words import (
    ALIKE,
    GO_ON,
    IDS,
    LEXICON,
    LONGEST_EN,
    LONGEST_SENTENCE,
    LONGEST_ZH,
    MONEY_KINDS,
    PAY_PIN,
    PRICE,
    SCHEMES,
    SEARCH,
    SENTENCES,
    SIMPLE,
    SLIDE,
    YES,
    Words,
)
from core.screen.elements import Element
from core.screen.labels import clean
from core.screen.screen import SYSTEM_UI, Screen

CHINESE = re.compile(r"[一-鿿]")
SPACED = re.compile(r"(?<=[一-鿿]) (?=[一-鿿])")  # "登 录", as buttons are often set
UNSAID = ("Cf", "So", "Mn")  # invisible signs, emoji, and what colours them
DECORATION = re.compile(r"^[^\w$€£¥₩₹]+")
TAP_SHARE = 0.05  # of the screen's width: a finger that moves less only taps
ID_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
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
    to whatever has the focus, so that the screen has to speak for it; ``types`` that it types.
    """

    element: Element | None = None
    blind: bool = False
    types: bool = False
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
    if element is not None and element.kind == "field" and not act.blind:
        return None  # it gets the focus
    if element is not None and _pieces(element):
        risk = of_element(element) or _of_digit(element, screen)
        return risk or _of_yes(element, screen)
    if act.blind or element is not None:
        risk = of_element(element) if element is not None else None
        return risk or (None if _searches(element, screen) else of_screen(screen))
    return _pays_by_pin(screen) if act.types else None


def moved(screen: Screen, start: Point, end: Point, *, aimed: bool) -> Act:
    """Say what a moving finger does: ``aimed`` from a point on, or in a direction to scroll."""
    if math.dist(start, end) < TAP_SHARE * screen.size.width:
        return Act(screen.at(start), blind=True)
    return Act(screen.at(start) if aimed else None, swipe_from=start)


def of_element(element: Element) -> Risk | None:
    """Judge by the element's own words; without any, by its resource id's."""
    pieces = _pieces(element)
    if element.clickable and PRICE.fullmatch(plain(element.label)):
        return Risk("pay", element.label)
    for piece in pieces:
        risk = of_label(piece)
        if risk is not None:
            return risk
    return None if pieces or element.kind == "field" else _of_id(element)


def reached(element: Element, screen: Screen) -> Element:
    """Choose what a tap on an element reaches: a risky control that lies at its middle, if any."""
    there = screen.at(element.point)
    if there is None or of_element(element) is not None or not _pieces(there):
        return element
    return there if of_element(there) is not None else element


def of_label(label: str) -> Risk | None:
    """Judge one label: a control's short words, never a sentence that speaks of them."""
    text = plain(label)
    if not text or is_sentence(label):
        return None
    for words in LEXICON:
        if _compiled(words).search(text):
            return Risk(words.kind, label.strip())
    return None


def is_sentence(label: str) -> bool:
    """Say whether a label is longer than a control's: it tells something."""
    text = plain(label)
    return len(text) > (LONGEST_ZH if CHINESE.search(text) else LONGEST_EN)


def kinds_said(text: str) -> frozenset[str]:
    """List the kinds of grave acts that a text of any length speaks of, in either language."""
    said = plain(text)
    return frozenset(
        words.kind
        for words in LEXICON
        if _compiled(words).search(said) or _sentence(words.kind).search(said)
    )


def plain(text: str) -> str:
    """Write a text as the lexicon does: as it is read, simplified, in lower case and plain."""
    wide = unicodedata.normalize("NFKC", text)
    seen = "".join(sign for sign in wide if unicodedata.category(sign) not in UNSAID)
    words = " ".join(seen.translate(SIMPLE).translate(ALIKE).split())
    return DECORATION.sub("", SPACED.sub("", words)).lower()


def of_screen(screen: Screen) -> Risk | None:
    """Judge an act that goes to nothing labelled: what could be pressed here speaks for it."""
    grave = {words.kind for words in LEXICON if words.screen}
    for element in screen.elements:
        if element.package == SYSTEM_UI:
            continue
        risk = of_element(element)
        if risk is not None and risk.kind in grave:
            return risk
    return _slider(screen.elements) or _pays_by_pin(screen)


def _of_yes(element: Element, screen: Screen) -> Risk | None:
    """A "yes" does what the screen asks for, so the screen's sentences speak for it."""
    label = plain(element.label)
    only_money = bool(GO_ON.fullmatch(label))
    if not only_money and not YES.fullmatch(label):
        return None
    for each in screen.elements:
        if each.package == element.package and not each.covered:
            for piece in _pieces(each):
                risk = of_label(piece) or _of_sentence(piece)
                if risk is not None and (not only_money or risk.kind in MONEY_KINDS):
                    return risk
    return None


def _of_sentence(sentence: str) -> Risk | None:
    text = plain(sentence)
    if len(text) > LONGEST_SENTENCE:
        return None
    for words in LEXICON:
        pattern = _compiled(words) if CHINESE.search(text) else _sentence(words.kind)
        if pattern.search(text):
            return Risk(words.kind, sentence.strip())
    return None


def _of_id(element: Element) -> Risk | None:
    words = {word.lower() for word in ID_WORD.findall(element.short_id)}
    for kind, telling in IDS.items():
        if element.clickable and words & set(telling.split("|")):
            return Risk(kind, element.short_id)
    return None


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
            if SLIDE.search(plain(piece)):
                return Risk("pay", piece)
    return None


def _of_digit(element: Element, screen: Screen) -> Risk | None:
    """A digit of a payment's PIN pays, though its label is only a digit."""
    return _pays_by_pin(screen) if len(element.label.strip()) == 1 else None


def _pays_by_pin(screen: Screen) -> Risk | None:
    """What goes to a screen that asks for a payment's PIN pays with its last digit."""
    for each in screen.elements:
        for piece in each.texts:
            if PAY_PIN.search(plain(piece)) and len(piece) <= LONGEST_EN:
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
    typed = clean(field.node.get("text")) if field.node is not None else ""
    own = [text for text in field.texts if text != typed]  # what was typed is no name of it
    return any(SEARCH.search(plain(text)) for text in (*own, field.short_id))


def _pieces(element: Element) -> tuple[str, ...]:
    if element.kind == "field":  # what somebody typed is no control's label
        return ()
    return tuple(dict.fromkeys(text for text in (element.label, *element.texts) if text.strip()))


@cache
def _compiled(words: Words) -> re.Pattern[str]:
    return words.pattern


@cache
def _sentence(kind: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{SENTENCES[kind]})\b")
