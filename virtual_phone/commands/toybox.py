"""The small Unix commands, in toybox's words, over the phone's own file system."""

from __future__ import annotations

import asyncio
import hashlib
import re
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from virtual_phone.commands.table import COMMANDS, command
from virtual_phone.files import Entry
from virtual_phone.sh import NOT_FOUND, Call

# in a basic expression \( \) \{ \} \| \+ \? are special and the bare characters are not
_BASIC = re.compile(r"\\([(){}|+?])|[(){}|+?]")
_CLASSES = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s"}
_MISSING = "No such file or directory"


def split_options(words: list[str]) -> tuple[str, list[str]]:
    """Part one-letter options (joined) from operands."""
    options = "".join(w[1:] for w in words if w.startswith("-") and len(w) > 1)
    return options, [w for w in words if not w.startswith("-") or w == "-"]


async def _inputs(call: Call, paths: list[str]) -> tuple[list[tuple[str, bytes]], int]:
    if not paths:
        return [("-", await call.read_all())], 0
    found, code = [], 0
    for path in paths:
        try:
            found.append((path, call.phone.files.read(path)))
        except OSError as error:
            why = "Is a directory" if isinstance(error, IsADirectoryError) else _MISSING
            code = await call.complain(f"{call.argv[0]}: {path}: {why}")
    return found, code


@command("echo")
async def echo(call: Call) -> int:
    """Print the arguments."""
    words = call.argv[1:]
    end = "\n"
    if words and words[0] == "-n":
        words, end = words[1:], ""
    await call.out((" ".join(words) + end).encode())
    return 0


@command("true", ":", "sync", "set", "umask")
async def true(call: Call) -> int:
    """Succeed."""
    del call
    return 0


@command("false")
async def false(call: Call) -> int:
    """Fail."""
    del call
    return 1


@command("exit")
async def leave(call: Call) -> int:
    """Set the exit code; what follows on the line still runs, as one line is all we get."""
    return int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdecimal() else 0


@command("cd")
async def change_directory(call: Call) -> int:
    """Check that the directory exists; paths are absolute on this phone."""
    path = call.argv[1] if len(call.argv) > 1 else "/"
    entry = call.phone.files.get(path)
    if entry is None or not entry.is_directory:
        return await call.complain(f"/system/bin/sh: cd: {path}: {_MISSING}", 2)
    return 0


@command("sleep")
async def sleep(call: Call) -> int:
    """Wait."""
    await asyncio.sleep(float(call.argv[1]))
    return 0


@command("cat")
async def cat(call: Call) -> int:
    """Print files or standard input."""
    found, code = await _inputs(call, split_options(call.argv[1:])[1])
    for _, data in found:
        await call.out(data)
    return code


@command("md5sum", "md5", "sha1sum", "sha256sum")
async def checksum(call: Call) -> int:
    """Print digests of files."""
    name = call.argv[0].removesuffix("sum")
    found, code = await _inputs(call, split_options(call.argv[1:])[1])
    for path, data in found:
        await call.say(f"{hashlib.new(name, data, usedforsecurity=False).hexdigest()}  {path}")
    return code


@command("wc")
async def count(call: Call) -> int:
    """Count lines, words or bytes."""
    options, paths = split_options(call.argv[1:])
    found, code = await _inputs(call, paths)
    for path, data in found:
        numbers = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data)}
        chosen = [str(n) for key, n in numbers.items() if not options or key in options]
        await call.say(" ".join([*chosen, path]).removesuffix(" -"))
    return code


