"""scrcpy's server on the phone, protocol 3.x: H.264 out, touches and keys in.

It lives as long as the ``app_process`` shell that started it. A client of another major version
speaks another protocol and is refused in the real server's words. Needs the extra ``[scrcpy]``.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import re
import struct
from contextlib import suppress
from dataclasses import dataclass

from virtual_phone import scrcpy_control
from virtual_phone.android import Phone
from virtual_phone.scrcpy_video import Encoder, video_size
from virtual_phone.sh import Call
from virtual_phone.wire import Stream

logger = logging.getLogger(__name__)

MAIN_CLASS = "com.genymobile.scrcpy.Server"
VERSION = "3.3.4"
_SPOKEN = re.compile(r"3(\.\d+)*")
_NAME_BYTES = 64
_H264 = b"h264"
_NO_AUDIO = bytes(4)  # "disabled by the device": clients go on without sound
_CONNECT_S = 20.0
_RESTS_S = 5.0
CONFIG, KEY = 1 << 63, 1 << 62
_PACKET = struct.Struct(">QI")


@dataclass(frozen=True, slots=True)
class Options:
    """What the client asked for, as ``key=value`` words."""

    scid: str = ""
    video: bool = True
    audio: bool = True
    control: bool = True
    tunnel_forward: bool = False
    send_dummy_byte: bool = True
    send_device_meta: bool = True
    send_codec_meta: bool = True
    send_frame_meta: bool = True
    max_size: int = 0
    max_fps: float = 0.0
    video_bit_rate: int = 8_000_000

    @property
    def socket(self) -> str:
        """The name that both sides meet under."""
        return f"localabstract:scrcpy_{int(self.scid, 16):08x}" if self.scid else SOCKET


SOCKET = "localabstract:scrcpy"


def read_options(words: list[str]) -> Options:
    """Read ``key=value`` words; unknown keys are left to their defaults.

    Raises:
        ValueError: a number is not one.
    """
    given = dict(word.split("=", 1) for word in words if "=" in word)
    if given.get("raw_stream") == "true":
        for name in ("send_dummy_byte", "send_device_meta", "send_codec_meta", "send_frame_meta"):
            given[name] = "false"
    read: dict[str, object] = {}
    for name in Options.__slots__:
        if (text := given.get(name)) is None:
            continue
        kind = type(getattr(Options(), name))
        read[name] = text == "true" if kind is bool else kind(text)
    return Options(**read)  # type: ignore[arg-type]


async def run_scrcpy(call: Call) -> int:
    """Serve one client until it leaves."""
    words = call.argv[call.argv.index(MAIN_CLASS) + 1 :]
    version = words[0] if words else ""
    if not _SPOKEN.fullmatch(version):
        return await call.complain(
            "[server] ERROR: Exception on thread Thread[main,5,main]\n"
            "java.lang.IllegalArgumentException: The server version "
            f"({VERSION}) does not match the client ({version})"
        )
    if importlib.util.find_spec("av") is None:
        return await call.complain("[server] ERROR: no encoder on this phone: install [scrcpy]")
    phone, options = call.phone, read_options(words[1:])
    profile = phone.profile
    who = f"[{profile.brand}] {profile.brand} {profile.model} (Android {profile.android})"
    await call.say(f"[server] INFO: Device: {who}")
    try:
        await Session(phone, options).run()
    except (OSError, EOFError, TimeoutError) as error:
        return await call.complain(f"[server] ERROR: {error!r}")
    return 0


class Session:
    """One client's sockets and what flows over them."""

    def __init__(self, phone: Phone, options: Options) -> None:
        self._phone = phone
        self._options = options
        self._over = asyncio.Event()
        self._encoder: Encoder | None = None
        self._again = False

    async def run(self) -> None:
        """Meet the client, then stream and obey until one side ends."""
        wanted = [name for name in ("video", "audio", "control") if getattr(self._options, name)]
        try:
            sockets = dict(zip(wanted, await self._meet(len(wanted)), strict=True))
            await self._introduce(next(iter(sockets.values())))
            await self._serve(sockets)
        finally:
            self._over.set()

    async def _meet(self, number: int) -> list[Stream]:
        if self._options.tunnel_forward:
            return await asyncio.wait_for(self._accept(number), _CONNECT_S)
        local, link = self._phone.reverses.get(self._options.socket, ("", None))
        if link is None:
            raise ConnectionRefusedError(self._options.socket)
        return [await link.open(local) for _ in range(number)]

    async def _accept(self, number: int) -> list[Stream]:
        arrived: asyncio.Queue[Stream] = asyncio.Queue()

        async def take(stream: Stream) -> None:
            await arrived.put(stream)
            await self._over.wait()

        name = self._options.socket
        self._phone.listeners[name] = take
        try:
            streams = [await arrived.get()]
            if self._options.send_dummy_byte:
                await streams[0].write(b"\0")  # tells the client that somebody is there
            streams += [await arrived.get() for _ in range(number - 1)]
        finally:
            del self._phone.listeners[name]
        return streams

    async def _introduce(self, stream: Stream) -> None:
        if self._options.send_device_meta:
            name = self._phone.profile.model.encode()[: _NAME_BYTES - 1]
            await stream.write(name.ljust(_NAME_BYTES, b"\0"))

    async def _serve(self, sockets: dict[str, Stream]) -> None:
        if audio := sockets.get("audio"):
            await audio.write(_NO_AUDIO)
        work = []
        if video := sockets.get("video"):
            work.append(asyncio.ensure_future(self._film(video)))
        if control := sockets.get("control"):
            work.append(asyncio.ensure_future(self._obey(control)))
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for stream in sockets.values():
                with suppress(ConnectionError):  # the link itself may be what ended
                    await stream.close()

    # -- video ------------------------------------------------------------------------------------

    async def _film(self, stream: Stream) -> None:
        phone, options = self._phone, self._options
        if options.send_codec_meta:
            size = video_size(phone.size, options.max_size)
            await stream.write(_H264 + struct.pack(">II", *size))
        pause_s = 1 / options.max_fps if options.max_fps else 0.0
        shown = -1
        while not stream.closed:
            if phone.version == shown and not self._again:
                await phone.wait_change(_RESTS_S)
                continue
            shown = phone.version
            await self._frame(stream)
            await asyncio.sleep(pause_s)

    async def _frame(self, stream: Stream) -> None:
        picture = self._phone.camera.picture()
        size = video_size(picture.size, self._options.max_size)
        if self._encoder is None or self._encoder.size != size or self._again:
            self._again = False
            self._encoder = Encoder(size, self._options.video_bit_rate)
            await self._packet(stream, CONFIG, self._encoder.config)
        loop = asyncio.get_running_loop()
        for pts, key, data in await loop.run_in_executor(None, self._encoder.encode, picture):
            await self._packet(stream, pts | (KEY if key else 0), data)

    async def _packet(self, stream: Stream, head: int, data: bytes) -> None:
        meta = _PACKET.pack(head, len(data)) if self._options.send_frame_meta else b""
        await stream.write(meta + data)

    # -- control ----------------------------------------------------------------------------------

    def _size(self) -> tuple[int, int] | None:
        return self._encoder.size if self._encoder else None

    async def _obey(self, stream: Stream) -> None:
        hands = scrcpy_control.Hands(self._phone, self._size)
        while True:
            message = await scrcpy_control.read_message(stream)
            if message.kind == scrcpy_control.Kind.RESET_VIDEO:
                self._again = True
                self._phone.changed()
            elif answer := hands.act(message):
                await stream.write(answer)
