"""Carry out intents and say, for each, what is so now; nothing is said that was not read back."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import (
    ConsoleError,
    ElementGone,
    LoopDetected,
    PhoneFault,
    RunOver,
    Unreachable,
)
from core.memory import stale
from core.runs.events import TextDelta
from core.words import Lang, phrase
from mcp_agent.offline import labels
from mcp_agent.offline.finder import BACKS, ROWS, SETTINGS, Finder
from mcp_agent.offline.hands import SCROLLS, Doing, Hands
from mcp_agent.offline.intents import (
    Check,
    Intent,
    Look,
    Open,
    Press,
    Read,
    Replay,
    Scroll,
    ScrollTo,
    Search,
    Switch,
    Tap,
    Target,
    Type,
    Unclear,
    WaitFor,
)
from mcp_agent.offline.tree import SWITCHABLE, TAPPABLE, Element, Tree

LISTED = 40
LOOKS = 4
LOOK_AGAIN_S = 0.4
WAIT_S = 25
GOES_ON = "Not finished yet"  # what de_run_action says first when it must be called again
ANYTHING = (*TAPPABLE, "text", "image")
OPENED = (*SWITCHABLE, *ROWS)
FIELD_IDS = {
    "标题": ("title",),
    "正文": ("body", "content", "text"),
    "内容": ("body", "content", "text"),
    "body": ("body", "content", "text"),
    "content": ("body", "content", "text"),
}


@dataclass
class Doer:
    """Does one intent after the other in one run."""

    hands: Hands
    lang: Lang

    def __post_init__(self) -> None:
        self.finder = Finder(self.hands, self.lang)

    def do_all(self, intents: Sequence[Intent]) -> Doing[str]:
        """Carry out what was understood, up to the first thing that cannot be done.

        Returns:
            The answer, a sentence for each.
        """
        refusal = self._refusal(intents)
        if refusal:
            yield TextDelta(refusal)
            return refusal
        sentences: list[str] = []
        for at, intent in enumerate(intents):
            sentence, done = yield from self._try(intent)
            if not done and at + 1 < len(intents):
                sentence += f"\n{self._say('skipped')}"
            yield TextDelta(f"\n{sentence}" if sentences else sentence)
            sentences.append(sentence)
            if not done:
                break
        return "\n".join(sentences)

    def _refusal(self, intents: Sequence[Intent]) -> str:
        """Say what keeps all of it from being done, before anything is; empty for nothing."""
        for each in intents:
            match each:
                case Unclear(text):
                    return f"{self._say('not_understood', part=text)}\n\n{self._say('help')}"
                case Replay(name, missing=(_, *_) as missing):
                    return self._say("value_missing", name=name, values=", ".join(missing))
                case _:
                    pass
        return ""

    def _try(self, intent: Intent) -> Doing[tuple[str, bool]]:
        try:
            return (yield from self._do(intent)), True
        except (RunOver, Unreachable, LoopDetected):  # these end the run, they are no answer
            raise
        except ConsoleError as error:
            words = error.words(self.lang)
            return f"{words.message} {words.hint}".strip(), False

    def _do(self, intent: Intent) -> Doing[str]:  # noqa: C901 - one flat table
        match intent:
            case Open(target):
                return (yield from self._open(target))
            case Switch(target, on):
                return (yield from self._switch(target, on))
            case Check(target):
                element = yield from self.finder.switch(target)
                return self._say("is_on" if element.on else "is_off", name=element.name)
            case Tap(target):
                return (yield from self._tap(target))
            case Type(text, into):
                return (yield from self._type(text, into))
            case Search(text):
                return (yield from self._search(text))
            case Scroll():
                return (yield from self._scroll(intent))
            case ScrollTo(target):
                element = yield from self._must_find(target, ANYTHING)
                return self._say("seen", name=element.name)
            case Press(key):
                yield from self.hands.act("de_press_key", key=key)
                return self._say(key)
            case Read():
                return self._list((yield from self.hands.look()))
            case Look():
                yield from self.hands.ask("de_screenshot")
                return self._say("looked")
            case WaitFor(target, gone):
                return (yield from self._wait(target, gone))
            case Replay():
                return (yield from self._replay(intent))
            case _:
                return self._say("not_understood", part="")

    def _open(self, target: Target) -> Doing[str]:
        """Open by what is there: a switch, a row, an app, and only then a search."""
        now = yield from self.hands.see()
        rows = now.match(target, ROWS)
        if now.match(target, SWITCHABLE) or labels.names_switch(target.text):
            return (yield from self._switch(target, on=True))
        if len(rows) == 1:
            return (yield from self._open_found(rows[0]))
        if labels.names_app(target.text) and not target.exact:
            yield from self.hands.act("de_open_app", app=target.text)
            return self._say("opened", name=target.text)
        found = yield from self._find_to_open(target)
        return (
            (yield from self._open_found(found)) if found else self._say("opened", name=target.text)
        )

    def _find_to_open(self, target: Target) -> Doing[Element | None]:
        """Look further down, in the settings, on the pages before and among the apps.

        Returns:
            What to open; None when an app of that name was opened.

        Raises:
            ElementGone: Nothing has that name.
        """
        began_in = self.hands.now.package
        found = yield from self.finder.here(target, TAPPABLE)
        if found is None and began_in == SETTINGS:
            found = yield from self.finder.in_settings(target, OPENED)
        for _ in range(BACKS if began_in != SETTINGS else 0):
            if found is not None or not (yield from self.hands.back()):
                break
            found = yield from self.finder.here(target, TAPPABLE)
        if found is None and (yield from self._open_app(target)):
            return None
        if found is None and began_in != SETTINGS:
            found = yield from self.finder.in_settings(target, OPENED)
        if found is None:
            raise self.finder.gone(target, "offline.thing_wanted")
        return found

    def _open_app(self, target: Target) -> Doing[bool]:
        try:
            yield from self.hands.act("de_open_app", app=target.text)
        except PhoneFault:  # no such app: something else may have the name
            yield from self.hands.look()
            return False
        return True

    def _open_found(self, found: Element) -> Doing[str]:
        if found.on is not None:
            return (yield from self._set(found, on=True))
        yield from self.hands.tap(found)
        return self._say("opened", name=found.name)

    def _switch(self, target: Target, on: bool | None) -> Doing[str]:
        element = yield from self.finder.switch(target)
        return (yield from self._set(element, on))

    def _set(self, element: Element, on: bool | None) -> Doing[str]:
        """Bring a switch that is on the screen to one side, and read it back."""
        wanted = not element.on if on is None else on
        if element.on == wanted:
            return self._say("already_on" if wanted else "already_off", name=element.name)
        if "disabled" in element.flags:
            return self._say("disabled", name=element.name)
        yield from self.hands.tap(element)
        for _ in range(LOOKS):
            now = self._again(element)
            if now is not None and now.on == wanted:
                return self._say("on" if wanted else "off", name=element.name)
            if self.hands.abort.wait(LOOK_AGAIN_S):
                raise RunOver
            yield from self.hands.look()
        return self._say("still_off" if wanted else "still_on", name=element.name)

    def _again(self, element: Element) -> Element | None:
        """Find a switch again after its page has changed."""
        named = [e for e in self.hands.now.own if e.on is not None and e.name == element.name]
        return named[0] if named else None

    def _tap(self, target: Target) -> Doing[str]:
        element = yield from self._must_find(target, TAPPABLE, ("text",))
        yield from self.hands.tap(element)
        return self._say("tapped", name=element.name)

    def _type(self, text: str, into: Target | None) -> Doing[str]:
        now = yield from self.hands.see()
        if into is None:
            field = self._free_field(now)
            yield from self.hands.act("de_type_text", text=text, into=str(field.number))
            return self._say("typed", text=text)
        named = self._field(now, into)
        where = into.text if named is None else str(named.number)
        yield from self.hands.act("de_type_text", text=text, into=where)
        return self._say("typed_into", text=text, name=into.text)

    def _field(self, now: Tree, into: Target) -> Element | None:
        for worst in (labels.ALIKE, labels.MENTIONED):
            found = now.match(into, ("field",), worst)
            if len(found) == 1:
                return found[0]
        ids = FIELD_IDS.get(labels.meaning(into.text), (labels.plain(into.text),))
        found = [f for f in now.fields() if any(each in f.short_id.lower() for each in ids)]
        return found[0] if len(found) == 1 else None

    def _free_field(self, now: Tree) -> Element:
        fields = now.fields()
        if not fields:
            raise ElementGone(wanted=self._say("no_field"), nearest="")
        focused = [each for each in fields if "focused" in each.flags]
        plain = [each for each in fields if not _is_search(each)]
        return (focused or plain or fields)[0]

    def _search(self, text: str) -> Doing[str]:
        now = yield from self.hands.see()
        fields = [each for each in now.fields() if _is_search(each)] or now.fields()
        if not fields:
            opener = yield from self._must_find(Target(labels.SEARCH[0]), TAPPABLE)
            now = yield from self.hands.tap(opener)
            fields = now.fields()
        if not fields:
            raise ElementGone(wanted=self._say("no_field"), nearest="")
        number = str(fields[0].number)
        yield from self.hands.act("de_type_text", text=text, into=number, clear=True, submit=True)
        now = yield from self.hands.look()
        shown = [each for each in _names(now) if each not in (text, *labels.SEARCH)]
        items = "\n".join(f"- {each}" for each in shown[:LISTED]) or self._say("nothing")
        return self._say("searched", text=text, items=f"\n{items}")

    def _scroll(self, scroll: Scroll) -> Doing[str]:
        yield from self.hands.see()
        moved = False
        for _ in range(min(scroll.times, 2 * SCROLLS)):
            if not (yield from self.hands.scroll(scroll.direction)):
                break
            moved = True
        return self._say("scrolled" if moved else "scrolled_not")

    def _wait(self, target: Target, gone: bool) -> Doing[str]:
        asked = {"text": target.text, "gone": gone, "timeout_s": WAIT_S}
        outcome = yield from self.hands.ask("de_wait_for", **asked)
        if outcome.status != "ok":
            raise PhoneFault(serial=self.hands.serial, detail=outcome.text)
        return self._say("gone" if gone else "there", name=target.text)

    def _replay(self, replay: Replay) -> Doing[str]:
        """Replay a saved action; a long one goes on in one call after the other.

        One that is perhaps out of date is run, since it was asked for by its name, and said to be.
        """
        given = {"inputs": dict(replay.inputs)} if replay.inputs else {}
        said = yield from self.hands.act("de_run_action", name=replay.name, **given)
        while said.startswith(GOES_ON):
            said = yield from self.hands.act("de_run_action", name=replay.name, **given)
        done, why = self._say("replayed", name=replay.name), stale.said(replay.stale, self.lang)
        return f"{done} {self._say('stale', why=why)}" if why else done

    def _must_find(self, target: Target, *kinds: tuple[str, ...]) -> Doing[Element]:
        """Find something on this page; kinds that come first are preferred."""
        for each in kinds:
            found = yield from self.finder.here(target, each)
            if found is not None:
                return found
        raise self.finder.gone(target, "offline.thing_wanted")

    def _list(self, now: Tree) -> str:
        names = _names(now)
        items = "\n".join(f"- {each}" for each in names[:LISTED]) or self._say("nothing")
        return self._say("read", app=now.package, items=f"\n{items}")

    def _say(self, key: str, **details: object) -> str:
        return phrase(f"offline.{key}", self.lang, **details)


def _names(now: Tree) -> list[str]:
    shown = (f"{e.label} ({e.flags[0]})" if e.on is not None else e.label for e in now.own)
    return list(dict.fromkeys(each for each in shown if each))


def _is_search(element: Element) -> bool:
    plain = labels.plain(f"{element.label} {element.short_id}")
    return any(labels.plain(word) in plain for word in labels.SEARCH)