@command("grep", "egrep")
async def grep(call: Call) -> int:
    """Print the lines that match; -i -v -c -q -o are known, -E, -F and plain patterns."""
    options, operands = split_options(call.argv[1:])
    options += "E" if call.argv[0] == "egrep" else ""
    if not operands:
        return await call.complain("grep: no pattern", 2)
    try:
        pattern = _pattern(operands[0], options)
    except re.error as error:
        return await call.complain(f"grep: bad regex '{operands[0]}': {error}", 2)
    found, _ = await _inputs(call, operands[1:])
    lines = [line for _, data in found for line in data.decode("utf-8", "replace").splitlines()]
    kept = [x for x in lines if bool(pattern.search(x)) != ("v" in options)]
    if "o" in options:
        lines = [match[0] for line in kept for match in pattern.finditer(line) if match[0]]
    else:
        lines = kept
    text = str(len(kept)) if "c" in options else "\n".join(lines)
    if text and "q" not in options:
        await call.say(text)
    return 0 if kept else 1


def _pattern(text: str, options: str) -> re.Pattern[str]:
    """Read a pattern: extended as it is, basic with its special characters the other way round."""
    if "F" in options:
        text = re.escape(text)
    elif "E" not in options:
        text = _BASIC.sub(lambda m: m[1] or "\\" + m[0], text)
    for name, members in _CLASSES.items():
        text = text.replace(f"[:{name}:]", members)
    return re.compile(text, re.IGNORECASE if "i" in options else 0)


@command("head", "tail")
async def ends(call: Call) -> int:
    """Print the first or last ten lines, or -n as many."""
    words, wanted = call.argv[1:], 10
    if "-n" in words:
        at = words.index("-n")
        wanted = int(words[at + 1])
        words = words[:at] + words[at + 2 :]
    found, code = await _inputs(call, split_options(words)[1])
    for _, data in found:
        lines = data.splitlines(keepends=True)
        kept = lines[:wanted] if call.argv[0] == "head" else lines[-wanted:]
        await call.out(b"".join(kept))
    return code


def _line(name: str, entry: Entry) -> str:
    when = datetime.fromtimestamp(entry.mtime).strftime("%Y-%m-%d %H:%M")
    return f"{stat.filemode(entry.mode)} 1 shell shell {entry.size:8} {when} {name}"


@command("ls")
async def list_files(call: Call) -> int:
    """List a directory or name a file."""
    options, paths = split_options(call.argv[1:])
    code = 0
    for path in paths or ["/"]:
        entry = call.phone.files.get(path)
        if entry is None:
            code = await call.complain(f"ls: {path}: {_MISSING}")
            continue
        whole = entry.is_directory and "d" not in options
        rows = call.phone.files.children(path) if whole else [(path, entry)]
        lines = [_line(n, e) if "l" in options else n for n, e in rows]
        if lines:
            await call.say("\n".join(lines))
    return code


@command("stat")
async def status(call: Call) -> int:
    """Describe files; ``-c`` knows %s (size), %n (name), %Y (time) and %a (mode)."""
    words, shape = call.argv[1:], "  File: %n\n  Size: %s\nModify: %Y"
    if "-c" in words:
        at = words.index("-c")
        shape = words[at + 1]
        words = words[:at] + words[at + 2 :]
    code = 0
    for path in words:
        entry = call.phone.files.get(path)
        if entry is None:
            code = await call.complain(f"stat: '{path}': {_MISSING}")
            continue
        values = {"%s": entry.size, "%n": path, "%Y": entry.mtime, "%a": f"{entry.mode & 0o7777:o}"}
        text = shape
        for mark, value in values.items():
            text = text.replace(mark, str(value))
        await call.say(text)
    return code


async def _each(call: Call, act: Callable[[str], None], paths: list[str]) -> int:
    code = 0
    for path in paths:
        try:
            act(path)
        except OSError as error:
            words = {
                FileExistsError: "File exists",
                IsADirectoryError: "Is a directory",
            }.get(type(error), _MISSING)
            code = await call.complain(f"{call.argv[0]}: {path}: {words}")
    return code


@command("mkdir")
async def make_directory(call: Call) -> int:
    """Create directories."""
    options, paths = split_options(call.argv[1:])
    files = call.phone.files
    return await _each(call, lambda p: files.make_directory(p, parents="p" in options), paths)


