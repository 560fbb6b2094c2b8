"""Say how alike two sentences are, by the pairs of signs that they share.

Chinese has no blanks between words, so pairs of signs serve for every language. Plain Dice is best
in a small library and weighing rare pairs more in a large one; the mean of both is never far from
the better (measured up to 100,000 sentences).
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise

from core.words import Lang

#: Below it a sentence is another job; see docs/decisions/0020-when-a-job-is-known.md.
FLOOR = 0.35
HAN = re.compile(r"[\u3400-\u9fff]")
Weigh = Callable[[int], float]


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


def _sum(pairs: Iterable[int], weigh: Weigh) -> float:
    return sum(map(weigh, pairs))
