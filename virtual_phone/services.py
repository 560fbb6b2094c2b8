"""The services that adb may open on the phone, by the name that the OPEN packet carries."""

from __future__ import annotations

import struct
from functools import partial

from virtual_phone.android import Phone
from virtual_phone.commands import COMMANDS
from virtual_phone.sh import Shell, Sink, Source, discard, nothing
from virtual_phone.sync import serve_sync
from virtual_phone.tty import PROMPT, Echo, Line, LineEditor
from virtual_phone.u2rpc import PORT, serve_stranger
from virtual_phone.wire import Handler, Stream

_FRAME = struct.Struct("<BI")
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)


def find_service(phone: Phone, destination: str) -> Handler | None:
    """Return what serves ``destination``; None refuses it, which the client reads as "closed"."""
    kind, _, rest = destination.partition(":")
    name, *options = kind.split(",")
    match name:
        case "shell" if "v2" in options:
            return partial(_shell_v2, phone, rest, "pty" in options)
        case "shell" if rest:
            return partial(_shell_v1, phone, rest)
        case "shell":
            return partial(_interactive, phone)
        case "exec":
            return partial(_shell_v1, phone, rest)
        case "sync":
            return partial(_sync, phone)
        case "tcp" | "localabstract":
            return _listener(phone, name, rest)
        case "reverse":
            return partial(_reverse, phone, rest)
        case "root" | "remount" | "unroot":
            return _no_root
        case _:
            return None


def _listener(phone: Phone, kind: str, rest: str) -> Handler | None:
    if kind == "localabstract":
        return phone.listeners.get(f"{kind}:{rest}")
    port = rest.split(":")[0]
    if port == PORT and phone.faults.on("port_busy"):
        return serve_stranger
    return phone.listeners.get(port)


async def _sync(phone: Phone, stream: Stream) -> None:
    await serve_sync(stream, phone)


async def _no_root(stream: Stream) -> None:
    await stream.write(b"adbd cannot run as root in production builds\n")


def _drops(phone: Phone, line: str) -> bool:
    # vphone is the test's own door, and no command of a phone
    return not line.startswith("vphone ") and phone.faults.take("drop_mid_command")


async def _shell_v1(phone: Phone, line: str, stream: Stream) -> None:
    if _drops(phone, line):
        await _run_and_drop(phone, line, stream)
        return
    await Shell(phone, COMMANDS).run(line, stream.write, stream.write, stream.read)


async def _run_and_drop(phone: Phone, line: str, stream: Stream) -> None:
    """Do what was asked, then pull the cable before a word of it is heard."""
    await Shell(phone, COMMANDS).run(line, discard, discard, nothing)
    stream.link.abort()


async def _interactive(phone: Phone, stream: Stream) -> None:
    """Serve a v1 shell without a command: keys come one by one and want an echo."""
    await _by_hand(Shell(phone, COMMANDS), stream.read, _crlf(stream.write))


def _crlf(write: Sink) -> Sink:
    async def out(data: bytes) -> None:
        await write(data.replace(b"\n", b"\r\n"))

    return out


async def _by_hand(shell: Shell, read: Source, out: Sink) -> int:
    """Serve a person at a terminal."""
    editor, code = LineEditor(), 0
    await out(PROMPT.encode())
    while data := await read():
        for event in editor.feed(data):
            match event:
                case Echo(text=text):
                    await out(text.encode())
                case Line(text=line) if line.strip() != "exit":
                    code = await shell.run(line, out, out)
                    await out(PROMPT.encode())
                case _:
                    return code
    return code


async def _from_pipe(shell: Shell, read: Source, out: Sink) -> int:
    """Run the lines of a standard input that is no terminal."""
    rest, code = b"", 0
    while data := await read():
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            text = line.decode("utf-8", "replace")
            if text.strip() == "exit":
                return code
            code = await shell.run(text, out, out)
    return await shell.run(rest.decode("utf-8", "replace"), out, out) if rest else code


class _Read:
    """Standard input of a v2 shell: frames are read off the stream, one at a time."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._ended = False

    async def __call__(self) -> bytes:
        while not self._ended:
            try:
                kind, size = _FRAME.unpack(await self._stream.read_exactly(_FRAME.size))
                data = await self._stream.read_exactly(size)
            except EOFError:
                break
            if kind == _STDIN and data:
                return data
            self._ended = kind == _CLOSE_STDIN
        self._ended = True
        return b""


async def _shell_v2(phone: Phone, line: str, pty: bool, stream: Stream) -> None:
    def sink(kind: int) -> Sink:
        async def write(data: bytes) -> None:
            await stream.write(_FRAME.pack(kind, len(data)) + data)

        return write

    if line and _drops(phone, line):
        await _run_and_drop(phone, line, stream)
        return
    shell, read = Shell(phone, COMMANDS), _Read(stream)
    if line:
        code = await shell.run(line, sink(_STDOUT), sink(_STDERR), read)
    elif pty:
        code = await _by_hand(shell, read, _crlf(sink(_STDOUT)))
    else:
        code = await _from_pipe(shell, read, sink(_STDOUT))
    await stream.write(_FRAME.pack(_EXIT, 1) + bytes([code & 0xFF]))


async def _reverse(phone: Phone, request: str, stream: Stream) -> None:
    """Keep the table that ``adb reverse`` edits; what connects on the phone looks there."""
    verb, _, rest = request.partition(":")
    match verb:
        case "list-forward":
            lines = "".join(f"host {a} {b}\n" for a, (b, _) in phone.reverses.items()).encode()
            await stream.write(f"{len(lines):04x}".encode() + lines)
            return
        case "forward":
            remote, _, local = rest.removeprefix("norebind:").partition(";")
            phone.reverses[remote] = local, stream.link
        case "killforward":
            if phone.reverses.pop(rest, None) is None:
                message = f"listener '{rest}' not found".encode()
                await stream.write(b"FAIL" + f"{len(message):04x}".encode() + message)
                return
        case "killforward-all":
            phone.reverses.clear()
    await stream.write(b"OKAY")
