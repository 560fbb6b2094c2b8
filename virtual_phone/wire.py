"""Speak the device side of the adb wire over one TCP connection.

A stream is written to only when the peer has given credit: one packet at a time in the classic
protocol, a window of bytes when both sides list ``delayed_ack``.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from virtual_phone.packet import MAX_PAYLOAD, VERSION, Command, Packet, pack, read_packet

logger = logging.getLogger(__name__)


RECEIVE_WINDOW = 32 * 1024 * 1024
LAST_ACK_TIMEOUT_S = 10.0

# No abb, compression or apex: advertising them makes adb use formats we do not speak.
FEATURES = (
    "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,fixed_push_symlink_timestamp,"
    "sendrecv_v2,delayed_ack"
)

AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3
AUTH_TOKEN_BYTES = 20
NEVER = math.inf

_WINDOW = struct.Struct("<i")

_SUMMED = (Command.CNXN, Command.AUTH)

Handler = Callable[["Stream"], Awaitable[None]]
OpenService = Callable[[str], Handler | None]


@dataclass(frozen=True, slots=True)
class Welcome:
    """How the phone greets an adb server that calls.

    ``silent`` gives no answer at all, ``asks_s`` asks for a key and takes it after so many
    seconds, and ``frozen`` leaves the link up with nothing read or written.
    """

    silent: bool = False
    asks_s: float | None = None
    frozen: bool = False


class Stream:
    """One opened service; reads and writes bytes, closed from either side once."""

    def __init__(self, link: Link, local_id: int, remote_id: int, window: int | None) -> None:
        # remote_id is 0 until the peer has answered a stream that we opened
        self.link = link
        self.local_id = local_id
        self.remote_id = remote_id
        self.closed = False
        self.task: asyncio.Task[None] | None = None
        self._window = window
        self._can_send = asyncio.Event()
        if remote_id:
            self._can_send.set()
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._buffer = b""
        self.answered = asyncio.Event()

    async def write(self, data: bytes) -> None:
        """Send all of ``data``, waiting for the peer's credit.

        Raises:
            ConnectionResetError: the peer closed the stream.
        """
        view = memoryview(data)
        while view:
            piece = view[: self._room(await self._credit())]
            view = view[len(piece) :]
            if self._window is not None:
                self._window -= len(piece)
            if self._window is None or self._window <= 0:
                self._can_send.clear()
            await self.link.send(Packet(Command.WRTE, self.local_id, self.remote_id, bytes(piece)))

    async def _credit(self) -> int | None:
        await self._can_send.wait()
        if self.closed:
            raise ConnectionResetError("the peer closed the stream")
        return self._window

    def _room(self, window: int | None) -> int:
        limit = self.link.max_payload
        return limit if window is None else min(limit, window)

    async def read(self) -> bytes:
        """Return what arrives next, or ``b""`` after the peer closed."""
        if self._buffer:
            data, self._buffer = self._buffer, b""
            return data
        if self.closed and self._inbox.empty():
            return b""
        data = await self._inbox.get()
        if data and not self.closed:
            await self.link.acknowledge(self, len(data))
        return data

    async def read_exactly(self, size: int) -> bytes:
        """Return ``size`` bytes.

        Raises:
            EOFError: the peer closed before that many arrived.
        """
        parts, have = [], 0
        while have < size:
            data = await self.read()
            if not data:
                raise EOFError("the peer closed the stream")
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self._buffer = whole[size:]
        return whole[:size]

    async def read_until(self, mark: bytes) -> bytes:
        """Return everything up to and including ``mark``; EOFError when it never comes."""
        whole = b""
        while mark not in whole:
            data = await self.read()
            if not data:
                raise EOFError("the peer closed the stream")
            whole += data
        end = whole.index(mark) + len(mark)
        self._buffer = whole[end:]
        return whole[:end]

    def deliver(self, data: bytes) -> None:
        """Take what the peer sent; ``b""`` marks its end."""
        self._inbox.put_nowait(data)

    def on_okay(self, remote_id: int, data: bytes) -> None:
        """Take the peer's credit; the first one tells its name for the stream."""
        self.remote_id = remote_id
        self.answered.set()
        if self._window is not None and len(data) >= _WINDOW.size:
            self._window += _WINDOW.unpack_from(data)[0]
        if self._window is None or self._window > 0:
            self._can_send.set()

    def on_close(self) -> None:
        """Take the peer's close: readers see the end, writers fail."""
        self.closed = True
        self.answered.set()
        self._can_send.set()
        self.deliver(b"")

    async def close(self) -> None:
        """Close our side after the last packet was acknowledged."""
        if self.closed:
            return
        if self._window is None:
            try:
                await asyncio.wait_for(self._can_send.wait(), LAST_ACK_TIMEOUT_S)
            except TimeoutError:
                logger.warning("stream %s: last packet was never acknowledged", self.local_id)
        if not self.closed:
            self.closed = True
            await self.link.send(Packet(Command.CLSE, self.local_id, self.remote_id))
        self.link.forget(self)


