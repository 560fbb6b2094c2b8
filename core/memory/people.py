"""Find who a request names and what is to be told them, without a model.

A person is known by what stands around the name: "给张三发…", "message Tom", "联系人X". What a
request is otherwise about, a search term for example, is nobody's own and stays. Roles ("妈妈",
"my boss") name nobody.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.devices import apps
from core.memory import people_words as words
from core.quotes import masked
from core.screen.selectors import squeeze
from core.similar import HAN
from core.words import Lang

NAME_SHORTEST, NAME_LONGEST = 2, 24
WORDS_SHORTEST = 4  # signs of what was said by which it is known again
LOOKED_AT = 4_000  # signs of a request in which names are looked for
ADDED_MOST = 40  # typed texts and labels that are looked for in it
CONTACT, TEXT = "contact", "text"  # what open values for them are called
SOMEBODY: dict[Lang, str] = {"zh": "〈某人〉", "en": "‹someone›"}
SAYING: dict[Lang, str] = {"zh": "〈内容〉", "en": "‹text›"}


@dataclass(frozen=True, slots=True)
class Private:
    """What in a request is somebody's own: who is named, and what is said to them."""

    people: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.people or self.said)

    def values(self) -> dict[str, str]:
        """Give by name what a job for others has instead; nothing where it could be mixed up."""
        if len(self.people) > 1 or len(self.said) > 1:
            return {}
        found = ((CONTACT, self.people), (TEXT, self.said))
        return {name: values[0] for name, values in found if values}

    def hide(self, text: str, lang: Lang) -> str:
        """Put a placeholder in the place of each name and of what is said."""
        for saying in sorted(self.said, key=len, reverse=True):
            text = _whole(saying).sub(SAYING[lang], text)
        for name in sorted(self.people, key=len, reverse=True):
            text = wherever(name).sub(SOMEBODY[lang], text)
        return text

    def is_told_in(self, text: str) -> bool:
        """Say whether a text names one of these, or says what was said to them."""
        if any(wherever(name).search(text) for name in self.people):
            return True
        told = squeeze(text)
        return any(squeeze(each) in told for each in self.known_again.said)

    @property
    def known_again(self) -> "Private":
        """Leave out what was said in so few signs that another text has them by chance."""
        said = (each for each in self.said if len(squeeze(each)) >= WORDS_SHORTEST)
        return replace(self, said=tuple(said))


NOTHING = Private()


def private(request: str, typed: Iterable[str] = (), labels: Iterable[str] = ()) -> Private:
    """Find what in a request is somebody's own.

    Args:
        request: As a person said it.
        typed: What was typed for it; what a request says where a name stands is a name whatever
            it looks like, and what it has somebody told is what is said.
        labels: What was tapped for it, which may be names, too.
    """
    request = request[:LOOKED_AT]
    written = [each for each in dict.fromkeys(map(str.strip, typed)) if each][:ADDED_MOST]
    tapped = [each for each in dict.fromkeys(map(str.strip, labels)) if each][:ADDED_MOST]
    known = tuple(e for e in (*written, *tapped) if e in request and _may_be_one(e))
    people = dict.fromkeys(_people(request, known))
    said = dict.fromkeys(_said(request, tuple(people)))
    for text in written:
        if text not in request and text not in tapped:  # from nowhere but the model's own head
            (people if _looks_like_one(text) else said)[text] = None
        elif text not in people and _is_said(text, request):
            said[text] = None
    return Private(tuple(people), tuple(each for each in said if each and each not in people))


@lru_cache(maxsize=256)
def wherever(name: str) -> re.Pattern[str]:
    """Give the pattern of a name within a text; one in Latin letters is never part of a word."""
    if HAN.search(name):
        return re.compile(re.escape(name))
    return re.compile(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", re.IGNORECASE)


def _whole(saying: str) -> re.Pattern[str]:
    """Give the pattern of what is said; in Latin letters it is never part of a word."""
    escaped = re.escape(saying)
    return re.compile(rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9])" if saying.isascii() else escaped)


def _people(request: str, known: tuple[str, ...]) -> Iterator[str]:
    """Yield the names in a request; what is known to be there counts whatever it looks like."""
    for is_chinese in (True, False):
        marks, after = _marks(is_chinese, known)
        for found in (found for mark in marks for found in mark.finditer(request)):
            if found[0].startswith("@") and not words.CHAT.search(request):
                continue
            for name in (found["who"], *_siblings(request, found.end("who"), after)):
                if name in known or _is_one(name):
                    yield _owner(name)


@lru_cache(maxsize=16)
def _marks(
    is_chinese: bool, known: tuple[str, ...]
) -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    usual = (words.HAN_NAME, words.LATIN_IN_HAN if is_chinese else words.LATIN_NAME)
    name = "|".join([*map(re.escape, sorted(known, key=len, reverse=True)), *usual])
    marks = (*words.ZH_MARKS, words.AT) if is_chinese else words.EN_MARKS
    after = words.NEXT_ZH if is_chinese else words.NEXT_EN
    made = tuple(re.compile(each.format(name=name)) for each in marks)
    return made, re.compile(after.format(name=name))


def _siblings(request: str, at: int, after: re.Pattern[str]) -> Iterator[str]:
    while found := after.match(request, at):
        yield found["who"]
        at = found.end("who")


def _is_one(name: str) -> bool:
    """Say whether a word that stands where a name does is one."""
    own = _owner(name)
    if HAN.search(own):
        return not words.NO_NAMES.match(own) and not apps.named_in(own)
    parts = own.lower().split()
    return words.NO_ONE.isdisjoint((parts[0], parts[-1])) and not apps.named_in(own)


def _may_be_one(label: str) -> bool:
    if not NAME_SHORTEST <= len(label) <= NAME_LONGEST or words.ROLES.match(label):
        return False
    return not apps.named_in(label) and label.lower() not in words.NO_ONE


def _looks_like_one(text: str) -> bool:
    return re.fullmatch(words.HAN_NAME, text) is not None and _is_one(text)


def _owner(name: str) -> str:
    """Leave out a possessive, and a command that begins with a capital, too."""
    return words.COMMANDS.sub("", re.sub(r"['’]s?$", "", name.strip()))


def _said(request: str, people: Sequence[str]) -> Iterator[str]:
    """Yield what is said to somebody, sentence by sentence."""
    who = "|".join(map(re.escape, people))
    told = [each.format(who=who) for each in words.TOLD] if who else []
    for sentence in filter(words.TELLS.search, _sentences(request)):
        for pattern in (*words.SAID, *told):
            for found in re.finditer(pattern, sentence):
                yield found[found.lastgroup or 0].strip()


def _is_said(text: str, request: str) -> bool:
    """Say whether a typed text is what somebody is to be told."""
    said = re.compile(words.BEFORE_SAID + re.escape(text), re.IGNORECASE)
    within = filter(words.TELLS.search, _sentences(request))
    return any(said.search(sentence) for sentence in within)


def _sentences(request: str) -> Iterator[str]:
    """Yield the sentences of a request; what is quoted is never taken apart."""
    ends, start = (found.start() for found in words.SENTENCE.finditer(masked(request))), 0
    for end in [*ends, len(request)]:
        yield request[start:end]
        start = end
