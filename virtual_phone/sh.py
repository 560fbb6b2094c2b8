"""A small POSIX shell: what adb clients send is a command line, not an argument list.

It knows ``;`` ``&&`` ``||`` ``|`` ``&`` ``$?`` ``$VAR``, quotes, redirections, ``VAR=x command``;
subshells, loops and globs are refused with a syntax error instead of being half understood.
"""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from virtual_phone.android import Phone

Sink = Callable[[bytes], Awaitable[None]]
Source = Callable[[], Awaitable[bytes]]

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
    |(?P<op>&&|\|\||&>>?|\d?>&\d|\d?>>|\d?>(?!&)|<|[;|&\n()])
    |(?P<single>'[^']*')
    |(?P<double>"(?:\\.|[^"\\])*")
    |(?P<escape>\\.)
    |(?P<plain>\d(?=[<>])|(?:[^\s'"\\;&|<>()\d]|\d(?![<>]))+)""",
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = re.compile(r"\$(\?|\{\w+\}|[A-Za-z_]\w*)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DOUBLE_ESCAPE = re.compile(r'\\(["\\$`\n])')
_ENDS = (";", "\n", "&")

SYNTAX_ERROR = 2
NOT_FOUND = 127


class ShellSyntaxError(ValueError):
    """The line uses something that this shell does not speak."""


async def nothing() -> bytes:
    """Stand in for an empty standard input."""
    return b""


@dataclass(slots=True)
class Call:
    """One command about to run: its words and where it reads and writes."""

    phone: Phone
    argv: list[str]
    out: Sink
    err: Sink
    source: Source = nothing
    env: dict[str, str] = field(default_factory=dict)

    async def say(self, text: str) -> None:
        """Write a line to standard output."""
        await self.out((text + "\n").encode())

    async def complain(self, text: str, code: int = 1) -> int:
        """Write a line to standard error and return ``code``."""
        await self.err((text + "\n").encode())
        return code

    async def read_all(self) -> bytes:
        """Read standard input to its end."""
        parts = []
        while data := await self.source():
            parts.append(data)
        return b"".join(parts)


Command = Callable[[Call], Awaitable[int]]


@dataclass(slots=True)
class Word:
    """Pieces of one word; a piece is expanded unless it was in single quotes or escaped."""

    pieces: list[tuple[str, bool]] = field(default_factory=list)

    def expand(self, variables: dict[str, str]) -> str:
        """Join the pieces, variables replaced by their values."""
        return "".join(
            _VARIABLE.sub(lambda m: variables.get(m[1].strip("{}"), ""), text) if live else text
            for text, live in self.pieces
        )


@dataclass(slots=True)
class Stage:
    """One command of a pipeline with its redirections, as (operator, target)."""

    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word | None]] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline:
    """Stages joined by ``|`` and the operator that stood before them."""

    joint: str
    background: bool = False
    stages: list[Stage] = field(default_factory=lambda: [Stage()])


def tokenize(line: str) -> list[Word | str]:
    """Split a line into words and operators (as plain strings).

    Raises:
        ShellSyntaxError: a quote is not closed, or a parenthesis is used.
    """
    tokens: list[Word | str] = []
    word: Word | None = None
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            raise ShellSyntaxError("no closing quote")
        position, kind, text = match.end(), match.lastgroup, match[0]
        if kind in ("space", "op"):
            word = None
            if kind == "op":
                tokens.append(text)
            continue
        if word is None:
            word = Word()
            tokens.append(word)
        word.pieces.append(_piece(kind or "", text))
    return tokens


def _piece(kind: str, text: str) -> tuple[str, bool]:
    match kind:
        case "single":
            return text[1:-1], False
        case "double":
            return _DOUBLE_ESCAPE.sub(r"\1", text[1:-1]), True
        case "escape":
            return text[1:], False
        case _:
            return text, True


def parse(line: str) -> list[Pipeline]:
    """Turn a line into pipelines in order."""
    pipelines = [Pipeline(";")]
    tokens = iter(tokenize(line))
    for token in tokens:
        stage = pipelines[-1].stages[-1]
        if isinstance(token, Word):
            stage.words.append(token)
        elif token == "|":
            pipelines[-1].stages.append(Stage())
        elif token in ("&&", "||", *_ENDS):
            pipelines[-1].background = token == "&"
            pipelines.append(Pipeline(token))
        elif token in ("(", ")"):
            raise ShellSyntaxError(f"unexpected '{token}'")
        elif ">&" in token:
            stage.redirects.append((token, None))
        else:
            target = next(tokens, None)
            if not isinstance(target, Word):
                raise ShellSyntaxError("redirection without a file")
            stage.redirects.append((token, target))
    return [p for p in pipelines if p.stages[0].words or p.stages[0].redirects]


class Shell:
    """Runs lines against a table of commands and one phone."""

    def __init__(self, phone: Phone, commands: dict[str, Command]) -> None:
        self.phone = phone
        self.commands = commands
        self.variables = {"?": "0", "PWD": "/", "PATH": "/system/bin", "HOME": "/"}

    async def run(self, line: str, out: Sink, err: Sink, source: Source = nothing) -> int:
        """Run a line; returns the last exit code."""
        try:
            pipelines = parse(line)
        except ShellSyntaxError as error:
            await err(f"/system/bin/sh: syntax error: {error}\n".encode())
            return SYNTAX_ERROR
        code = 0
        for pipeline in pipelines:
            if (pipeline.joint == "&&" and code) or (pipeline.joint == "||" and not code):
                continue
            call = Call(self.phone, [], out, err, source)
            if pipeline.background:
                quiet = replace(call, out=_while_open(out), err=_while_open(err))
                self.phone.background.start(self._run_pipeline(pipeline, quiet))
                continue
            code = await self._run_pipeline(pipeline, call)
            self.variables["?"] = str(code)
        return code

    async def _run_pipeline(self, pipeline: Pipeline, call: Call) -> int:
        code = 0
        for number, stage in enumerate(pipeline.stages):
            if number == len(pipeline.stages) - 1:
                return await self._run_stage(stage, call)
            caught = bytearray()
            code = await self._run_stage(stage, replace(call, out=_into(caught)))
            call = replace(call, source=_once(bytes(caught)))
        return code

    async def _run_stage(self, stage: Stage, call: Call) -> int:
        words = [word.expand(self.variables) for word in stage.words]
        env = {}
        while words and _ASSIGNMENT.match(words[0]):
            name, _, env[name] = words.pop(0).partition("=")
        files: dict[str, bytearray] = {}
        call = replace(call, argv=words, env=env)
        try:
            for operator, target in stage.redirects:
                path = target.expand(self.variables) if target else ""
                call = self._redirect(call, operator, path, files)
            code = await self._dispatch(call)
            for path, data in files.items():
                self.phone.files.write(path, bytes(data))
        except OSError as error:
            return await call.complain(f"/system/bin/sh: can't create {error}: {_reason(error)}")
        return code

    def _redirect(self, call: Call, operator: str, path: str, files: dict[str, bytearray]) -> Call:
        if ">&" in operator:
            if operator.startswith("2"):
                return replace(call, err=call.out)
            return replace(call, out=call.err)
        if operator == "<":
            return replace(call, source=_once(self.phone.files.read(path)))
        sink: Sink = discard
        if path != "/dev/null":
            entry = self.phone.files.get(path)
            old = entry.data if entry and entry.data and operator.endswith(">>") else b""
            sink = _into(files.setdefault(path, bytearray(old)))
        if operator.startswith("&"):
            return replace(call, out=sink, err=sink)
        return replace(call, err=sink) if operator.startswith("2") else replace(call, out=sink)

    async def _dispatch(self, call: Call) -> int:
        if not call.argv:
            self.variables.update(call.env)
            return 0
        name = call.argv[0].removeprefix("/system/bin/")
        match name:
            case "exec" | "command" | "nohup" if len(call.argv) > 1 and call.argv[1] != "-v":
                return await self._dispatch(replace(call, argv=call.argv[1:]))
            case "export":
                for name, _, value in (word.partition("=") for word in call.argv[1:]):
                    self.variables[name] = value
                return 0
            case "sh" if len(call.argv) > 1:
                return await self._script(call)
        command = self.commands.get(name)
        if command is None:
            self.phone.unknown.append(" ".join(call.argv))
            return await call.complain(
                f"/system/bin/sh: {call.argv[0]}: inaccessible or not found", NOT_FOUND
            )
        return await command(call)

    async def _script(self, call: Call) -> int:
        if call.argv[1] == "-c":
            line = " ".join(call.argv[2:3])
        else:
            line = self.phone.files.read(call.argv[1]).decode()
        return await self.run(line, call.out, call.err, call.source)


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "No space left on device"
    return "Is a directory" if isinstance(error, IsADirectoryError) else "No such file or directory"


def _into(target: bytearray) -> Sink:
    async def write(data: bytes) -> None:
        target.extend(data)

    return write


def _while_open(sink: Sink) -> Sink:
    async def write(data: bytes) -> None:
        # a background command goes on after the shell that would show its output has ended
        with contextlib.suppress(ConnectionError):
            await sink(data)

    return write


async def discard(data: bytes) -> None:
    """Write nowhere, as into /dev/null."""
    del data


def _once(data: bytes) -> Source:
    left = [data] if data else []

    async def read() -> bytes:
        return left.pop() if left else b""

    return read
