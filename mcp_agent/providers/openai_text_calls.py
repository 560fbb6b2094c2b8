"""Find tool calls that a model wrote as text, because its server did not read them.

Weak models and half-configured servers do that. A call counts only when it names a tool of the
request and is there whole, at the end of the answer; half a call, or one with an unknown name,
stays what it is: text.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_agent.model import ToolSpec

Call = tuple[str, dict[str, Any]]
#: Where such text begins; what comes after one of these is held back to the end.
MARKS = (
    "<tool_call>",
    "<function_calls>",
    "<function=",
    "<invoke name=",
    "<｜DSML｜",
    "<｜tool▁calls▁begin｜>",
    "<|tool_calls_section_begin|>",
    "[TOOL_CALLS]",
)
MARK = re.compile("|".join(map(re.escape, MARKS)))
#: An answer that is nothing but JSON, perhaps in a fence, may be a call as well.
BARE = re.compile(r"\s*(?:```(?:json)?\s*)?[\[{]")
BARE_BEGUN = re.compile(r"\s*(`{0,3}|```\w{0,4}\s*)")
FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.S)
ENVELOPE = {"name", "arguments", "parameters", "type", "id", "function"}


class TextDoor:
    """Lets an answer's text through as it comes, but for what may be a call.

    ``failed`` says that a call was begun and could not be read.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self.failed = False
        self._tools = {tool.name: tool for tool in tools}
        self._held = ""
        self._shown = False

    def add(self, text: str) -> str:
        """Take in a piece, and return what can be shown."""
        self._held += text
        at = self._safe() if self._tools else len(self._held)
        ready, self._held = self._held[:at], self._held[at:]
        self._shown = self._shown or bool(ready.strip())
        return ready

    def end(self) -> tuple[str, list[Call]]:
        """Return the text that is left, and the calls where it was no text."""
        held, self._held = self._held, ""
        if not held.strip() or not self._tools:
            return held, []
        calls = written_calls(held, self._tools)
        if calls:
            return "", calls
        self.failed = bool(MARK.match(held)) and held.rstrip()[-1] in ">]}"
        return held, []

    def _safe(self) -> int:
        """Return up to where the text is certainly no call."""
        if not self._shown and (BARE.match(self._held) or BARE_BEGUN.fullmatch(self._held)):
            return 0
        found = MARK.search(self._held)
        return found.start() if found else len(self._held) - _begun(self._held)


def written_calls(text: str, tools: dict[str, ToolSpec]) -> list[Call]:
    """Read calls out of a text that holds nothing else; none when any of it is not one."""
    for form in FORMS:
        found = form.read(text.strip())
        if found is None:
            continue
        calls = [_known(name, given, tools) for name, given in found]
        whole = [call for call in calls if call is not None]
        return whole if len(whole) == len(calls) else []
    return []


Given = dict[str, Any] | list[tuple[str, str]]


def _known(name: str, given: Given | None, tools: dict[str, ToolSpec]) -> Call | None:
    """Accept a call of a real tool; values that came as text get the type of the schema."""
    tool = tools.get(name.strip())
    if tool is None or given is None:
        return None
    if isinstance(given, dict):
        return tool.name, given
    properties = tool.schema.get("properties", {})
    try:
        typed = {key: _typed(properties.get(key, {}), value) for key, value in given}
    except ValueError:
        return None
    return tool.name, typed


