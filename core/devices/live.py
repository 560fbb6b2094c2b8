"""Show a phone's screen to many viewers for the price of one.

One thread a phone takes frames, as long as anybody looks; the same bytes go to all. A frame that
did not change is not sent again, except as a sign of life. A capture that failed becomes a drawn
notice with its words, so that a viewer never takes a black picture for the phone's.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.devices import image
from core.devices.android import AndroidPhone
from core.devices.base import Size
from core.errors import ConsoleError

logger = logging.getLogger(__name__)

LIVE_LONGEST = 1280
DEFAULT_FPS = 10
MAX_FPS = 15
STILL_S = 2.0
FAILED_S = 1.0
RATE_WINDOW_S = 5.0
NOTICE_SIZE = Size(360, 800)

Wake = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture for viewers; ``number`` grows by one at each frame that is to be shown."""

    number: int
    jpeg: bytes
    error: ConsoleError | None = None


class Live:
    """The live view of one phone."""

    def __init__(self, phone: AndroidPhone) -> None:
        self.phone = phone
        self._changed = threading.Condition()
        self._viewers: dict[Wake, int] = {}
        self._thread: threading.Thread | None = None
        self._frame: Frame | None = None
        self._seen: int | None = None
        self._times: list[float] = []
        self._closed = False

    @property
    def fps(self) -> float:
        """Give the frames that were taken a second lately, shown or not."""
        cut = time.monotonic() - RATE_WINDOW_S
        return round(sum(1 for at in list(self._times) if at >= cut) / RATE_WINDOW_S, 1)

    @property
    def frame(self) -> Frame | None:
        """Give the newest frame."""
        return self._frame

    @property
    def is_closed(self) -> bool:
        """Say whether the view has ended for good."""
        return self._closed

    def watch(self, wake: Wake, fps: int = DEFAULT_FPS) -> None:
        """Begin to look; ``wake`` is called, from another thread, at each new frame."""
        with self._changed:
            self._viewers[wake] = max(1, min(fps, MAX_FPS))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._produce, name=f"live {self.phone.serial}", daemon=True
                )
                self._thread.start()
        if self._frame is not None:
            wake()

    def leave(self, wake: Wake) -> None:
        """Look no more; when nobody does, the phone is left in peace."""
        with self._changed:
            self._viewers.pop(wake, None)
            self._changed.notify_all()

    def close(self) -> None:
        """Stop, whoever looks."""
        with self._changed:
            self._closed = True
            viewers = list(self._viewers)
            self._changed.notify_all()
        for wake in viewers:
            wake()

    def _produce(self) -> None:
        while True:
            began = time.monotonic()
            failed = self._take()
            with self._changed:
                pause = self._pause(began, failed=failed)
                if pause > 0:
                    self._changed.wait_for(self._nobody_looks, pause)
                if self._nobody_looks():
                    self._thread = None
                    self._frame, self._seen = None, None
                    return

    def _nobody_looks(self) -> bool:
        return self._closed or not self._viewers

    def _pause(self, began: float, *, failed: bool) -> float:
        wanted = max(self._viewers.values(), default=DEFAULT_FPS)
        return (FAILED_S if failed else 1 / wanted) - (time.monotonic() - began)

    def _take(self) -> bool:
        """Take a frame and show it if it is new; True when there was none."""
        try:
            raw = self.phone.live_frame()
            mark = image.fingerprint(raw)
            if mark != self._seen:
                self._show(image.picture(raw, LIVE_LONGEST, image.LIVE_QUALITY).jpeg, mark)
        except ConsoleError as error:
            self._fail(error)
            return True
        self._times = [*self._times[-MAX_FPS * int(RATE_WINDOW_S) :], time.monotonic()]
        return False

    def _fail(self, error: ConsoleError) -> None:
        mark = hash(str(error))
        if mark != self._seen:
            logger.warning("%s: live view has no picture: %s", self.phone.serial, error)
            self._show(image.notice(NOTICE_SIZE, error), mark, error)

    def _show(self, jpeg: bytes, mark: int, error: ConsoleError | None = None) -> None:
        with self._changed:
            number = self._frame.number + 1 if self._frame else 1
            self._frame, self._seen = Frame(number, jpeg, error), mark
            viewers = list(self._viewers)
        for wake in viewers:
            wake()