@command("rm", "rmdir")
async def remove(call: Call) -> int:
    """Delete files, with -r directories; -f is silent about what is not there."""
    options, paths = split_options(call.argv[1:])
    files = call.phone.files
    if "f" in options:
        paths = [p for p in paths if files.get(p)]
    recursive = "r" in options or call.argv[0] == "rmdir"
    return await _each(call, lambda p: files.remove(p, recursive=recursive), paths)


@command("touch")
async def touch(call: Call) -> int:
    """Create empty files."""
    files = call.phone.files
    paths = [p for p in split_options(call.argv[1:])[1] if not files.get(p)]
    return await _each(call, lambda p: files.write(p, b""), paths)


@command("chmod", "chown")
async def change_mode(call: Call) -> int:
    """Check that the files are there; modes are not enforced on this phone."""
    files = call.phone.files
    return await _each(call, lambda p: _must_be(files.get(p), p), call.argv[2:])


def _must_be(entry: Entry | None, path: str) -> None:
    if entry is None:
        raise FileNotFoundError(path)


@command("cp", "mv")
async def copy(call: Call) -> int:
    """Copy or move one file."""
    files, (source, target) = call.phone.files, split_options(call.argv[1:])[1][:2]

    def act(path: str) -> None:
        entry = files.get(target)
        inside = entry is not None and entry.is_directory
        name = f"{target}/{path.rpartition('/')[2]}" if inside else target
        files.write(name, files.read(path))
        if call.argv[0] == "mv":
            files.remove(path)

    return await _each(call, act, [source])


@command("which", "type")
async def which(call: Call) -> int:
    """Say where a command lives."""
    code = 0
    for name in call.argv[1:]:
        if name in COMMANDS or name == "sh":  # the shell itself is no entry of the table
            await call.say(f"/system/bin/{name}")
        else:
            code = 1
    return code


@command("command")
async def command_v(call: Call) -> int:
    """Answer ``command -v NAME``."""
    return await which(replace(call, argv=["which", *call.argv[2:]]))


@command("toybox")
async def toybox(call: Call) -> int:
    """Run one of the commands by its name."""
    inner = COMMANDS.get(call.argv[1]) if len(call.argv) > 1 else None
    if inner is None:
        return await call.complain(f"toybox: Unknown command {' '.join(call.argv[1:2])}", NOT_FOUND)
    return await inner(replace(call, argv=call.argv[1:]))


@command("date")
async def date(call: Call) -> int:
    """Print the phone's own clock; ``+FORMAT`` is strftime's."""
    now = datetime.fromisoformat(str(call.phone.state["system"]["time"]))
    shape = next((w[1:] for w in call.argv[1:] if w.startswith("+")), "%a %b %e %H:%M:%S CST %Y")
    await call.say(now.strftime(shape))
    return 0


@command("id", "whoami")
async def identity(call: Call) -> int:
    """Say who adb's shell is."""
    whole = "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),3003(inet)"
    await call.say(whole if call.argv[0] == "id" else "shell")
    return 0


@command("uptime")
async def uptime(call: Call) -> int:
    """Print how long the phone runs."""
    clock = str(call.phone.state["system"]["time"])[11:19]
    await call.say(f" {clock} up 2 days,  3:04,  0 users,  load average: 0.52, 0.48, 0.44")
    return 0


@command("df")
async def disk_free(call: Call) -> int:
    """Print the storage that Settings shows."""
    settings = call.phone.state["settings"]
    total, used = settings["storage_gb"] * 2**20, settings["storage_used_gb"] * 2**20
    share = f"{100 * used // total}%"
    await call.say("Filesystem     1K-blocks     Used Available Use% Mounted on")
    await call.say(f"/dev/fuse      {total} {used} {total - used} {share:>4} /storage/emulated")
    return 0
