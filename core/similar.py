"""Say how alike two sentences are, by the pairs of signs that they share.

Chinese has no blanks between words, so pairs of signs serve for every language. Plain Dice is best
in a small library and weighing rare pairs more in a large one; the mean of both is never far from
the better (measured up to 100,000 sentences). What is alike is then put in order by a closer look,
at runs of three signs and at where words end.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

from core.words import Lang

#: Below it a sentence is another job; see docs/decisions/0020-when-a-job-is-known.md.
FLOOR = 0.35
HAN = re.compile(r"[\u3400-\u9fff]")
BETWEEN = re.compile(r"[\W_]+")
BLANK = ord(" ")
LONE = 4.0  # what a sign alone weighs that ends or begins a word
#: What share runs of a length have in how close two sentences are.
RUNS = {2: 1 / 3, 3: 2 / 3}
#: How much it takes from what two sentences share that one is longer, as a power of the ratio.
UNLIKE_LENGTHS = 0.2
Weigh = Callable[[int], float]
T = TypeVar("T")


def squeezed(text: str) -> str:
    """Leave the signs that carry meaning: one width, lower case, no blanks or punctuation."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).lower() if sign.isalnum())


def spoken(text: str) -> Lang:
    """Say which language a text is written in."""
    return "zh" if HAN.search(text) else "en"


def grams(text: str) -> frozenset[int]:
    """Give a text's pairs of signs, each packed into one integer."""
    signs = [ord(sign) for sign in squeezed(text)]
    if len(signs) == 1:
        return frozenset({signs[0]})
    return frozenset(a << 21 | b for a, b in pairwise(signs))


def rarity(rows: int, total: int) -> float:
    """Weigh a pair that ``rows`` of ``total`` sentences have."""
    return math.log(1 + total / max(rows, 1))


def alike(one: frozenset[int], other: frozenset[int], weigh: Weigh) -> float:
    """Compare two sentences: the mean of Dice and of Dice by weight, 0 to 1."""
    shared = one & other
    if not shared:
        return 0.0
    weights = 2 * _sum(shared, weigh) / (_sum(one, weigh) + _sum(other, weigh))
    return (2 * len(shared) / (len(one) + len(other)) + weights) / 2


class Closer:
    """Puts sentences that are alike to a request in order; ``weigh`` knows pairs of signs.

    What counts is the share of the longer sentence that both have: a short one is not close to
    every longer one that holds it.
    A run of signs weighs as much as the most common pair in it, so that the pairs' counts serve
    for all of them; see docs/decisions/0027-in-what-order-jobs-are-told.md.
    """

    def __init__(self, request: str, weigh: Weigh) -> None:
        self._weigh = _Runs(weigh).__getitem__
        self._asked = [self._summed(request, length) for length in RUNS]

    def to(self, sentence: str) -> float:
        """Say how close a sentence is, 0 to 1."""
        close = 0.0
        for (asked, whole), (length, share) in zip(self._asked, RUNS.items(), strict=True):
            runs, weight = self._summed(sentence, length)
            if shared := runs & asked:
                shorter, longer = sorted((whole, weight))
                even = (shorter / longer) ** UNLIKE_LENGTHS
                close += share * _sum(shared, self._weigh) / longer * even
        return close

    def _summed(self, text: str, length: int) -> tuple[frozenset[str], float]:
        runs = _runs(text, length)
        return runs, sum(map(self._weigh, runs))


class _Runs(dict[str, float]):
    """What runs of signs weigh, worked out once each."""

    def __init__(self, weigh: Weigh) -> None:
        super().__init__()
        self._weigh = weigh

    def __missing__(self, run: str) -> float:
        pairs = (a << 21 | b for a, b in pairwise(map(ord, run)) if BLANK not in (a, b))
        self[run] = min(map(self._weigh, pairs), default=LONE)
        return self[run]


class Rarities(dict[int, float]):
    """What pairs weigh in a library; one that it does not know is the rarest."""

    def __init__(self, rows: Mapping[int, int], total: int) -> None:
        super().__init__({gram: rarity(count, total) for gram, count in rows.items()})
        self._unseen = rarity(0, max(total, 1))

    def __missing__(self, gram: int) -> float:
        return self._unseen


def _runs(text: str, length: int) -> frozenset[str]:
    """Give the runs of signs of a length; what is between words counts as one blank."""
    words = BETWEEN.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return frozenset(words[at : at + length] for at in range(len(words) - length + 1))


def _sum(signs: Iterable[T], weigh: Callable[[T], float]) -> float:
    return sum(map(weigh, signs))
