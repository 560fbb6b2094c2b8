"""Find what a person named: on this page, further down, or behind a row of the settings.

An equal name always wins over a similar one, so a page is read to its end before a similar name
is taken. The search through the settings is bounded and goes back from pages that were wrong.
"""

from dataclasses import dataclass, field

from core.errors import Ambiguous, ElementGone
from core.words import Lang, phrase
from mcp_agent.offline import labels
from mcp_agent.offline.hands import SCROLLS, Doing, Hands
from mcp_agent.offline.intents import Direction, Target
from mcp_agent.offline.tree import SWITCHABLE, Element

SETTINGS = "com.android.settings"
ROWS = ("item", "button", "tab")
DEPTH = 2
ROWS_TRIED = 6
BACKS = 3
NEAREST = 3
ALIKE_ENOUGH = 0.2
#: The loosest reason to open a row as soon as it is seen: it names or mentions what is sought.
STRONG = labels.MENTIONED + 1


@dataclass
class Finder:
    """One search at a time; ``pages`` and ``seen`` hold what the last one went through."""

    hands: Hands
    lang: Lang
    pages: list[str] = field(default_factory=list)
    seen: dict[str, Element] = field(default_factory=dict)

    def switch(self, target: Target) -> Doing[Element]:
        """Find a switch: here, else anywhere in the settings; the screen shows it then.

        Raises:
            ElementGone: There is none of that name.
            Ambiguous: There are several.
        """
        self._forget()
        now = yield from self.hands.see()
        found = self._only(target, now.match(target, SWITCHABLE))
        if found is None:
            found = yield from self.in_settings(target, SWITCHABLE)
        if found is None:
            raise self.gone(target, "offline.switch_wanted")
        return found

    def here(self, target: Target, kinds: tuple[str, ...]) -> Doing[Element | None]:
        """Find something on this page, however far down; None when it is not there."""
        self._forget()
        yield from self.hands.see()
        for worst in (labels.ALIKE, labels.MENTIONED):
            found = yield from self._on_page(target, kinds, worst)
            if found is not None:
                return found
        return None

    def in_settings(self, target: Target, kinds: tuple[str, ...]) -> Doing[Element | None]:
        """Search the settings from this page on, then from the pages above it."""
        if self.hands.now.package != SETTINGS:
            yield from self.hands.act("de_open_app", app=SETTINGS)
            yield from self.hands.look()
        tried: set[str] = set()
        for _ in range(BACKS):
            found = yield from _Dive(self, target, kinds, tried).page(DEPTH)
            if found is not None:
                return found
            if not (yield from self.hands.back()):
                return None
        return None

    def gone(self, target: Target, wanted: str) -> ElementGone:
        """Make the error that says what was looked for, where, and what came nearest."""
        near = sorted(self.seen, key=lambda label: -labels.likeness(target, label))
        near = [each for each in near if labels.likeness(target, each) > ALIKE_ENOUGH]
        quoted = [phrase("offline.thing_wanted", self.lang, name=each) for each in near[:NEAREST]]
        hint = phrase("offline.nothing_near", self.lang)
        if quoted:
            hint = phrase("offline.nearest", self.lang, items=", ".join(quoted))
        if self.pages:
            pages = ", ".join(dict.fromkeys(self.pages))
            hint = f"{phrase('offline.searched_in', self.lang, pages=pages)} {hint}"
        return ElementGone(wanted=phrase(wanted, self.lang, name=target.text), nearest=hint)

    def note_page(self) -> None:
        """Remember the page's title, for the words when nothing is found."""
        texts = [each.label for each in self.hands.now.own if each.kind == "text"]
        self.pages.append(texts[0] if texts else self.hands.now.activity)

    def match(
        self, target: Target, kinds: tuple[str, ...], worst: int = labels.ALIKE
    ) -> Element | None:
        """Look at one screenful."""
        for each in self.hands.now.own:
            if each.label:
                self.seen.setdefault(each.label, each)
        return self._only(target, self.hands.now.match(target, kinds, worst))

    def _on_page(self, target: Target, kinds: tuple[str, ...], worst: int) -> Doing[Element | None]:
        directions: tuple[Direction, ...] = ("down", "up")
        found = self.match(target, kinds, worst)
        for direction in directions:
            for _ in range(SCROLLS if self.hands.now.scrollable else 0):
                if found is not None or not (yield from self.hands.scroll(direction)):
                    break
                found = self.match(target, kinds, worst)
        return found

    def _only(self, target: Target, found: list[Element]) -> Element | None:
        if len(found) > 1:
            names = ", ".join(f"{each.kind} {each.label}" for each in found)
            raise Ambiguous(wanted=target.text, candidates=names)
        return found[0] if found else None

    def _forget(self) -> None:
        self.pages, self.seen = [], {}


