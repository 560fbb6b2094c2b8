"""What viewers of a live view ask for, and what they are given."""

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from core.devices.base import Size
from core.devices.image import LIVE_LONGEST, THUMB_LONGEST
from core.errors import ConsoleError
from core.words import Lang

DEFAULT_FPS = 10
MAX_FPS = 15
RATE_WINDOW_S = 5.0

#: The longest side of a picture, and the language of the words in it, if any.
Kind = tuple[int, Lang | None]


@dataclass(frozen=True, slots=True)
class View:
    """What a viewer wants; see `view`."""

    fps: int = DEFAULT_FPS
    longest: int = LIVE_LONGEST
    lang: Lang | None = None


def view(fps: int | None = None, longest: int | None = None, lang: Lang | None = None) -> View:
    """Make the view nearest to what is asked; there are two sizes, so that viewers share."""
    wanted = max(1, min(fps or DEFAULT_FPS, MAX_FPS))
    size = THUMB_LONGEST if longest and longest <= THUMB_LONGEST else LIVE_LONGEST
    return View(wanted, size, lang)


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture for viewers; ``number`` grows by one at each frame that is to be shown.

    ``screen`` and ``rotation`` are the phone's when the frame was taken, so a touch on the frame
    means a point of that screen. ``error`` says why the picture is a notice.
    """

    number: int
    pictures: Mapping[Kind, bytes]
    screen: Size
    rotation: int
    source: str
    error: ConsoleError | None = None

    def jpeg(self, wanted: View) -> bytes:
        """Give the picture that a viewer wants, or the nearest there is yet."""
        for key in ((wanted.longest, wanted.lang), (wanted.longest, None)):
            if key in self.pictures:
                return self.pictures[key]
        return next(iter(self.pictures.values()))


class Rate:
    """How many frames came a second lately."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=MAX_FPS * int(RATE_WINDOW_S))

    def count(self) -> None:
        """Note that one came."""
        self._times.append(time.monotonic())

    @property
    def a_second(self) -> float:
        """Give the rate, also when frames came for less than the window."""
        now = time.monotonic()
        recent = [at for at in list(self._times) if now - at <= RATE_WINDOW_S]
        if not recent:
            return 0.0
        return round(len(recent) / max(1.0, min(RATE_WINDOW_S, now - recent[0])), 1)