class Link:
    """One adb server's TCP connection to this phone."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        banner: str,
        open_service: OpenService,
        welcome: Callable[[], Welcome] = Welcome,
    ) -> None:
        self.max_payload = MAX_PAYLOAD
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._open_service = open_service
        self._streams: dict[int, Stream] = {}
        self._next_id = 1
        self._delayed_ack = False
        self._checksum = False
        self._welcome = welcome
        self._called: Packet | None = None
        self._awake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self.look()

    def look(self) -> None:
        """Take note of how adb is welcomed now; what waited for a better welcome is answered."""
        welcome = self._welcome()
        if welcome.frozen:
            self._awake.clear()
            return
        self._awake.set()
        if not welcome.silent and welcome.asks_s is None:
            self._accept()

    async def open(self, destination: str) -> Stream:
        """Open a stream to the adb server's machine, as a reverse tunnel does.

        Raises:
            ConnectionRefusedError: nobody listens there, or the link is gone.
        """
        stream = Stream(self, self._next_id, 0, 0 if self._delayed_ack else None)
        self._next_id += 1
        self._streams[stream.local_id] = stream
        room = RECEIVE_WINDOW if self._delayed_ack else 0
        await self.send(Packet(Command.OPEN, stream.local_id, room, destination.encode() + b"\0"))
        await stream.answered.wait()
        if stream.closed:
            self.forget(stream)
            raise ConnectionRefusedError(destination)
        return stream

    def forget(self, stream: Stream) -> None:
        """Take nothing more for a stream."""
        self._streams.pop(stream.local_id, None)

    async def run(self) -> None:
        """Serve until the connection ends, then end every service that it carried."""
        try:
            while True:
                await self._awake.wait()
                await self._handle(await read_packet(self._reader))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            logger.info("adb link ended: %r", error)
        finally:
            await self._end()

    async def _end(self) -> None:
        if self._timer:
            self._timer.cancel()
        tasks = [s.task for s in self._streams.values() if s.task]
        for stream in self._streams.values():
            stream.on_close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._writer.close()

    def abort(self) -> None:
        """Drop the TCP connection without a word, as a pulled cable does."""
        self._awake.set()
        self._writer.transport.abort()

    async def send(self, packet: Packet) -> None:
        """Write one packet."""
        await self._awake.wait()
        if self._writer.is_closing():
            raise ConnectionResetError("the adb link is gone")
        self._writer.write(pack(packet, checksum=self._checksum or packet.command in _SUMMED))
        await self._writer.drain()

    async def acknowledge(self, stream: Stream, size: int) -> None:
        """Give the peer credit for what was consumed."""
        data = _WINDOW.pack(size) if self._delayed_ack else b""
        await self.send(Packet(Command.OKAY, stream.local_id, stream.remote_id, data))

    async def _handle(self, packet: Packet) -> None:
        match packet.command:
            case Command.CNXN:
                await self._connect(packet)
            case Command.OPEN:
                await self._open(packet)
            case Command.OKAY:
                if stream := self._streams.get(packet.arg1):
                    stream.on_okay(packet.arg0, packet.data)
            case Command.WRTE:
                if stream := self._streams.get(packet.arg1):
                    stream.deliver(packet.data)
            case Command.CLSE:
                await self._close(packet)
            case Command.AUTH:
                await self._authorise(packet)
            case other:
                logger.warning("adb packet %08x is not spoken here, ignored", other)

    async def _connect(self, packet: Packet) -> None:
        welcome = self._welcome()
        if welcome.silent or welcome.asks_s is not None:
            self._called = packet
        if welcome.silent:
            return
        if welcome.asks_s is None:
            await self._admit(packet)
        else:
            await self._ask_key()

    async def _ask_key(self) -> None:
        await self.send(Packet(Command.AUTH, AUTH_TOKEN, 0, os.urandom(AUTH_TOKEN_BYTES)))

    async def _authorise(self, packet: Packet) -> None:
        """Refuse every signature, so that adb shows its key; then let the seconds run."""
        asks_s = self._welcome().asks_s
        if packet.arg0 == AUTH_SIGNATURE:
            await self._ask_key()
        elif packet.arg0 == AUTH_PUBLIC_KEY and asks_s is not None and asks_s < NEVER:
            self._timer = asyncio.get_running_loop().call_later(asks_s, self._accept)

    def _accept(self) -> None:
        if self._called:
            called, self._called = self._called, None
            asyncio.ensure_future(self._admit(called)).add_done_callback(_ended)

    async def _admit(self, packet: Packet) -> None:
        features = packet.data.decode("utf-8", "replace").partition("features=")[2]
        self._delayed_ack = "delayed_ack" in features.rstrip("\0").split(",")
        self._checksum = packet.arg0 < VERSION
        self.max_payload = min(MAX_PAYLOAD, packet.arg1)
        version = min(VERSION, packet.arg0)
        await self.send(Packet(Command.CNXN, version, MAX_PAYLOAD, self._banner.encode()))

    async def _open(self, packet: Packet) -> None:
        destination = packet.data.rstrip(b"\0").decode("utf-8", "replace")
        handler = self._open_service(destination)
        if handler is None:
            logger.info("refused service %r", destination)
            await self.send(Packet(Command.CLSE, 0, packet.arg0))
            return
        window = packet.arg1 if self._delayed_ack else None
        stream = Stream(self, self._next_id, packet.arg0, window)
        self._next_id += 1
        self._streams[stream.local_id] = stream
        await self.acknowledge(stream, RECEIVE_WINDOW)
        stream.task = asyncio.create_task(self._serve(stream, handler, destination))

    async def _serve(self, stream: Stream, handler: Handler, destination: str) -> None:
        try:
            await handler(stream)
            await stream.close()
        except (ConnectionError, EOFError) as error:
            logger.info("service %.60r ended early: %s", destination, error)
        except Exception:
            # one broken service must not take the phone down; the client sees the stream close
            logger.exception("service %.60r failed", destination)
            await stream.close()
        finally:
            self.forget(stream)

    async def _close(self, packet: Packet) -> None:
        stream = self._streams.get(packet.arg1)
        if stream is None or stream.closed:
            return
        stream.on_close()
        if packet.arg0:  # 0 refuses a stream that we opened: there is nothing to close
            await self.send(Packet(Command.CLSE, stream.local_id, stream.remote_id))
        if stream.task:
            stream.task.cancel()


def _ended(task: asyncio.Future[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.info("adb link ended while it was let in: %r", error)
