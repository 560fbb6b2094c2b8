"""A private adb server, so that tests never meet the machine's own one or its phones."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_START_S = 10.0
_STOP_S = 5.0
_POLL_S = 0.02
_OUR_PORTS = range(20_000, 32_000)
# PR_SET_PDEATHSIG: a test run that is killed outright must not leave its server behind
_PRCTL = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execv(sys.argv[1], sys.argv[1:])"
)
_DIES_WITH_US = (sys.executable, "-c", _PRCTL) if sys.platform == "linux" else ()


def adb_program() -> str:
    """Return the adb that adbutils carries, or the one named by ADBUTILS_ADB_PATH.

    Raises:
        FileNotFoundError: adbutils is not installed.
    """
    chosen = os.environ.get("ADBUTILS_ADB_PATH")
    if chosen:
        return chosen
    spec = importlib.util.find_spec("adbutils")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("adbutils carries the adb program and is not installed")
    return str(Path(spec.origin).parent / "binaries" / "adb")


def free_port() -> int:
    """Return a port of this machine that nobody listens on, nor is given before we do.

    It lies below the range from which systems number the near end of a connection, so that only
    another call of this function could name it too, in one of thousands.
    """
    for port in random.sample(_OUR_PORTS, len(_OUR_PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("every port that a test may use is taken")


class AdbServer:
    """Our own server process on a port of this machine."""

    def __init__(self, port: int, settings: dict[str, str] | None = None) -> None:
        self.port = port
        self._home = tempfile.TemporaryDirectory(prefix="vphone-adb-")
        # no USB, no mDNS, no scan for emulators: this server knows what we connect, nothing else
        environment = {
            **os.environ,
            "HOME": self._home.name,
            "ADB_USB": "0",
            "ADB_MDNS": "0",
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
            **(settings or {}),
        }
        self._process = subprocess.Popen(
            [*_DIES_WITH_US, adb_program(), "-L", f"tcp:localhost:{port}", "server", "nodaemon"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_ready()

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            try:
                self.ask("host:version")
            except OSError:
                time.sleep(_POLL_S)
            else:
                return
        self.close()
        raise TimeoutError(f"the adb server did not answer on port {self.port}")

    def ask(self, request: str) -> str:
        """Send one request and return the answer's text.

        Raises:
            OSError: the server is not there, or refused.
        """
        with socket.create_connection(("127.0.0.1", self.port), timeout=_START_S) as link:
            link.sendall(f"{len(request):04x}{request}".encode())
            stream = link.makefile("rb")
            status = stream.read(4)
            text = stream.read(int(stream.read(4) or b"0", 16)).decode()
        if status != b"OKAY":
            raise ConnectionError(text)
        return text

    def connect(self, address: str) -> None:
        """Connect a phone and wait until it is usable.

        Raises:
            TimeoutError: it did not come.
        """
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            if f"{address}\tdevice" in self.ask("host:devices").splitlines():
                return
            self.ask(f"host:connect:{address}")
            time.sleep(_POLL_S)
        raise TimeoutError(f"{address} did not connect")

    def disconnect(self, address: str) -> None:
        """Forget a phone; OSError when the server does not know it."""
        self.ask(f"host:disconnect:{address}")

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._home.cleanup()
