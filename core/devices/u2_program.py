"""uiautomator2's program for the phone; the only file that imports uiautomator2.

It is copied there once, and lives in a shell of ours: it ends with the shell's stream.
"""

import contextlib
import hashlib
import logging
import socket
import threading
from functools import cache
from importlib import resources
from pathlib import Path

from uiautomator2.core import DEFAULT_SERVER_PORT

from core.devices.adb import Link

logger = logging.getLogger(__name__)

JAR = "/data/local/tmp/u2.jar"
START = f"CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p"
#: The one that everybody uses comes first; another program may hold it.
PORTS = (DEFAULT_SERVER_PORT, 9018, 9028)
#: Ends every such server on the phone, whoever started it; the brackets keep pkill from itself.
KILL = "pkill -9 -f '[c]om.wetest.uia2.Main'"
OPEN_S = 5.0


class Program:
    """The shell that the server lives in; closing it ends the server."""

    def __init__(self, link: Link, port: int) -> None:
        self.ended = threading.Event()
        self._said = bytearray()
        self._stream = link.open(f"shell:{START} {port}", OPEN_S)
        self._stream.settimeout(None)
        name = f"u2 {link.serial}"
        threading.Thread(target=self._listen, name=name, daemon=True).start()

    @property
    def port_is_taken(self) -> bool:
        """Say whether it ended because another program holds its port."""
        return b"EADDRINUSE" in self._said

    def complaint(self) -> str:
        """Say why the server did not come up."""
        said = self._said.decode("utf-8", "replace").strip()
        if "already registered" in said:
            return "another program on this machine or phone holds UiAutomation; end it first."
        lines = said.splitlines()
        last = lines[-1][:200] if lines else "it said nothing"
        return f"its uiautomator2 server did not start: {last}"

    def close(self) -> None:
        """End the shell, and with it the server."""
        with contextlib.suppress(OSError):  # the phone may have closed it first
            self._stream.shutdown(socket.SHUT_RDWR)
        self._stream.close()

    def _listen(self) -> None:
        try:
            while chunk := self._stream.recv(4096):
                self._said = (self._said + chunk)[-8192:]
        except OSError as error:
            logger.debug("shell of the uiautomator2 server ended: %s", error)
        self.ended.set()


def install(link: Link) -> None:
    """Copy the server onto the phone unless the same one is there.

    Raises:
        StorageFull: It does not fit.
    """
    if not is_installed(link):
        logger.info("%s: copying uiautomator2's server", link.serial)
        link.push(jar()[0], JAR)


def is_installed(link: Link) -> bool:
    """Say whether the phone has the server that we bring."""
    return jar()[1] in link.shell(f"toybox md5sum {JAR} || md5 {JAR}")


@cache
def jar() -> tuple[Path, str]:
    """Give the program that the package brings, and its MD5 in hexadecimal digits."""
    path = Path(str(resources.files("uiautomator2") / "assets" / "u2.jar"))
    return path, hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
