"""Talk to the adb server; the only file that imports adbutils.

adbutils by itself starts a server when none answers, sleeps at each close, and waits for ever on
a server that is silent. Here every call has a deadline, and only `start_server` starts one.
"""

import contextlib
import logging
import re
import socket
import stat
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbutils
from adbutils import AdbClient, AdbConnection, AdbDevice

from core.devices.complaints import complaint
from core.errors import AdbDown, DeviceLost, DeviceOffline, DeviceSlow, NotPaired

logger = logging.getLogger(__name__)

ANSWER_S = 5.0
CONNECT_S = 12.0  # the server gives a silent address up after 10 s
SHELL_S = 15.0
PUSH_S = 60.0
PAIR_S = 20.0
CHUNK = 1 << 18
SYNC_CHUNK = 1 << 16  # adbd takes no more in one DATA

#: The states that a listing without tabs is split by; any of them may have words behind it.
STATES = (
    "device",
    "offline",
    "unauthorized",
    "authorizing",
    "connecting",
    "no permissions",
    "sideload",
    "recovery",
    "rescue",
    "bootloader",
    "host",
    "detached",
)
_LISTED = re.compile(rf"^(\S.*?)\s+((?:{'|'.join(STATES)})\b.*)$")
_KEYS = re.compile(r"\s+(?:usb|product|model|device|transport_id):\S+")


class _Connection(AdbConnection):  # type: ignore[misc]  # adbutils ships no types
    def _safe_connect(self) -> socket.socket:
        """Connect without starting a server."""
        return self._create_socket()  # type: ignore[no-any-return]

    def close(self) -> None:
        """Close without the base class's sleep of 10 ms."""
        try:
            self.conn.close()
        except adbutils.AdbError:
            return  # closed already


class _Client(AdbClient):  # type: ignore[misc]
    def make_connection(self, timeout: float | None = None) -> AdbConnection:
        """Connect to the server; every read is then at most ``timeout`` seconds."""
        connection = _Connection(self.host, self.port)
        connection.conn.settimeout(timeout or ANSWER_S)
        connection.conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


class _Device(AdbDevice):  # type: ignore[misc]
    def open_transport(
        self, command: str | None = None, timeout: float | None = SHELL_S
    ) -> AdbConnection:
        """Reach the phone in one connection; the base class asks for the version in another."""
        connection = self._client.make_connection(min(timeout or SHELL_S, SHELL_S))
        try:
            if command:
                connection.send_command(f"host-serial:{self.serial}:{command}")
            else:
                connection.send_command(f"host:tport:serial:{self.serial}")
            connection.check_okay()
            if not command:
                connection.read(8)
        except BaseException:  # whatever it was is raised again; the socket must not stay open
            connection.close()
            raise
        return connection


