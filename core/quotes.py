"""Know what in a sentence is quoted, so that nobody looks for commands inside it."""

import re

QUOTED = re.compile(
    r"「([^「」]+)」|『([^『』]+)』|“([^“”]+)”|‘([^‘’]+)’|\"([^\"]+)\"|(?<![\w])'([^']+)'(?![\w])"
)
HIDDEN = "\ue000"  # private use: no text holds it


def masked(text: str) -> str:
    """Put a sign that means nothing in the place of each that is quoted; the length stays."""
    return QUOTED.sub(lambda found: HIDDEN * len(found[0]), text)
