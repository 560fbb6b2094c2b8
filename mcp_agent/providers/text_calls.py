"""Find tool calls that a model wrote into its text instead of calling.

Servers whose parser does not know a model's own markup pass it on as words. A call is taken only
when it names a tool that was offered and its arguments are whole JSON; everything else stays text.
What may be such a call is held back from the reader until it is known.
"""

import json
import re
from typing import Any

from core.ids import short_id
from mcp_agent.model import ToolCall

OPENINGS = ("<tool_call", "<function=", "<｜tool", "[TOOL_CALLS]", "<|tool_call", "<tools>")
LONGEST = max(map(len, OPENINGS))
FENCE = re.compile(r"^\s*```(?:json|tool_call)?\s*|\s*```\s*$")
NAMED = re.compile(r"<function=([\w.-]+)>\s*(\{.*?\})\s*(?:</function>|$)", re.S)
DEEPSEEK = re.compile(
    r"<｜tool▁sep｜>([\w.-]+)\s*(?:```json)?\s*(\{.*?\})\s*(?:```)?\s*<｜tool", re.S
)
MARKUP = re.compile(r"</?\|?(?:tool_calls?|tools|function)\|?[^>]*>|\[TOOL_CALLS\]|<｜[^｜]*｜>")


class TextCalls:
    """The text of one answer while it arrives."""

    def __init__(self, tools: frozenset[str]) -> None:
        self._tools = tools
        self._seen = ""
        self._held = ""

    def add(self, text: str) -> str:
        """Take in a piece; returns what can be shown of it now."""
        self._held += text
        if self._holds():
            return ""
        kept = self._may_open()
        shown = self._held[: len(self._held) - kept]
        self._held = self._held[len(shown) :]
        self._seen += shown
        return shown

    def end(self, called: bool) -> tuple[str, list[ToolCall]]:
        """Return the rest of the text and the calls in it; none if the model ``called`` really."""
        held, self._held = self._held, ""
        calls = [] if called else self._calls(held)
        return ("", calls) if calls else (held, [])

    def _holds(self) -> bool:
        if any(opening in self._held for opening in OPENINGS):
            return True
        begins = not self._seen.strip() and self._held.lstrip()
        return bool(begins) and self._held.lstrip().startswith(("{", "```", "[{"))

    def _may_open(self) -> int:
        """Count the last characters that could be the beginning of markup."""
        for length in range(min(LONGEST, len(self._held)), 0, -1):
            if any(opening.startswith(self._held[-length:]) for opening in OPENINGS):
                return length
        return 0

    def _calls(self, text: str) -> list[ToolCall]:
        pairs = [*NAMED.findall(text), *DEEPSEEK.findall(text)]
        found = [self._call(name, _object(given)) for name, given in pairs]
        if not found:
            found = [
                self._described(each) for each in _objects(MARKUP.sub(" ", FENCE.sub("", text)))
            ]
        return [call for call in found if call is not None] if all(found) else []

    def _described(self, thing: Any) -> ToolCall | None:
        if isinstance(thing, dict) and isinstance(thing.get("function"), dict):
            thing = thing["function"]
        if not isinstance(thing, dict):
            return None
        given = thing.get("arguments", thing.get("parameters", {}))
        return self._call(str(thing.get("name", "")), _object(given))

    def _call(self, name: str, arguments: Any) -> ToolCall | None:
        if name not in self._tools or not isinstance(arguments, dict):
            return None
        return ToolCall(f"call_{short_id()}", name, arguments)


def _object(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return None


def _objects(text: str) -> list[Any]:
    """Read the JSON values that make up a text; nothing when anything else stands between them."""
    decoder, found, at = json.JSONDecoder(), list[Any](), 0
    while text[at:].strip(" \n\t\r,;"):
        at += len(text[at:]) - len(text[at:].lstrip(" \n\t\r,;"))
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return []
        found.extend(value if isinstance(value, list) else [value])
    return found
