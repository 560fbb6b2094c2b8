"""Plain commands in English."""

import re
from collections.abc import Callable

from mcp_agent.offline import labels
from mcp_agent.offline.grammar import Builder, Built, Grammar, simply, when
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
    r"^(?:please|kindly|(?:can|could|would|will) you|i(?:'d like| want)(?: you)? to)\b[\s,]*"
    r"|^(?:help me(?: to)?|just|now|then|and|also|first|next|finally)\b[\s,]*"
    r"|^(?:after that|hey|ok(?=,)|okay)\b[\s,]*"
    r"|[\s,]*\b(?:please|thanks|thank you|for me|now)$|[\s.,;!?]+$",
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
    rf"(?:the |my |a )?notes?(?: called| named| titled)? (?P<name>{HOLE})"
    rf"|(?:the |my )?(?P<name2>{HOLE}) note",
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


def _switch(on: bool | None) -> Builder:
    def build(found: re.Match[str], quotes: Quotes) -> Built:
        groups = found.groupdict()
        name = groups.get("x") or groups["y"]
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


def _gone(found: re.Match[str], quotes: Quotes) -> Built:
    return [WaitFor(_target(found["x"], quotes), gone=True)]


def _button(found: re.Match[str], _quotes: Quotes) -> Built:
    return [Tap(Target(found["x"]))]


def _one(make: Callable[[Target], Intent]) -> Builder:
    return lambda found, quotes: [make(_target(found["x"], quotes))]


SCREEN = r"(?:the |my |this )?(?:current )?(?:screen|page|phone|display)"
WHAT = r"(?:what(?:'s| is)|what do you see|(?:tell me|show me|see) what(?:'s| is))"
OFTEN = r"(?: (?:by )?(?P<n>once|twice|\d+|one|two|three|four|five)(?: (?:time|page|screen)s?)?)?"
STATE = r"(?:turned |switched )?(?:on|off|enabled|disabled)(?: or (?:not|off|on))?"
SURE = r"make sure (?:that )?(?P<x>.+?) is (?:turned |switched )?"
TURN = r"(?:turn|switch|put)"