def _typed(schema: dict[str, Any], text: str) -> Any:
    kinds = {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
    return text if kinds <= {"string", "null", None} else json.loads(text)


def _begun(text: str) -> int:
    """Return how many characters at the end may be the beginning of a mark."""
    longest = max(map(len, MARKS)) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(mark.startswith(text[-size:]) for mark in MARKS):
            return size
    return 0


@dataclass(frozen=True)
class _Form:
    """One way to write calls: what stands around them all, around each, and how it is read."""

    item: re.Pattern[str]
    parse: Callable[[str], Iterator[tuple[str, Given | None]]]
    around: re.Pattern[str] = re.compile(r"(.*)", re.S)

    def read(self, text: str) -> list[tuple[str, Given | None]] | None:
        """Return the calls; None when the text is of another form."""
        whole = self.around.fullmatch(text)
        if whole is None:
            return None
        inner = whole.group(1).strip()
        bodies = [found.group(1) for found in self.item.finditer(inner)]
        if not bodies or self.item.sub("", inner).strip():
            return None
        return [call for body in bodies for call in self.parse(body)]


def _envelopes(text: str) -> Iterator[tuple[str, Given | None]]:
    """Read ``{"name": …, "arguments": {…}}``, or a list of them."""
    try:
        parsed = json.loads(text)
    except ValueError:
        yield "", None
        return
    for each in parsed if isinstance(parsed, list) else [parsed]:
        yield _envelope(each)


def _envelope(parsed: Any) -> tuple[str, Given | None]:
    if not isinstance(parsed, dict) or set(parsed) - ENVELOPE:
        return "", None
    inner = parsed.get("function", parsed)
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return "", None
    given = inner.get("arguments", inner.get("parameters", {}))
    try:
        given = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return "", None
    return inner["name"], given if isinstance(given, dict) else None


def _token_call(text: str) -> Iterator[tuple[str, Given | None]]:
    """Read a name and JSON with a token between, as DeepSeek and Kimi write them."""
    name, _, given = text.removeprefix("function<｜tool▁sep｜>").partition(
        "<|tool_call_argument_begin|>" if "<|" in text else "<｜tool▁sep｜>"
    )
    if not given:  # an older form: the JSON follows in a fence
        name, _, given = name.partition("\n")
    name = name.strip().removeprefix("functions.").partition(":")[0]
    yield _envelope({"name": name, "arguments": FENCED.sub(r"\1", given.strip())})


def _tagged(head: str, pair: str) -> Callable[[str], Iterator[tuple[str, Given | None]]]:
    """Read a name and its parameters, each in a tag of its own."""
    begin, each = re.compile(head, re.S), re.compile(pair, re.S)

    def parse(text: str) -> Iterator[tuple[str, Given | None]]:
        named = begin.match(text)
        rest = text[named.end() :] if named else text
        if named is not None and rest.lstrip().startswith("{"):
            yield _envelope({"name": named.group(1), "arguments": rest})
            return
        if named is None or each.sub("", rest).strip():
            yield "", None
            return
        yield named.group(1), [(m.group(1), m.group(2)) for m in each.finditer(rest)]

    return parse


def _body(text: str) -> Iterator[tuple[str, Given | None]]:
    """Read what stands in ``<tool_call>``: JSON, or the tags of Qwen's coders or of GLM."""
    text = text.strip()
    if text.startswith("{"):
        return _envelopes(text)
    if text.startswith("<function="):
        return _qwen(text.removesuffix("</function>"))
    return _glm(text)


_qwen = _tagged(r"\s*<?(?:function=)?([\w.-]+)>\s*", r"<parameter=([^>]+)>\n?(.*?)\n?</parameter>")
_glm = _tagged(
    r"\s*([\w.-]+)\s*",
    r"<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>\n?(.*?)\n?</arg_value>",
)
_invoke = _tagged(r'"([^"]+)"\s*>', r'<parameter name="([^"]+)"[^>]*>(.*?)</parameter>')
_dsml = _tagged(
    r'"([^"]+)"\s*>', r'<｜DSML｜parameter name="([^"]+)"[^>]*>(.*?)</｜DSML｜parameter>'
)

FORMS = (
    _Form(re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?<=\})\Z)", re.S), _body),
    _Form(re.compile(r"<function=(.*?)</function>", re.S), _qwen),
    _Form(
        re.compile(r"<invoke name=(.*?)</invoke>", re.S),
        _invoke,
        re.compile(r"(?:<function_calls>)?(.*?)(?:</function_calls>)?", re.S),
    ),
    _Form(
        re.compile(r"<｜DSML｜invoke name=(.*?)</｜DSML｜invoke>", re.S),
        _dsml,
        re.compile(r"<｜DSML｜\w+>(.*?)</｜DSML｜\w+>", re.S),
    ),
    _Form(
        re.compile(r"<｜tool▁call▁begin｜>(.*?)<｜tool▁call▁end｜>", re.S),
        _token_call,
        re.compile(r"<｜tool▁calls▁begin｜>(.*?)<｜tool▁calls▁end｜>", re.S),
    ),
    _Form(
        re.compile(r"<\|tool_call_begin\|>(.*?)<\|tool_call_end\|>", re.S),
        _token_call,
        re.compile(r"<\|tool_calls_section_begin\|>(.*?)<\|tool_calls_section_end\|>", re.S),
    ),
    _Form(re.compile(r"\[TOOL_CALLS\]\s*(\[.*\])", re.S), _envelopes),
    _Form(re.compile(r"```(?:json)?\s*([\[{].*?)\s*```", re.S), _envelopes),
    _Form(re.compile(r"\A([\[{].*[\]}])\Z", re.S), _envelopes),
)
