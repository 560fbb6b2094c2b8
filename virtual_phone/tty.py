"""The line discipline of an interactive shell: keys come one by one, lines go out.

It knows what mksh's emacs mode and a terminal send for editing: arrows, home and end, erasing by
character, word and line, interrupt, end of file, and the lines typed before.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

PROMPT = "vphone:/ $ "
INTERRUPT, END = "\x03", "\x04"
_ESCAPE, _CLEAR_REST = "\x1b", "\x1b[K"
_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "[1~": "home",
    "[4~": "end",
    "[3~": "delete",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "OH": "home",
    "OF": "end",
}
_CONTROLS = {
    "\x01": "home",
    "\x02": "left",
    "\x05": "end",
    "\x06": "right",
    "\x08": "erase",
    "\x7f": "erase",
    "\x0b": "kill",
    "\x0e": "down",
    "\x10": "up",
    "\x15": "kill_line",
    "\x17": "erase_word",
}


@dataclass(frozen=True, slots=True)
class Echo:
    """What the terminal must show."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line was finished."""

    text: str


@dataclass(frozen=True, slots=True)
class End:
    """The person left."""


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class LineEditor:
    """Edits one line after the other."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._escape: str | None = None
        self._text = ""
        self._at = 0
        self._past: list[str] = []
        self._looking = 0

    def feed(self, data: bytes) -> Iterator[Echo | Line | End]:
        """Take keys and yield what comes of them."""
        for char in self._decoder.decode(data):
            if self._escape is not None or char == _ESCAPE:
                yield from self._sequence(char)
            elif char in "\r\n":
                yield from self._finish()
            elif char == INTERRUPT:
                self._start_over()
                yield Echo("^C\n" + PROMPT)
            elif char == END and not self._text:
                yield End()
            elif char in _CONTROLS:
                yield from self._edit(_CONTROLS[char])
            elif char == END:
                yield from self._edit("delete")
            elif char.isprintable():
                yield from self._insert(char)

    def _sequence(self, char: str) -> Iterator[Echo]:
        if char == _ESCAPE:
            self._escape = ""
            return
        self._escape = (self._escape or "") + char
        if self._escape in ("[", "O") or char.isdecimal() or char == ";":
            return
        name, self._escape = _SEQUENCES.get(self._escape), None
        if name:
            yield from self._edit(name)

    def _insert(self, char: str) -> Iterator[Echo]:
        at_end = self._at == len(self._text)
        self._text = self._text[: self._at] + char + self._text[self._at :]
        self._at += 1
        yield Echo(char) if at_end else self._drawn()

    def _finish(self) -> Iterator[Echo | Line]:
        line = self._text
        if line.strip() and self._past[-1:] != [line]:
            self._past.append(line)
        self._start_over()
        yield Echo("\n")
        yield Line(line)

    def _start_over(self) -> None:
        self._text, self._at, self._looking = "", 0, len(self._past)

    def _edit(self, what: str) -> Iterator[Echo]:
        text, at = self._text, self._at
        match what:
            case "up" | "down":
                self._recall(-1 if what == "up" else 1)
            case "left" | "right":
                self._at = min(len(text), max(0, at + (1 if what == "right" else -1)))
            case "home" | "end":
                self._at = 0 if what == "home" else len(text)
            case "erase" if at:
                self._text, self._at = text[: at - 1] + text[at:], at - 1
            case "delete":
                self._text = text[:at] + text[at + 1 :]
            case _:
                self._cut(what)
        if (text, at) != (self._text, self._at):
            yield self._drawn()

    def _cut(self, what: str) -> None:
        text, at = self._text, self._at
        if what == "kill":
            self._text = text[:at]
        elif what == "kill_line":
            self._text, self._at = text[at:], 0
        elif what == "erase_word":
            start = text[:at].rstrip().rfind(" ") + 1
            self._text, self._at = text[:start] + text[at:], start

    def _recall(self, way: int) -> None:
        self._looking = min(len(self._past), max(0, self._looking + way))
        known = self._looking < len(self._past)
        self._text = self._past[self._looking] if known else ""
        self._at = len(self._text)

    def _drawn(self) -> Echo:
        after = _columns(self._text[self._at :])
        back = f"\x1b[{after}D" if after else ""
        return Echo(f"\r{PROMPT}{self._text}{_CLEAR_REST}{back}")