@dataclass
class _Dive:
    """A search through pages of the settings; rows that were tried are not tried again."""

    finder: Finder
    target: Target
    kinds: tuple[str, ...]
    tried: set[str]

    @property
    def hands(self) -> Hands:
        return self.finder.hands

    def page(self, depth: int, fresh: bool = False, named: bool = False) -> Doing[Element | None]:
        """Search a page, opening likely rows as they come into sight, unlikely ones at its end.

        Args:
            depth: How many pages deeper may be looked.
            fresh: Whether it was just opened, so that it stands at its top.
            named: Whether the row that led here bears the name itself, so that a similar name,
                or the only switch, is what is meant.
        """
        self.finder.note_page()
        weak: list[Element] = []
        directions: tuple[Direction, ...] = ("down",) if fresh else ("down", "up")
        found = yield from self._screenful(depth, weak)
        for direction in directions:
            for _ in range(SCROLLS if self.hands.now.scrollable else 0):
                if found is not None or not (yield from self.hands.scroll(direction)):
                    break
                found = yield from self._screenful(depth, weak)
        if found is None and named:
            found = self._meant()
        for row in weak:
            found = found or (yield from self._through(row, depth, scrolled=True))
        return found

    def _screenful(self, depth: int, weak: list[Element]) -> Doing[Element | None]:
        found = self.finder.match(self.target, self.kinds)
        rows = [row for row in self.hands.now.own if depth and row.kind in ROWS and row.label]
        ranked = sorted((labels.leads_to(self.target, row.parts), row.number) for row in rows)
        by_number = {row.number: row for row in rows}
        for rank, number in ranked:
            row = by_number[number]
            if found is not None or rank == labels.NOT:
                break
            if rank <= STRONG:
                found = yield from self._through(row, depth)
            elif row.label not in {each.label for each in weak}:
                weak.append(row)
        return found

    def _through(self, row: Element, depth: int, scrolled: bool = False) -> Doing[Element | None]:
        """Look behind a row, and come back when it was the wrong one."""
        if row.label in self.tried or len(self.tried) >= ROWS_TRIED:
            return None
        self.tried.add(row.label)
        name = Target(row.label, exact=True)
        again = self.finder.match(name, ROWS)
        if again is None and scrolled:
            again = yield from self.finder._on_page(name, ROWS, labels.EQUAL)
        if again is None:
            return None
        before = self.hands.now
        after = yield from self.hands.tap(again)
        if after.shown == before.shown or after.package != before.package:
            return None
        named = labels.rank(Target(self.target.text), row.parts) <= labels.ALIKE
        found = yield from self.page(depth - 1, fresh=True, named=named)
        if found is None:
            yield from self.hands.back()
        return found

    def _meant(self) -> Element | None:
        similar = self.finder.match(self.target, self.kinds, labels.MENTIONED)
        switches = [each for each in self.hands.now.own if each.on is not None]
        return similar or (switches[0] if len(switches) == 1 else None)
