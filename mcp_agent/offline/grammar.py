"""What the two grammars have in common: a table of patterns, each with what it means.

The first pattern that fits a whole clause decides. A builder gets the match and the sentence's
quoted names, and returns intents, or None when it does not fit after all.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_agent.offline.intents import Intent, Unclear
from mcp_agent.offline.quotes import Quotes

Built = Sequence[Intent] | None
Builder = Callable[[re.Match[str], Quotes], Built]


Rule = tuple[re.Pattern[str], Builder]


def when(build: Builder, *patterns: str) -> list[Rule]:
    """Make rules that have one meaning; case does not count."""
    return [(re.compile(each, re.IGNORECASE | re.DOTALL), build) for each in patterns]


def simply(*intents: Intent) -> Builder:
    """Mean these intents, whatever the match holds."""
    return lambda _found, _quotes: list(intents)


@dataclass(frozen=True)
class Grammar:
    """One language.

    Attributes:
        breaks: Where a sentence may fall into clauses.
        begins: What a clause begins with.
        weak: Breaks that a name may hold; a piece after one that begins no clause goes on with it.
        free: What a clause begins with whose text may hold any break.
        filler: What is left out at both ends of a clause.
        rules: Patterns and what they mean.
    """

    breaks: re.Pattern[str]
    begins: re.Pattern[str]
    weak: re.Pattern[str]
    free: re.Pattern[str]
    filler: re.Pattern[str]
    rules: Sequence[Rule]

    def understand(self, quotes: Quotes) -> list[Intent]:
        """Turn a sentence into intents, in order."""
        intents: list[Intent] = []
        for clause in self.clauses(quotes.text):
            intents += self.clause(clause, quotes)
        return intents

    def clause(self, text: str, quotes: Quotes) -> Sequence[Intent]:
        """Turn one clause into intents."""
        bare = self.strip(text)
        for pattern, build in self.rules:
            found = pattern.fullmatch(bare)
            built = build(found, quotes) if found else None
            if built is not None:
                return built
        return [Unclear(quotes.restore(text))]

    def clauses(self, text: str) -> list[str]:
        """Split a sentence where a new command begins, and only there."""
        clauses: list[str] = []
        glue = ""
        position = 0
        for broken in [*self.breaks.finditer(text), None]:
            piece = text[position : broken.start() if broken else len(text)]
            if self.strip(piece):
                if clauses and self._goes_on(clauses[-1], glue, piece):
                    clauses[-1] += glue + piece
                else:
                    clauses.append(piece)
            glue = broken[0] if broken else ""
            position = broken.end() if broken else position
        return clauses

    def _goes_on(self, clause: str, glue: str, piece: str) -> bool:
        if self.begins.match(self.strip(piece)):
            return False
        return bool(self.weak.fullmatch(glue) or self.free.match(self.strip(clause)))

    def strip(self, text: str) -> str:
        """Leave out politeness and other filler at both ends."""
        before = None
        while before != text:
            before, text = text, self.filler.sub("", text.strip())
        return text
