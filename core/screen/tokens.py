"""Estimate what a text costs a model, since no tokenizer's vocabulary comes with us.

A text is taken apart as o200k does it, and each piece counted by rule. Held against o200k itself
over the compact texts of 33 real dumps: 0.7 % too many in sum, a single text between 23 % too few
and 15 % too many. Characters by four, the usual rule, gives 34 % too few: a line is mostly digits
and signs.
"""

import re

#: Letters that a piece of one token holds about.
LATIN, OTHER = 6, 3

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
_PIECES = re.compile(
    rf"(?P<latin>[A-Za-z]+)|(?P<one>\d{{1,3}}|[{_CJK}]|\n\s*|_+)"
    rf"|(?P<other>[^\W\d_A-Za-z{_CJK}]+)|(?P<signs>[^\w\s]+)"
)


def estimate(text: str) -> int:
    """Give about how many o200k tokens a text is."""
    return sum(_cost(piece) for piece in _PIECES.finditer(text))


def _cost(piece: re.Match[str]) -> int:
    length = piece.end() - piece.start()
    match piece.lastgroup:
        case "latin":
            return -(-length // LATIN)
        case "other":
            return -(-length // OTHER)
        case _:
            return 1
