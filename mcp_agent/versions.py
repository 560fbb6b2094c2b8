"""Which version of an app is on a phone, as far as the phone tells in time."""

import logging

from core.devices.remote import RemotePhones
from core.errors import ConsoleError
from core.setup import Instance

logger = logging.getLogger(__name__)

ANSWER_S = 3.0


class Versions:
    """The versions on one phone, each asked for once; without an answer a version is empty."""

    def __init__(self, instance: Instance, serial: str | None) -> None:
        self._phones = RemotePhones(
            instance.config.phonedeck_mcp_port, instance.loopback_secret, ANSWER_S
        )
        self._serial = serial
        self._known: dict[str, str] = {}

    def of(self, package: str) -> str:
        """Say which version is installed; empty when nobody knows."""
        if not package or self._serial is None:
            return ""
        if package not in self._known:
            self._known[package] = self._asked(self._serial, package)
        return self._known[package]

    def drift(self, package: str, before: str) -> str:
        """Say the version that is there now, if it is another than it was."""
        now = self.of(package) if before else ""
        return now if now != before else ""

    def _asked(self, serial: str, package: str) -> str:
        try:
            return self._phones.app_version(serial, package)
        except ConsoleError as error:
            logger.info("%s: the version of %s is not known: %s", serial, package, error)
            return ""
