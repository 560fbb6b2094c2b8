"""Read a request clause by clause: the saved actions that it names, and what lies between them.

A name may itself hold what parts clauses ("open it, then sign in"), so the longest run of
neighbouring clauses that is a name counts. Only what is nothing but a name counts: "do not open
X" names X, too. What stands in quotes is never looked into.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from core.db import Database
from core.differing import difference
from core.errors import Invalid
from core.memory import actions, gates, people
from core.memory.actions import Action
from core.memory.people import Private
from core.quotes import QUOTED, masked
from core.screen.selectors import squeeze
from core.steps import values

SENTENCE_CHARS = 200  # of a stretch that may be a name
NEIGHBOURS = 6  # clauses that one name may hold
CLAUSES = 60  # of a request that are looked at; what comes after them names no action
DELIMITERS = 4  # blanks and the like within a clause after which a value may begin
STRONG = re.compile(
    r"[，,。；;！!\n]|然后|接着|之后|随后|最后|\bthen\b|(?<![0-9])\.(?![0-9])", re.IGNORECASE
)
#: What parts clauses only where an action or a command follows it.
WEAK = r"再|并且|并|和|\band\b|&"
BREAKS = re.compile(rf"(?:{STRONG.pattern}|{WEAK})(?:\s*(?:{STRONG.pattern}|{WEAK}))*", re.I)
POLITE = re.compile(
    r"^(?:(?:请|麻烦)你?|你(?=帮|给|先))?(?:帮我|给我|帮忙)?先?|^(?:please|first|now|also)\b\s*"
    r"|\s+(?:please|for me|now)$|(?:吧|谢谢|好吗)$|[\s。.!！]+$",
    re.IGNORECASE,
)
#: What may be said before a name to mean that it is to be run.
RUN = re.compile(
    r"^(?:运行|执行|重放|回放)(?:一下|一次)?(?:动作)?[\s:：]*|^(?:run|do|replay|execute)\s+"
    r"(?:the\s+)?(?:saved\s+)?(?:action\s+)?",
    re.IGNORECASE,
)
COMMAND = re.compile(
    r"打开|开启|启动|关|点|按|输入|填|写|搜|查|滑|滚|返回|回|退|等|选|进|切换|看|读|找|截|拍|发|把|将|去"
    r"|告诉|说|保存|删除|播放|在"
    r"|(?:open|launch|start|tap|press|click|type|enter|search|scroll|swipe|select|choose|go|wait|turn"
    r"|toggle|check|find|switch|read|close|look|pick|set|take|tell|show|save|send|delete|return|back"
    r"|list|what)\b",
    re.IGNORECASE,
)
#: A clause whose text may hold what parts others.
FREE = re.compile(
    r"输入|填|键入|写|搜|查找|\b(?:type|enter|input|write|fill|search|look)\b", re.IGNORECASE
)
VALUE = re.compile(r"[\s:：「『“\"]")
#: What takes an action back that was named before, or says when it is meant.
TAKEN_BACK = re.compile(
    r"算了|不用|(?<![分特识个区级类性])别(?![的人处])|不要|不必|除非|明天|后天|稍后|待会|等会|晚点"
    r"|\bnever ?mind\b|\bdon['’]?t\b|\bdo not\b|\bforget it\b|\bunless\b|\bonly if\b|\btomorrow\b"
    r"|\blater\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a request.

    Attributes:
        text: As it was said.
        left: What was said after it.
        action: What it names; None for any other words.
        inputs: The value that was said with the name, where the action wants only one; or who
            and what was said where its name has placeholders for them.
        missing: The names of the values that the action wants and that were not said.
    """

    text: str
    left: str = ""
    action: Action | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class First:
    """A proved action to run before anything else; ``left`` is what is asked beyond it."""

    name: str
    left: str


def whole(request: str) -> list[Clause]:
    """Take a request as one clause that names nothing."""
    return [Clause(request)]


def read(db: Database, request: str) -> list[Clause]:
    """Read a request into the actions that it names and the words between them, in order."""
    parts, private = _parts(request), people.private(request)
    known = _known(db, list(_keys(request, parts, private)))
    return list(_Reader(request, parts, known, private)) if known else whole(request)


def first_actions(db: Database, request: str) -> tuple[First, ...]:
    """Say which proved actions a request begins with, one after the other.

    None where a later word takes them back or means another day.
    """
    found: list[First] = []
    for clause in read(db, request):
        action = clause.action
        if action is None or not action.proved or action.stale or clause.inputs or clause.missing:
            break
        found.append(First(action.name, clause.left))
    return () if found and TAKEN_BACK.search(found[-1].left) else tuple(found)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece between two breaks; ``begins`` says that a clause begins with it for certain."""

    start: int
    end: int
    begins: bool


def _parts(request: str) -> list[_Part]:
    parts: list[_Part] = []
    start, strong = 0, True
    for broken in [*BREAKS.finditer(masked(request)), None]:
        end = broken.start() if broken else len(request)
        if _bare(request[start:end]):
            command = COMMAND.match(_bare(request[start:end])) is not None
            parts.append(_Part(start, end, strong or command or not parts))
            strong = False
        if broken:
            start, strong = broken.end(), strong or STRONG.search(broken[0]) is not None
    return parts


def _bare(text: str) -> str:
    """Leave out what is only polite, at both ends; what is too long for a name stays as it is."""
    before, text = None, text.strip()
    while before != text and len(text) <= SENTENCE_CHARS:
        before, text = text, POLITE.sub("", text).strip()
    return text


def _names(text: str) -> list[str]:
    """Give what a stretch of a request may name, as names are compared."""
    said, bare = text.strip(), _bare(text)
    run = RUN.sub("", bare)
    unquoted = [_unquoted(run)] if run != bare else []
    return [squeeze(each) for each in dict.fromkeys([said, bare, run, *unquoted]) if each]


def _unquoted(text: str) -> str:
    found = QUOTED.fullmatch(text.strip())
    return next(filter(None, found.groups())) if found else text.strip()


def _with_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a clause may name before a value, and the value, the longest name first."""
    bare = RUN.sub("", _bare(text))
    places = islice((at for found in VALUE.finditer(bare) if (at := found.start())), DELIMITERS)
    for place in reversed(list(places)):
        value = _unquoted(bare[place:].lstrip(" :：\t"))
        if value:
            yield squeeze(bare[:place]), value