RULES = [
    *when(
        simply(Press("back")),
        r"(?:go |(?:press|tap|hit)(?: the)? |return )?back(?: button| key)?(?: once)?",
        r"(?:go )?back (?:one|a) (?:page|screen|step)",
        r"(?:go back|return) to the (?:previous|last) (?:page|screen)",
    ),
    *when(
        simply(Press("home")),
        r"(?:go |return |back |go back |press |tap )?(?:to )?(?:the )?home"
        r"(?: ?screen| page| button| key)?",
        r"go to the (?:desktop|launcher)",
    ),
    *when(
        simply(Press("recents")),
        r"(?:open|show|press) (?:the )?(?:recents|recent apps|overview)(?: button| key)?",
    ),
    *when(simply(Press("enter")), r"(?:press|hit) (?:the )?(?:enter|return)(?: key)?"),
    *when(
        simply(Read()),
        rf"{WHAT}(?: shown| there| visible)?(?: on {SCREEN})?(?: right now| now)?",
        rf"(?:read|list|describe|show|tell)(?: me| out| all)*(?: what(?:'s| is)| everything"
        rf"| the (?:text|elements|items|contents?)| all elements)?(?: shown| there)?"
        rf"(?: on| of)? {SCREEN}",
    ),
    *when(
        simply(Look()),
        r"(?:take|make) (?:a |me a )?(?:screenshot|picture)(?: of .+)?|screenshot",
    ),
    *when(
        _type,
        r"(?:type|enter|input|write|put)(?: in)?(?: the text)? (?P<t>.+) "
        r"(?:into|in to|in the|to the|in) (?P<f>.+)",
        r"fill (?:in |out )?(?P<f>.+?) with (?P<t>.+)",
        r"(?:type|input|enter)(?: in)?(?: the text)?:? (?P<t>.+)",
        rf"write:? (?P<t>{HOLE})",
    ),
    *when(
        _search,
        r"search (?P<where>notes|settings|my notes) for (?P<t>.+)",
        r"(?:search|look)(?: up| for)? (?P<t>.+?) in (?:the )?(?P<where>.+)",
        r"(?:search(?: for)?|look up|look for):? (?P<t>.+)",
    ),
    *when(
        simply(Scroll("down", 20)),
        r"(?:scroll|swipe|go) (?:all the way )?(?:down )?to (?:the )?(?:very )?"
        r"(?:bottom|end)(?: of .+)?",
    ),
    *when(
        simply(Scroll("up", 20)),
        r"(?:scroll|swipe|go) (?:all the way )?(?:up |back )?to (?:the )?(?:very )?"
        r"(?:top|beginning)(?: of .+)?",
    ),
    *when(
        _scroll,
        rf"(?P<verb>scroll|swipe)(?: the (?:page|screen|list))? (?P<d>up|down|left|right){OFTEN}"
        r"(?: a (?:bit|little|page))?",
    ),
    *when(
        _one(ScrollTo),
        r"scroll (?:up |down )?(?:to|(?:until|till)(?: you (?:see|find))?)(?: the)? (?P<x>.+?)"
        r"(?: appears| is (?:visible|there|shown))?",
        r"find (?P<x>.+)",
    ),
    *when(
        _gone,
        r"wait (?:for|until|till) (?P<x>.+?) to (?:disappear|go away|be gone|vanish)",
        r"wait (?:for|until|till) (?P<x>.+?) (?:is gone|disappears|goes away|vanishes)",
    ),
    *when(
        _one(WaitFor),
        r"wait (?:for|until|till)(?: you see)? (?P<x>.+?)(?: to (?:appear|show(?: up)?)"
        r"| (?:appears|shows(?: up)?|is (?:there|visible|shown)))?",
    ),
    *when(
        _one(Check),
        rf"(?:check|see|tell me)(?: whether| if) (?P<x>.+?) (?:is )?{STATE}",
        rf"(?:whether|if|is) (?P<x>.+?) (?:is )?{STATE}",
    ),
    *when(
        _switch(True),
        rf"{TURN} on (?P<x>.+)|(?:{TURN}|set) (?P<y>.+?) (?:to )?on",
        r"(?:enable|activate) (?P<x>.+)",
        rf"{SURE}(?:on|enabled)",
    ),
    *when(
        _switch(False),
        rf"{TURN} off (?P<x>.+)|(?:{TURN}|set) (?P<y>.+?) (?:to )?off",
        r"(?:disable|deactivate) (?P<x>.+)",
        rf"{SURE}(?:off|disabled)",
    ),
    *when(_switch(None), r"(?:toggle|flip) (?P<x>.+)"),
    *when(_within, rf"in (?:the )?(?P<x>.+?),? (?P<rest>{VERB}.+)"),
    *when(
        _open,
        r"in (?P<x>.+)",
        r"(?:open(?: up)?|launch|start|go (?:in)?to|navigate to|enter) (?P<x>.+)",
    ),
    *when(_one(Tap), r"(?:tap|click|press|touch|select|choose|hit)(?: on)? (?P<x>.+)"),
    *when(
        _button,
        rf"(?P<x>{BUTTONS})(?: it| the note| this)?",
        r"(?:create |make )?(?:a )?(?P<x>new) .+",
    ),
    *when(_one(Tap), rf"(?P<x>{HOLE})"),
]

GRAMMAR = Grammar(
    breaks=BREAKS,
    begins=re.compile(rf"{VERB}|{HOLE}$", re.IGNORECASE),
    weak=re.compile(r"\s+and\s+|\s*&\s*|", re.IGNORECASE),
    free=re.compile(r"(?:type|enter|input|write|fill|put|search|look)\b", re.IGNORECASE),
    filler=FILLER,
    rules=RULES,
)
