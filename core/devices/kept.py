"""Change a setting of the phone for a while, and put the user's value back.

What the user had is written to a file on the phone before the change, so it can be put back by
whoever starts next when we die in between.
"""

import logging
import re
from dataclasses import dataclass

from core.devices.adb import Link

logger = logging.getLogger(__name__)

SHELL_S = 10.0
FOLDER = "/data/local/tmp"
_VALUE = re.compile(r"[\w./:;+$-]{1,200}")


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of Android's settings provider."""

    namespace: str
    key: str

    @property
    def file(self) -> str:
        """Name the file on the phone that holds the user's value."""
        return f"{FOLDER}/phonedeck.{self.key}"


KEYBOARD = Setting("secure", "default_input_method")
STAY_ON = Setting("global", "stay_on_while_plugged_in")
SCREEN_TIMEOUT = Setting("system", "screen_off_timeout")
ALL = (KEYBOARD, STAY_ON, SCREEN_TIMEOUT)


class Kept:
    """The user's values on one phone."""

    def __init__(self, link: Link) -> None:
        self.link = link

    def change(self, setting: Setting, value: str) -> None:
        """Set a value; the user's is kept unless one is kept already."""
        if not self.kept(setting):
            self._shell(f"echo {self._get(setting)} > {setting.file}")
        self._put(setting, value)

    def restore(self, *settings: Setting) -> None:
        """Put the user's values back, of all settings when none are named."""
        for setting in settings or ALL:
            value = self.kept(setting)
            if value:
                self._put(setting, value)
                self._shell(f"rm -f {setting.file}")
                logger.info("%s: %s is the user's again", self.link.serial, setting.key)

    def restore_after_crash(self) -> None:
        """Put back whatever a process that died left changed; one call when nothing was."""
        files = " ".join(setting.file for setting in ALL)
        if "phonedeck." in self._shell(f"ls {files} 2>/dev/null"):
            self.restore()

    def kept(self, setting: Setting) -> str:
        """Give the user's value that waits to be put back, empty when none does."""
        said = self._shell(f"cat {setting.file} 2>/dev/null").strip()
        return said if _VALUE.fullmatch(said) else ""

    def _get(self, setting: Setting) -> str:
        said = self._shell(f"settings get {setting.namespace} {setting.key}").strip()
        return said if _VALUE.fullmatch(said) else "null"

    def _put(self, setting: Setting, value: str) -> None:
        if value == "null":
            self._shell(f"settings delete {setting.namespace} {setting.key}")
        elif setting == KEYBOARD:
            self._shell(f"ime set {value}")
        else:
            self._shell(f"settings put {setting.namespace} {setting.key} {value}")

    def _shell(self, command: str) -> str:
        return self.link.shell(command, SHELL_S)
