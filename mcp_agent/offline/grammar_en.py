"""Plain commands in English."""

import re
from collections.abc import Callable

from mcp_agent.offline import labels
from mcp_agent.offline.grammar import Built, Grammar
from mcp_agent.offline.intents import (
    Check,
    Direction,
    Intent,
    Look,
    Open,
    Press,
    Read,
    Scroll,
    ScrollTo,
    Search,
    Switch,
    Tap,
    Target,
    Type,
    WaitFor,
)
from mcp_agent.offline.quotes import HOLE, Quotes

VERB = (
    r"(?:open|launch|start|go|navigate|turn|switch|enable|disable|activate|deactivate|toggle|flip|"
    r"tap|click|press|touch|select|choose|hit|type|enter|input|write|fill|search|look|find|scroll|"
    r"swipe|read|list|show|tell|describe|what|what's|wait|return|back|home|save|create|new|delete|"
    r"cancel|ok|done|send|make|check|see|is|are|take|put|set|in)\b"
)
BREAKS = re.compile(
    r"[,;]\s*(?:and\s+)?(?:then\s+)?|\.\s+|\.$|\n+|\s+and\s+then\s+|\s+then\s+|\s+and\s+|\s*&\s*",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"^(?:please|kindly|can you|could you|would you|will you|i want (?:you )?to|i'd like (?:you )?to|"
    r"help me(?: to)?|just|now|then|and|also|first|next|finally|after that|hey|ok(?=,)|okay)\b[\s,]*|"
    r"[\s,]*\b(?:please|thanks|thank you|for me|now)$|[\s.,;!?]+$",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"^(?:the|a|an|my|on|into|to|app|note|item|called|named|titled)\s+", re.IGNORECASE
)
TAIL = re.compile(
    r"\s+(?:button|icon|row|item|switch|toggle|option|tab|app|application|page|screen|entry|link|"
    r"menu|key|field|box|input|setting)$",
    re.IGNORECASE,
)
BUTTONS = "save|delete|cancel|ok|done|send|submit|next|allow|deny|new|create"
ITEM = re.compile(
    rf"(?:the |my |a )?notes?(?: called| named| titled)? (?P<name>{HOLE})|(?:the |my )?(?P<name2>{HOLE}) note",
    re.IGNORECASE,
)
#: Directions of reading; a swipe is the finger's and goes the other way.
OPPOSITE: dict[str, Direction] = {"up": "down", "down": "up", "left": "right", "right": "left"}
READING: dict[str, Direction] = {"up": "up", "down": "down", "left": "left", "right": "right"}
NUMBERS = {"once": 1, "twice": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def _target(text: str, quotes: Quotes) -> Target:
    piece = text.strip()
    before = None
    while before != piece:
        before = piece
        piece = TAIL.sub("", HEAD.sub("", piece)).strip() or before
    return quotes.target(piece)


def _open(found: re.Match[str], quotes: Quotes) -> Built:
    name = found["x"].strip()
    item = ITEM.fullmatch(name)
    if item:
        return [Open(Target("Notes")), Open(quotes.target(item["name"] or item["name2"]))]
    inside = re.fullmatch(r"(?P<a>.+?)\s+(?:in|inside|within)\s+(?:the\s+)?(?P<b>.+)", name, re.I)
    if inside:
        return [Open(_target(inside["b"], quotes)), Open(_target(inside["a"], quotes))]
    return [Open(_target(name, quotes))]


def _switch(on: bool | None) -> Callable[[re.Match[str], Quotes], Built]:
    def build(found: re.Match[str], quotes: Quotes) -> Built:
        name = found["x"]
        inside = re.fullmatch(r"(?P<a>.+?)\s+(?:in|under)\s+(?:the\s+)?(?P<b>.+)", name, re.I)
        first: list[Intent] = []
        if inside and not _target(name, quotes).exact:
            first, name = [Open(_target(inside["b"], quotes))], inside["a"]
        return [*first, *_several(name, quotes, on)]

    return build


def _several(text: str, quotes: Quotes, on: bool | None) -> list[Intent]:
    """Make one intent a name, but only of names that everybody knows for switches."""
    parts = [_target(part, quotes) for part in re.split(r",|\band\b|&", text) if part.strip()]
    if len(parts) > 1 and all(p.exact or labels.names_switch(p.text) for p in parts):
        return [Switch(part, on) for part in parts]
    return [Switch(_target(text, quotes), on)]


def _type(found: re.Match[str], quotes: Quotes) -> Built:
    into = found.groupdict().get("f")
    return [Type(quotes.restore(found["t"]), _target(into, quotes) if into else None)]


def _search(found: re.Match[str], quotes: Quotes) -> Built:
    where = found.groupdict().get("where")
    first: list[Intent] = [Open(_target(where, quotes))] if where else []
    return [*first, Search(quotes.restore(found["t"]))]


def _within(found: re.Match[str], quotes: Quotes) -> Built:
    return [Open(_target(found["x"], quotes)), *GRAMMAR.clause(found["rest"], quotes)]


def _scroll(found: re.Match[str], _quotes: Quotes) -> Built:
    words = OPPOSITE if found["verb"].lower() == "swipe" else READING
    count = (found["n"] or "1").lower()
    times = int(count) if count.isdecimal() else NUMBERS.get(count, 1)
    return [Scroll(words[found["d"].lower()], min(times, 20))]


def _simple(*intents: Intent) -> Callable[[re.Match[str], Quotes], Built]:
    return lambda _found, _quotes: list(intents)


def _one(make: Callable[[Target], Intent]) -> Callable[[re.Match[str], Quotes], Built]:
    return lambda found, quotes: [make(_target(found["x"], quotes))]


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


SCREEN = r"(?:the |my |this )?(?:current )?(?:screen|page|phone|display)"

RULES = [
    (_rule(r"(?:go |(?:press|tap|hit)(?: the)? |return )?back(?: button| key)?(?: once)?|(?:go )?back (?:one|a) (?:page|screen|step)|go back to the (?:previous|last) (?:page|screen)|return to the previous (?:page|screen)"), _simple(Press("back"))),
    (_rule(r"(?:go |return |back |go back |press |tap )?(?:to )?(?:the )?home(?: ?screen| page| button| key)?|(?:go )?back (?:to )?(?:the )?home(?: screen)?|go to the (?:desktop|launcher)"), _simple(Press("home"))),
    (_rule(r"(?:open|show|press) (?:the )?(?:recents|recent apps|overview)(?: button| key)?"), _simple(Press("recents"))),
    (_rule(r"(?:press|hit) (?:the )?(?:enter|return)(?: key)?"), _simple(Press("enter"))),
    (_rule(rf"(?:what(?:'s| is)|what do you see|tell me what(?:'s| is)|show me what(?:'s| is)|see what(?:'s| is))(?: shown| there| visible)?(?: on {SCREEN})?(?: right now| now)?|read {SCREEN}"), _simple(Read())),
    (_rule(rf"(?:read|list|describe|show|tell)(?: me| out| all)*(?: what(?:'s| is)| everything| the (?:text|elements|items|contents?)| all elements)?(?: shown| there)?(?: (?:on|of) )?(?:{SCREEN})"), _simple(Read())),
    (_rule(r"(?:take|make) (?:a |me a )?(?:screenshot|picture)(?: of .+)?|screenshot"), _simple(Look())),
    (_rule(r"(?:type|enter|input|write|put)(?: in)?(?: the text)? (?P<t>.+) (?:into|in to|in the|to the|in) (?P<f>.+)"), _type),
    (_rule(r"fill (?:in |out )?(?P<f>.+?) with (?P<t>.+)"), _type),
    (_rule(r"(?:type|input|enter)(?: in)?(?: the text)?:? (?P<t>.+)"), _type),
    (_rule(rf"write:? (?P<t>{HOLE})"), _type),
    (_rule(r"search (?P<where>notes|settings|my notes) for (?P<t>.+)"), _search),
    (_rule(r"(?:search|look)(?: up| for)? (?P<t>.+?) in (?:the )?(?P<where>.+)"), _search),
    (_rule(r"(?:search(?: for)?|look up|look for):? (?P<t>.+)"), _search),
    (_rule(r"(?:scroll|swipe|go) (?:all the way )?(?:down )?to (?:the )?(?:very )?(?:bottom|end)(?: of .+)?"), _simple(Scroll("down", 20))),
    (_rule(r"(?:scroll|swipe|go) (?:all the way )?(?:up |back )?to (?:the )?(?:very )?(?:top|beginning)(?: of .+)?"), _simple(Scroll("up", 20))),
    (_rule(r"(?P<verb>scroll|swipe)(?: the (?:page|screen|list))? (?P<d>up|down|left|right)(?: (?:by )?(?P<n>once|twice|\d+|one|two|three|four|five)(?: times?| pages?| screens?)?)?(?: a (?:bit|little|page))?"), _scroll),
    (_rule(r"scroll (?:up |down )?(?:to|until(?: you (?:see|find))?|till(?: you (?:see|find))?)(?: the)? (?P<x>.+?)(?: appears| is (?:visible|there|shown))?|find (?P<y>.+)"), lambda f, q: [ScrollTo(_target(f["x"] or f["y"], q))]),
    (_rule(r"wait (?:for|until|till) (?P<x>.+?) (?:to (?:disappear|go away|be gone|vanish)|(?:is gone|disappears|goes away|vanishes))"), lambda f, q: [WaitFor(_target(f["x"], q), gone=True)]),
    (_rule(r"wait (?:for|until|till)(?: you see)? (?P<x>.+?)(?: to (?:appear|show(?: up)?)| (?:appears|shows(?: up)?|is (?:there|visible|shown)))?"), _one(WaitFor)),
    (_rule(r"(?:check |see |tell me )?(?:whether |if )?(?:is )?(?P<x>.+?) (?:is )?(?:turned |switched )?(?:on|off|enabled|disabled)(?: or (?:not|off|on))?"), lambda f, q: [Check(_target(f["x"], q))] if re.match(r"(?:check|see|tell|is|whether|if)\b", f[0], re.I) else None),
    (_rule(r"(?:turn|switch|put) on (?P<x>.+)|(?:turn|switch|put|set) (?P<y>.+?) (?:to )?on"), lambda f, q: _switch_any(f, q, True)),
    (_rule(r"(?:turn|switch|put) off (?P<x>.+)|(?:turn|switch|put|set) (?P<y>.+?) (?:to )?off"), lambda f, q: _switch_any(f, q, False)),
    (_rule(r"(?:enable|activate) (?P<x>.+)|make sure (?:that )?(?P<y>.+?) is (?:turned |switched )?(?:on|enabled)"), lambda f, q: _switch_any(f, q, True)),
    (_rule(r"(?:disable|deactivate) (?P<x>.+)|make sure (?:that )?(?P<y>.+?) is (?:turned |switched )?(?:off|disabled)"), lambda f, q: _switch_any(f, q, False)),
    (_rule(r"(?:toggle|flip) (?P<x>.+)"), _switch(None)),
    (_rule(rf"in (?:the )?(?P<x>.+?),? (?P<rest>{VERB}.+)"), _within),
    (_rule(r"in (?P<x>.+)"), _open),
    (_rule(r"(?:open(?: up)?|launch|start|go (?:in)?to|navigate to|enter) (?P<x>.+)"), _open),
    (_rule(r"(?:tap|click|press|touch|select|choose|hit)(?: on)? (?P<x>.+)"), _one(Tap)),
    (_rule(rf"(?P<x>{BUTTONS})(?: it| the note| this)?|create a (?P<y>new) .+|(?P<z>new) .+"), lambda f, q: [Tap(Target(f["x"] or f["y"] or f["z"]))]),
    (_rule(rf"(?P<x>{HOLE})"), _one(Tap)),
]  # fmt: skip


def _switch_any(found: re.Match[str], quotes: Quotes, on: bool) -> Built:
    name = found["x"] or found["y"]
    match = re.fullmatch(r"(?P<x>.+)", name, re.DOTALL)
    return _switch(on)(match, quotes) if match else None


GRAMMAR = Grammar(
    breaks=BREAKS,
    begins=re.compile(rf"{VERB}|{HOLE}$", re.IGNORECASE),
    filler=FILLER,
    rules=RULES,
)