class Adb:
    """The adb server that ``ANDROID_ADB_SERVER_PORT`` names; it need not be there yet."""

    def __init__(self) -> None:
        self.client = _Client()
        self._tracking: socket.socket | None = None

    def is_running(self) -> bool:
        """Say whether a server answers."""
        try:
            self.client.server_version()
        except (adbutils.AdbError, OSError):
            return False
        return True

    def start_server(self) -> None:
        """Start a server that outlives us, as adb itself would."""
        logger.info("no adb server on port %s, starting one", self.client.port)
        command = [adbutils.adb_path(), "-P", str(self.client.port), "start-server"]
        try:
            subprocess.run(command, capture_output=True, timeout=20, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            logger.warning("adb server on port %s did not start: %s", self.client.port, error)

    def connect(self, address: str) -> None:
        """Connect to a phone on the network.

        Raises:
            DeviceOffline: It does not answer; the reason is adb's own.
            AdbDown: There is no adb server.
        """
        try:
            said = self.client.connect(address, timeout=CONNECT_S)
        except adbutils.errors.AdbConnectionError as error:
            raise AdbDown from error
        except (adbutils.AdbError, OSError) as error:
            raise DeviceOffline(serial=address, reason=f"{error}.") from error
        # adb answers OK whatever happened, so its words decide
        if not said.startswith(("connected to", "already connected to")):
            raise DeviceOffline(serial=address, reason=f"{said.strip().capitalize()}.")

    def pair(self, address: str, code: str) -> None:
        """Pair with a phone that shows a code under Wireless debugging.

        Raises:
            NotPaired: The phone did not take the code, or is not there; the words are adb's.
            AdbDown: There is no adb server.
        """
        try:
            with self.client.make_connection(PAIR_S) as connection:
                connection.send_command(f"host:pair:{code}:{address}")
                connection.check_okay()
                said = _told(connection).strip()
        except adbutils.errors.AdbConnectionError as error:
            raise AdbDown from error
        except (adbutils.AdbError, OSError) as error:
            raise NotPaired(address=address, detail=_sentence(error)) from error
        if not said.lower().startswith("successfully paired"):
            raise NotPaired(address=address, detail=_sentence(said))

    def reconnect(self, serial: str) -> None:
        """Let adb open the link to a phone anew; nothing happens when it does not know it."""
        try:
            with self.client.make_connection() as connection:
                connection.send_command(f"host-serial:{serial}:reconnect")
                connection.check_okay()
        except (adbutils.AdbError, OSError) as error:
            logger.info("reconnect %s: %s", serial, error)

    def disconnect(self, address: str) -> None:
        """Forget a network address; nothing happens when it is not connected."""
        try:
            self.client.disconnect(address)
        except (adbutils.AdbError, OSError) as error:
            logger.debug("disconnect %s: %s", address, error)

    def track(self) -> Iterator[dict[str, str]]:
        """Give all serials and their states at once, and again at each change.

        Raises:
            DeviceLost: The server is not there or went away.
        """
        try:
            with self.client.make_connection() as connection:
                connection.send_command("host:track-devices")
                connection.check_okay()
                connection.conn.settimeout(None)
                self._tracking = connection.conn
                while True:
                    yield devices(connection.read_string_block())
        except (adbutils.AdbError, OSError, ValueError) as error:
            raise DeviceLost(serial="adb", detail=str(error)) from error

    def stop_tracking(self) -> None:
        """End `track` in whatever thread it waits."""
        if self._tracking is not None:
            with contextlib.suppress(OSError):  # it may have ended by itself
                self._tracking.shutdown(socket.SHUT_RDWR)

    def link(self, serial: str) -> "Link":
        """Reach one phone; nothing is sent yet."""
        return Link(_Device(self.client, serial=serial))


class Link:
    """One phone through the adb server; every call raises `DeviceLost` or `DeviceSlow`.

    ``silent`` counts the calls in a row that met no answer at all, as on a link that is half
    open: adb calls it connected, and nothing comes through.
    """

    def __init__(self, device: AdbDevice) -> None:
        self.device = device
        self.serial: str = device.serial
        self.silent = 0

    def shell(self, command: str, timeout_s: float = SHELL_S) -> str:
        """Run a command and give its output, also when it took a part of ``timeout_s``."""
        return self._run(f"shell:{command}", timeout_s).decode("utf-8", "replace")

    def exec_out(self, command: str, timeout_s: float = SHELL_S) -> bytes:
        """Run a command and give its raw output."""
        return self._run(f"exec:{command}", timeout_s)

    def open(self, service: str, timeout_s: float) -> socket.socket:
        """Open a service such as ``tcp:9008`` or ``shell:…`` and leave it open."""
        with self._translated(timeout_s):
            connection = self.device.open_transport(timeout=timeout_s)
            try:
                connection.send_command(service)
                connection.check_okay()
            except BaseException:  # raised again; the socket must not stay open
                connection.close()
                raise
            opened: socket.socket = connection.conn
            return opened

    def push(self, source: Path, target: str, mode: int = 0o755) -> None:
        """Copy a file onto the phone; nothing is left there when it fails.

        Raises:
            StorageFull: It does not fit.
            DeviceLost: The phone refused for another reason, or the link broke.
        """
        deadline = time.monotonic() + PUSH_S
        with self._translated(PUSH_S), self.open("sync:", SHELL_S) as stream:
            _send_file(stream, source, f"{target},{stat.S_IFREG | mode}", deadline)
            answer, length = struct.unpack("<4sI", _exactly(stream, 8, deadline))
            said = _exactly(stream, length, deadline).decode("utf-8", "replace")
        if answer != b"OKAY":
            self.shell(f"rm -f {target}")
            detail = f"It did not take {target}: {said}."
            known = complaint(self.serial, said)
            raise known or DeviceLost(serial=self.serial, detail=detail)

    def _run(self, service: str, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        output = bytearray()
        with self._translated(timeout_s), self.open(service, timeout_s) as stream:
            while True:
                stream.settimeout(max(0.001, deadline - time.monotonic()))
                chunk = stream.recv(CHUNK)
                if not chunk:
                    self.silent = 0
                    return bytes(output)
                output += chunk

    @contextmanager
    def _translated(self, timeout_s: float) -> Iterator[None]:
        try:
            yield
        except (adbutils.errors.AdbTimeout, TimeoutError) as error:
            self.silent += 1
            raise DeviceSlow(serial=self.serial, timeout_s=f"{timeout_s:g}") from error
        except (adbutils.AdbError, OSError) as error:
            known = complaint(self.serial, str(error))
            raise known or DeviceLost(serial=self.serial, detail=_sentence(error)) from error


def devices(text: str) -> dict[str, str]:
    """Read adb's list of devices, as ``adb devices [-l]`` prints it or the server sends it.

    A serial may be ``????????????`` or hold spaces, and a state may too, with a remark behind it:
    ``no permissions (missing udev rules?); see …``.

    Returns:
        The state of each serial, with its remark and without ``product:`` and the like.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        serial, tab, state = line.partition("\t")
        if not tab:
            listed = _LISTED.match(line)
            # the lines before the header tell of the server's own start
            if listed is None or line.startswith(("List of devices", "* daemon")):
                continue
            serial, state = listed[1], listed[2]
        state = _KEYS.sub("", state).strip()
        if serial.strip() and state:
            found[serial.strip()] = state
    return found


def _told(connection: AdbConnection) -> str:
    """Read what a service says after its OKAY, which may be a second verdict of adb's."""
    head = str(connection.read_string(4))
    if head in ("FAIL", "OKAY"):
        return str(connection.read_string_block())
    return str(connection.read_string(int(head, 16)))


def _send_file(stream: socket.socket, source: Path, target: str, deadline: float) -> None:
    name = target.encode()
    stream.sendall(struct.pack("<4sI", b"SEND", len(name)) + name)
    with source.open("rb") as file, contextlib.suppress(BrokenPipeError):
        # a phone that refuses closes while we send, and has said why by then
        while chunk := file.read(SYNC_CHUNK):
            stream.settimeout(max(0.001, deadline - time.monotonic()))
            stream.sendall(struct.pack("<4sI", b"DATA", len(chunk)) + chunk)
        stream.sendall(struct.pack("<4sI", b"DONE", int(source.stat().st_mtime)))


def _exactly(stream: socket.socket, size: int, deadline: float) -> bytes:
    data = b""
    while len(data) < size:
        stream.settimeout(max(0.001, deadline - time.monotonic()))
        piece = stream.recv(size - len(data))
        if not piece:
            raise ConnectionResetError("the phone closed the stream while a file was copied")
        data += piece
    return data


def _sentence(error: Any) -> str:
    text = str(error).strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
