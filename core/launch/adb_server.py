"""Find the adb server and ask it which phones answer.

It speaks to the server's socket itself: an adb program of another version would first end the
server that it found.
"""

import importlib.util
import os
import shutil
import socket
import sys
from pathlib import Path

ANSWER_S = 5.0


def adb_program() -> str:
    """Give the adb to start: ``ADBUTILS_ADB_PATH``, else adbutils' own, else one on PATH.

    Raises:
        SystemExit: there is none.
    """
    chosen = os.environ.get("ADBUTILS_ADB_PATH")
    if chosen:
        return chosen
    spec = importlib.util.find_spec("adbutils")
    if spec is not None and spec.origin:
        carried = Path(spec.origin).parent / "binaries" / "adb"
        if carried.is_file():
            return str(carried)
    found = shutil.which("adb")
    if found is None:
        raise SystemExit("there is no adb: install it, or set ADBUTILS_ADB_PATH to one")
    return found


def server_command(port: int) -> tuple[str, ...]:
    """Give the command that serves adb on the loopback without leaving its parent."""
    return (adb_program(), "-L", f"tcp:localhost:{port}", "server", "nodaemon")


def server_env() -> dict[str, str]:
    """Give what the server's environment must say on this machine.

    On a Linux without USB, as in most containers, adb waits 2.9 s for libusb before it answers
    its first question; its own USB code does not, and finds a bus that appears later.
    """
    if sys.platform == "linux" and not Path("/dev/bus/usb").exists():
        return {"ADB_LIBUSB": "0"}
    return {}


def is_listening(port: int) -> bool:
    """Tell whether something accepts connections on a loopback port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return True
    except OSError:
        return False


def ready_serials(port: int) -> list[str]:
    """List the phones that the server on ``port`` can use now.

    Raises:
        OSError: nothing answers there, or not as an adb server does.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as server:
        server.sendall(b"000chost:devices")
        stream = server.makefile("rb")
        if stream.read(4) != b"OKAY":
            raise ConnectionError(f"what listens on port {port} is not an adb server")
        size = int(stream.read(4) or b"0", 16)
        lines = stream.read(size).decode().splitlines()
    rows = (line.partition("\t") for line in lines)
    return [serial for serial, _, state in rows if state == "device"]
