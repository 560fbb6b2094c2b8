"""Open the lock of a phone, by swipe or by its PIN, and keep the screen on.

A PIN that the phone refused is not tried again until another is kept: phones lock their owner
out after a few wrong ones. It is pressed key by key, so that it stands in no command line.
"""

import logging
import time
from collections.abc import Callable
from typing import Protocol

from core.devices import dumpsys
from core.devices.adb import Link
from core.devices.base import KEYS, Point, Size
from core.devices.kept import SCREEN_TIMEOUT, STAY_ON, Kept
from core.errors import PhoneLocked

logger = logging.getLogger(__name__)

SHELL_S = 10.0
OPENS_S = 2.0
POLL_S = 0.2
SWIPE_MS = 200
DIGIT_0 = 7  # Android's code of the key 0
EVERY_PLUG = "15"  # AC, USB, wireless and dock
LONG_MS = "1800000"

Pin = Callable[[], str | None]


class Hands(Protocol):
    """What opening a lock needs of a phone."""

    def size(self) -> Size:
        """Give the screen's size."""
        ...

    def press_code(self, code: int) -> None:
        """Press a key by Android's number."""
        ...

    def swipe(self, start: Point, end: Point, ms: int = 300) -> None:
        """Move a finger."""
        ...


class Keyguard:
    """The lock of one phone."""

    def __init__(self, link: Link, hands: Hands, pin: Pin) -> None:
        self.link = link
        self.hands = hands
        self.pin = pin
        self._refused: str | None = None

    def is_locked(self) -> bool:
        """Say whether the keyguard shows."""
        return dumpsys.locked(self.link.shell(dumpsys.POLICY, SHELL_S))

    def open(self) -> None:
        """Wake the screen and open the lock; nothing is touched when there is none.

        Raises:
            PhoneLocked: It needs a PIN that is not known, or did not take it.
        """
        self.hands.press_code(KEYS["wake"])
        if not self.is_locked():
            return
        self._swipe_up()
        if self._opens():
            return
        pin = self.pin()
        if not pin:
            raise self._locked("It asks for a PIN, and none is kept for it.")
        if pin == self._refused:
            raise self._locked("The PIN that is kept for it was refused before.")
        for digit in pin:
            self.hands.press_code(DIGIT_0 + int(digit))
        self.hands.press_code(KEYS["enter"])
        if not self._opens():
            self._refused = pin
            raise self._locked("It refused the PIN that is kept for it.")
        logger.info("%s: unlocked with its PIN", self.link.serial)

    def _swipe_up(self) -> None:
        size = self.hands.size()
        x, low, high = size.width // 2, size.height * 85 // 100, size.height * 20 // 100
        self.hands.swipe((x, low), (x, high), SWIPE_MS)

    def _opens(self) -> bool:
        deadline = time.monotonic() + OPENS_S
        while self.is_locked():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _locked(self, detail: str) -> PhoneLocked:
        return PhoneLocked(serial=self.link.serial, detail=detail)


def keep_screen(kept: Kept, on: bool) -> None:
    """Keep the screen from going off by itself; off gives the user's settings back."""
    if on:
        kept.change(STAY_ON, EVERY_PLUG)
        kept.change(SCREEN_TIMEOUT, LONG_MS)  # for phones on Wi-Fi, which hang on no plug
    else:
        kept.restore(STAY_ON, SCREEN_TIMEOUT)
