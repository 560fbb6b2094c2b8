"""Take quoted names out of a sentence, so that grammar never looks inside them."""

import re

from core.quotes import QUOTED
from mcp_agent.offline.intents import Target

MARK = 0xE100  # private use: no text holds these
HOLE = "[\ue100-\ue1ff]"


class Quotes:
    """The quoted names of one sentence; ``text`` holds one mark for each."""

    def __init__(self, sentence: str) -> None:
        self._names: list[str] = []
        self.text = QUOTED.sub(self._take, sentence)

    def target(self, text: str) -> Target:
        """Make a target of a piece of the text; a piece that is one quoted name is exact."""
        piece = text.strip()
        if re.fullmatch(HOLE, piece):
            return Target(self._names[ord(piece) - MARK], exact=True)
        return Target(self.restore(piece))

    def restore(self, text: str) -> str:
        """Put the quoted names back, without their quotes."""
        return re.sub(HOLE, lambda hole: self._names[ord(hole[0]) - MARK], text).strip()

    def _take(self, found: re.Match[str]) -> str:
        if len(self._names) > 0xFF:
            return found[0]
        self._names.append(next(group for group in found.groups() if group is not None))
        return chr(MARK + len(self._names) - 1)