def _for_anybody(text: str, private: Private) -> tuple[str, dict[str, str]]:
    """Give what a stretch names when it is said of nobody, and the values that it says instead."""
    said = {name: value for name, value in private.values().items() if value in text}
    return (squeeze(_bare(private.hide(text, gates.language(text)))), said) if said else ("", said)


def _keys(request: str, parts: list[_Part], private: Private) -> Iterator[str]:
    """Yield whatever within a request may be a name, as names are compared."""
    for at, part in enumerate(parts[:CLAUSES]):
        for last in parts[at : at + NEIGHBOURS]:
            if last.end - part.start <= SENTENCE_CHARS:
                yield from _names(request[part.start : last.end])
                yield _for_anybody(request[part.start : last.end], private)[0]
        yield from (name for name, _ in _with_values(request[part.start : part.end]))


def _known(db: Database, keys: list[str]) -> dict[str, Action]:
    found = actions.with_keys(db, list(dict.fromkeys(filter(None, keys))))
    named = ((name, action) for action in found for name in (action.name, *action.aliases))
    return {squeeze(name): action for name, action in named}


class _Reader:
    """Goes through the parts of one request, with the actions that could be named in it."""

    def __init__(
        self, request: str, parts: list[_Part], known: dict[str, Action], private: Private
    ) -> None:
        self.request, self.parts, self.known, self.private = request, parts, known, private
        self.exact: dict[int, tuple[int, Action, dict[str, str]]] = {}
        for at in range(min(len(parts), CLAUSES) - 1, -1, -1):
            found = self._exactly(at)
            if found is not None:
                self.exact[at] = found

    def __iter__(self) -> Iterator[Clause]:
        at = began = 0
        while at < len(self.parts):
            words = self._said(began, at) if began < at else ""
            found = self._named(at) if self._may_begin(at, words) else None
            if found is None:
                at += 1
                continue
            if words:
                yield Clause(words, self._left(at))
            end, clause = found
            yield clause
            at = began = end
        if began < at:
            yield Clause(self._said(began, at))

    def _may_begin(self, at: int, words: str) -> bool:
        """Say whether a part is no more of the text that the words before it write."""
        part = self.parts[at]
        return part.begins or not FREE.search(words)

    def _named(self, at: int) -> tuple[int, Clause] | None:
        """Give the clause that begins here, if it names an action, and where the next begins."""
        if at in self.exact:
            end, action, given = self.exact[at]
            missing = tuple(each for each in _wants(action) if each not in given)
            return end, Clause(self._said(at, end), self._left(end), action, given, missing)
        later = range(at + 1, len(self.parts))
        end = next((k for k in later if self.parts[k].begins), len(self.parts))
        text = self._said(at, end)
        for name, value in _with_values(text):
            action_ = self.known.get(name)
            wants = _wants(action_) if action_ else ()
            if action_ and wants:
                inputs = {wants[0]: value} if len(wants) == 1 else {}
                missing = () if inputs else wants
                return end, Clause(text, self._left(end), action_, inputs, missing)
        return None

    def _exactly(self, at: int) -> tuple[int, Action, dict[str, str]] | None:
        for end in range(min(at + NEIGHBOURS, len(self.parts)), at, -1):
            if not self._ends(end):
                continue
            text = self._said(at, end)
            if len(text) > SENTENCE_CHARS:
                continue
            action = next(filter(None, map(self.known.get, _names(text))), None)
            if action is not None and _is_meant(action, text):
                return end, action, {}
            name, given = _for_anybody(text, self.private)
            action = self.known.get(name)
            if action is not None and {*_wants(action)} == {*given}:
                return end, action, given
        return None

    def _ends(self, at: int) -> bool:
        return at == len(self.parts) or self.parts[at].begins or at in self.exact

    def _said(self, at: int, end: int) -> str:
        return self.request[self.parts[at].start : self.parts[end - 1].end].strip()

    def _left(self, end: int) -> str:
        return self.request[self.parts[end].start :].strip() if end < len(self.parts) else ""


def _is_meant(action: Action, text: str) -> bool:
    """Say whether a stretch names an action also by its numbers and opposites.

    Blanks may part numbers, and what a run taught may have got the name of another job before
    such were told apart; a person may call an action anything.
    """
    names = (action.name,) if action.run_id else (action.name, *action.aliases)
    return any(difference(name, text, part=True) is None for name in names)


def _wants(action: Action) -> tuple[str, ...]:
    """Name the values that an action wants; steps of another version say so when they are run."""
    try:
        return tuple(values.names_in(action.steps))
    except Invalid:
        return ()
