"""Choose where the live view's frames come from: a video stream where there is one, else pictures.

The video takes seconds to start, so pictures are shown until it has come, and again when it
breaks off; then it is left alone for a while. What is shown now always has a name.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from core.devices import image
from core.devices.base import Size
from core.errors import ConsoleError

logger = logging.getLogger(__name__)

COOL_DOWN_S = 30.0


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame as the phone gave it; ``mark`` is equal for equal frames."""

    raw: image.Raw
    size: Size
    mark: int

    @classmethod
    def of(cls, raw: image.Raw) -> "Shot":
        """Measure a frame.

        Raises:
            CaptureFailed: It is no picture.
        """
        return cls(raw, image.size_of(raw), image.fingerprint(raw))


class Source(Protocol):
    """Something that gives frames, one after the other, to one thread."""

    @property
    def name(self) -> str:
        """Give the short name that a person reads beside the picture."""
        ...

    def next(self, wait_s: float) -> Shot | None:
        """Give the newest frame; None when none came within ``wait_s``.

        Raises:
            PhoneFault: There is none to be had.
        """
        ...

    def close(self) -> None:
        """Let go of the phone; another call does nothing."""
        ...


class Opener(Protocol):
    """A way to start a source that may fail."""

    name: str

    def open(self) -> Source:
        """Start it; takes seconds.

        Raises:
            PhoneFault: It does not start; the detail says why.
        """
        ...


class Filmed(Protocol):
    """What pictures are asked of."""

    serial: str

    def live_frame(self) -> bytes:
        """Take a picture; a call takes as long as the phone needs."""
        ...


class Pictures:
    """Asks the phone for a picture each time."""

    def __init__(self, phone: Filmed) -> None:
        self.phone = phone
        self.name = "u2"

    def next(self, wait_s: float) -> Shot:
        """Take a picture now."""
        raw = self.phone.live_frame()
        self.name = "u2" if raw.startswith(image.JPEG_MARK) else "screencap"
        return Shot.of(raw)

    def close(self) -> None:
        """Do nothing: nothing is kept open."""


class Sources:
    """A source made of two: the better one while it works."""

    def __init__(
        self,
        basic: Source,
        opener: Opener | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.basic = basic
        self.opener = opener
        self._clock = clock
        self._lock = threading.Lock()
        self._better: Source | None = None
        self._round = 0
        self._opening = False
        self._failed_at: float | None = None

    @property
    def name(self) -> str:
        """Give the name of the source in use."""
        return (self._better or self.basic).name

    @property
    def missing(self) -> str:
        """Give the name of the source that should be in use and failed lately; else nothing."""
        failed = self._better is None and self._failed_at is not None
        return self.opener.name if failed and self.opener else ""

    def next(self, wait_s: float) -> Shot | None:
        """Give the newest frame of the best source that works."""
        self._try_better()
        better = self._better
        if better is None:
            return self.basic.next(wait_s)
        try:
            return better.next(wait_s)
        except ConsoleError as error:
            logger.warning("%s broke off, showing pictures instead: %s", better.name, error)
            self._give_up(self._round)
            return self.basic.next(wait_s)

    def close(self) -> None:
        """Let go of the phone; the next frame starts anew."""
        with self._lock:
            self._round += 1
            better, self._better = self._better, None
            self._opening = False
        if better is not None:
            better.close()

    def _try_better(self) -> None:
        with self._lock:
            if self.opener is None or self._better is not None or self._opening:
                return
            if self._failed_at is not None and self._clock() - self._failed_at < COOL_DOWN_S:
                return
            self._opening = True
            args = (self.opener, self._round)
        threading.Thread(target=self._open, args=args, name="live source", daemon=True).start()

    def _open(self, opener: Opener, round_: int) -> None:
        try:
            opened = opener.open()
        except ConsoleError as error:
            logger.warning("%s did not start, showing pictures instead: %s", opener.name, error)
            self._give_up(round_)
            return
        with self._lock:
            wanted = self._round == round_
            if wanted:
                self._better, self._opening, self._failed_at = opened, False, None
        if not wanted:
            opened.close()  # everybody had left meanwhile

    def _give_up(self, round_: int) -> None:
        with self._lock:
            if self._round != round_:
                return
            better, self._better = self._better, None
            self._opening, self._failed_at = False, self._clock()
        if better is not None:
            better.close()
