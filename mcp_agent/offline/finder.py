"""Find what a person named: on this page, further down, or behind a row of the settings.

An equal name always wins over a similar one, so a page is read to its end before a similar name
is taken. The search through the settings is bounded and goes back from pages that were wrong.
"""

from dataclasses import dataclass, field

from core.errors import Ambiguous, ElementGone
from core.words import Lang, phrase
from mcp_agent.offline import labels
from mcp_agent.offline.hands import Doing, Hands, Sought
from mcp_agent.offline.intents import Target
from mcp_agent.offline.tree import SWITCHABLE, TAPPABLE, Element

SETTINGS = "com.android.settings"
ROWS = ("item", "button", "tab")
DEPTH = 2
ROWS_A_PAGE = 3
BACKS = 3
NEAREST = 3
ALIKE_ENOUGH = 0.2


@dataclass
class Finder:
    """One search at a time; ``pages`` remembers what the last one went through."""

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
        self.pages, self.seen = [], {}
        yield from self.hands.look()
        here = self.hands.now.match(target, SWITCHABLE)
        found = self._only(target, here) if here else (yield from self._in_settings(target))
        if found is None:
            raise self.gone(target, "offline.switch_wanted")
        return found

    def here(self, target: Target, kinds: tuple[str, ...] = TAPPABLE) -> Doing[Element | None]:
        """Find something on this page; None when it is not there."""
        self.pages, self.seen = [], {}
        yield from self.hands.look()
        for worst in (labels.ALIKE, labels.MENTIONED):
            sought = yield from self._seek(target, kinds, worst)
            if sought.found:
                return self._only(target, sought.found)
        return None

    def row(self, target: Target) -> Doing[Element | None]:
        """Find a page's row in the settings, by what rows and their descriptions say."""
        yield from self._enter_settings()
        for _ in range(BACKS):
            sought = yield from self._seek(target, TAPPABLE, labels.IN_NAME)
            if sought.found:
                return self._only(target, sought.found)
            if not (yield from self.hands.back()):
                break
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

    def _in_settings(self, target: Target) -> Doing[Element | None]:
        """Search the settings from this page on, then from the pages above it."""
        yield from self._enter_settings()
        for _ in range(BACKS):
            found = yield from self._explore(target, DEPTH)
            if found is not None or not (yield from self.hands.back()):
                return found
        return None

    def _explore(self, target: Target, depth: int, entered: bool = False) -> Doing[Element | None]:
        """Search a page and what is behind its likely rows.

        Args:
            target: What to find.
            depth: How many pages deeper may be looked.
            entered: Whether the row that led here bears the name itself, so that a similar
                name, or the only switch, is what is meant.
        """
        self.pages.append(self._title())
        sought = yield from self._seek(target, SWITCHABLE)
        if not sought.found and entered:
            sought = yield from self._seek(target, SWITCHABLE, labels.MENTIONED)
            switches = [each for each in self.hands.now.own if each.on is not None]
            sought.found = sought.found or (switches if len(switches) == 1 else [])
        if sought.found:
            return self._only(target, sought.found)
        for row in self._likely_rows(target, sought) if depth else []:
            named = labels.rank(Target(target.text), row.parts) <= labels.ALIKE
            if not (yield from self._enter(row)):
                continue
            found = yield from self._explore(target, depth - 1, entered=named)
            if found is not None:
                return found
            yield from self.hands.back()
        return None

    def _likely_rows(self, target: Target, sought: Sought) -> list[Element]:
        rows = [each for each in sought.seen.values() if each.kind in ROWS]
        ranked = sorted((labels.leads_to(target, row.parts), at) for at, row in enumerate(rows))
        return [rows[at] for rank, at in ranked if rank != labels.NOT][:ROWS_A_PAGE]

    def _enter(self, row: Element) -> Doing[bool]:
        """Open the page behind a row that was seen on this one; False when nothing opened."""
        sought = yield from self._seek(Target(row.label, exact=True), ROWS)
        if not sought.found:
            return False
        before = self.hands.now
        after = yield from self.hands.tap(sought.found[0])
        return after.shown != before.shown and after.package == before.package

    def _enter_settings(self) -> Doing[None]:
        if self.hands.now.package != SETTINGS:
            yield from self.hands.act("de_open_app", app=SETTINGS)
            yield from self.hands.look()

    def _seek(
        self, target: Target, kinds: tuple[str, ...], worst: int = labels.ALIKE
    ) -> Doing[Sought]:
        sought = yield from self.hands.seek(target, kinds, worst)
        self.seen.update(sought.seen)
        return sought

    def _only(self, target: Target, found: list[Element]) -> Element:
        if len(found) > 1:
            names = ", ".join(f"{each.kind} {each.label}" for each in found)
            raise Ambiguous(wanted=target.text, candidates=names)
        return found[0]

    def _title(self) -> str:
        texts = [each.label for each in self.hands.now.own if each.kind == "text"]
        return texts[0] if texts else self.hands.now.activity
