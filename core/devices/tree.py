"""Read the window hierarchy from the best source that answers, and say which it was.

First uiautomator2's server. Where that fails or cannot run, Android's own compressed dump, which
needs UiAutomation for itself, so the server is ended first. Where that fails too, the hierarchy is
empty and only a picture tells what is there.
"""

import logging
import time

from core.devices.adb import Link
from core.devices.base import Source
from core.devices.u2 import Server
from core.errors import DeviceLost, DeviceOffline, PhoneFault

logger = logging.getLogger(__name__)

SERVER_S = 8.0
DUMP_S = 12.0
MAX_DEPTH = 50
EMPTY_RETRY_S = (0.2, 0.4, 0.0)
AVOID_S = 20.0  # so long the server is not asked again after it failed on a screen

FILE = "/data/local/tmp/phonedeck.xml"
# a dump that fails leaves the old file in place, and says so with exit code 0
DUMP = f"rm -f {FILE}; uiautomator dump --compressed {FILE}; cat {FILE}; rm -f {FILE}"


class Tree:
    """The hierarchy of one phone; not safe for two threads, the phone's gate lets one in."""

    def __init__(self, link: Link, server: Server) -> None:
        self.link = link
        self.server = server
        self._avoid_until = 0.0

    def read(self, rotation: int = 0) -> tuple[str, Source]:
        """Give the hierarchy and where it came from.

        Args:
            rotation: Said by the empty hierarchy, when there is no other.

        Raises:
            DeviceLost: The phone itself is gone.
        """
        asks_server = time.monotonic() >= self._avoid_until and not self.server.rests
        if asks_server:
            xml = self._from_server()
            if _has_nodes(xml):
                return xml, "u2"
        xml = self._from_dump()
        if _has_nodes(xml):
            if asks_server:  # counted from its failure, or a busy run would never ask it again
                self._avoid_until = time.monotonic() + AVOID_S
            return xml, "dump"
        self._avoid_until = 0.0
        return f'<hierarchy rotation="{rotation}"></hierarchy>', "picture"

    def from_server(self) -> str:
        """Read it from the server, also while a window changes and there is none for a moment.

        Raises:
            PhoneFault: The server did not give it.
        """
        xml = ""
        for pause in EMPTY_RETRY_S:
            told = self.server.look("dumpWindowHierarchy", False, MAX_DEPTH, timeout_s=SERVER_S)
            xml = str(told or "")
            if _has_nodes(xml):
                break
            time.sleep(pause)
        return xml

    def _from_server(self) -> str:
        try:
            return self.from_server()
        except PhoneFault as error:
            if _is_gone(error):
                raise
            logger.warning("%s: no hierarchy by uiautomator2: %s", self.link.serial, error)
        return ""

    def _from_dump(self) -> str:
        try:
            self.server.kill()
            return self.link.exec_out(DUMP, DUMP_S).decode("utf-8", "replace")
        except PhoneFault as error:
            if _is_gone(error):
                raise
            logger.warning("%s: no hierarchy by uiautomator dump: %s", self.link.serial, error)
        return ""


def _is_gone(error: PhoneFault | DeviceOffline) -> bool:
    """Tell a phone that is gone from a server on it that is: the latter says what was sent."""
    return isinstance(error, DeviceLost) and "sent" not in error.details


def _has_nodes(xml: str) -> bool:
    return "<node" in xml
