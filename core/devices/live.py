"""Show a phone's screen to many viewers for the price of one.

One thread a phone takes frames, as long as anybody looks; each size that somebody wants is made
once, and the same bytes go to all. A frame that did not change is not made again. A capture
that failed, or shows nothing but black, becomes a drawn notice with its words, so that a viewer
never takes a black picture for the phone's.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from core.devices import image, scrcpy_source
from core.devices.adb import Link
from core.devices.base import Observation, Size
from core.devices.frames import DEFAULT_FPS, Frame, Kind, Rate, View
from core.devices.image import LIVE_LONGEST, LIVE_QUALITY, THUMB_LONGEST
from core.devices.sources import Pictures, Shot, Sources
from core.errors import ConsoleError, PhoneFault, PhoneLocked, ScreenBlack, ScreenOff, ScreenSecure
from core.screen import screen
from core.screen.state import PictureFacts
from core.words import LANGS

logger = logging.getLogger(__name__)

STILL_S = 2.0
FAILED_S = 1.0
WAIT_S = 0.5
AGAIN_S = 5.0  # a black picture looks the same whatever the reason, which may change
TURN_S = 5.0  # a phone turned upside down has the same size, so it is asked now and then
NOTICE_SIZE = Size(540, 1200)

#: What is told of a black picture, by the state of its screen.
BLACK: dict[str, type[PhoneFault]] = {
    "secure": ScreenSecure,
    "off": ScreenOff,
    "locked": PhoneLocked,
}

Wake = Callable[[], None]


class Shown(Protocol):
    """What the live view asks of a phone."""

    serial: str

    def live_frame(self) -> bytes:
        """Take a picture, after anything else that is wanted of the phone."""
        ...

    def turned(self) -> tuple[Size, int]:
        """Give the screen's size and rotation as it is turned now."""
        ...

    def observe(self) -> Observation:
        """Read the hierarchy, to find out why a picture is black."""
        ...


class Live:
    """The live view of one phone."""

    def __init__(self, phone: Shown, sources: Sources | None = None) -> None:
        self.phone = phone
        self.sources = sources or _sources(phone)
        self.encodes = 0
        self._rate = Rate()
        self._changed = threading.Condition()
        self._viewers: dict[Wake, View] = {}
        self._thread: threading.Thread | None = None
        self._frame: Frame | None = None
        self._shot: Shot | None = None
        self._seen: int | None = None
        self._judged = 0.0
        self._turned = (Size(0, 0), 0)
        self._turned_for: tuple[Size, float] | None = None
        self._closed = False

    @property
    def fps(self) -> float:
        """Give the frames that were taken a second lately, shown or not."""
        return self._rate.a_second

    @property
    def source(self) -> str:
        """Name where the frames come from."""
        return self.sources.name

    @property
    def missing(self) -> str:
        """Name the better source that failed lately; empty when there is none."""
        return self.sources.missing

    @property
    def frame(self) -> Frame | None:
        """Give the newest frame."""
        return self._frame

    def turned(self) -> tuple[Size, int]:
        """Give the screen's size and rotation, of the newest frame if anybody looks."""
        frame = self._frame
        return (frame.screen, frame.rotation) if frame and not frame.error else self.phone.turned()

    @property
    def is_closed(self) -> bool:
        """Say whether the view has ended for good."""
        return self._closed

    def watch(self, wake: Wake, wanted: View | None = None) -> None:
        """Begin to look; ``wake`` is called, from another thread, at each new frame."""
        with self._changed:
            self._viewers[wake] = wanted or View()
            self._changed.notify_all()
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
                    self._frame, self._shot, self._seen = None, None, None
                    break
        self.sources.close()

    def _nobody_looks(self) -> bool:
        return self._closed or not self._viewers

    def _pause(self, began: float, *, failed: bool) -> float:
        wanted = max((each.fps for each in self._viewers.values()), default=DEFAULT_FPS)
        return (FAILED_S if failed else 1 / wanted) - (time.monotonic() - began)

    def _take(self) -> bool:
        """Take a frame and show it if it is new; True when there was none."""
        try:
            shot = self.sources.next(WAIT_S)
            if shot is not None:
                self._rate.count()
                self._shot = shot
            if self._shot is not None:
                self._show(self._shot)
        except ConsoleError as error:
            self._fail(error, hash(str(error)))
            self._turned_for = None  # it may be turned while it cannot be seen
            return True
        return False

    def _show(self, shot: Shot) -> None:
        sizes = self._sizes()
        if self._is_shown(shot, sizes):
            return
        if image.is_black(shot.raw):
            self._look_how_it_is_turned(shot.size)
            self._fail(why_black(self.phone), shot.mark)
            return
        made = image.pictures(shot.raw, sizes, LIVE_QUALITY)
        self.encodes += len(made)
        self._look_how_it_is_turned(shot.size)
        keyed: dict[Kind, bytes] = {
            (size, None): each.jpeg for size, each in zip(sizes, made, strict=True)
        }
        self._publish(keyed, shot.mark, None)

    def _is_shown(self, shot: Shot, sizes: list[int]) -> bool:
        frame = self._frame
        if frame is None or shot.mark != self._seen:
            return False
        if frame.error:
            return time.monotonic() - self._judged < AGAIN_S
        return all((size, None) in frame.pictures for size in sizes)

    def _fail(self, error: ConsoleError, mark: int) -> None:
        self._judged = time.monotonic()
        shown = self._frame.error if self._frame else None
        if mark == self._seen and shown and shown.code == error.code:
            return
        logger.warning("%s: live view has no picture: %s", self.phone.serial, error)
        known = self._turned[0]
        wide = known.width > known.height
        size = Size(NOTICE_SIZE.height, NOTICE_SIZE.width) if wide else NOTICE_SIZE
        drawn = {lang: image.notice(size, error, lang) for lang in (None, *LANGS)}
        both = (LIVE_LONGEST, THUMB_LONGEST)
        keyed = {(each, lang): jpeg for lang, jpeg in drawn.items() for each in both}
        self._publish(keyed, mark, error)

    def _publish(
        self,
        pictures: Mapping[Kind, bytes],
        mark: int,
        error: ConsoleError | None,
    ) -> None:
        screen_size, rotation = self._turned
        with self._changed:
            number = self._frame.number + 1 if self._frame else 1
            self._frame = Frame(number, pictures, screen_size, rotation, self.source, error)
            self._seen = mark
            viewers = list(self._viewers)
        for wake in viewers:
            wake()

    def _sizes(self) -> list[int]:
        with self._changed:
            return sorted({each.longest for each in self._viewers.values()}) or [LIVE_LONGEST]

    def _look_how_it_is_turned(self, size: Size) -> None:
        """Ask the phone when the picture's size changed, and now and then."""
        now = time.monotonic()
        known = self._turned_for
        if known and known[0] == size and now - known[1] < TURN_S:
            return
        asked, rotation = self.phone.turned()
        # it may have been turned between the picture and the question: the picture is right
        if (asked.width > asked.height) != (size.width > size.height):
            asked = Size(asked.height, asked.width)
            now -= TURN_S
        self._turned, self._turned_for = (asked, rotation), (size, now)


def why_black(phone: Shown) -> ConsoleError:
    """Find out why a picture is black: the phone is asked for the rest of its screen."""
    try:
        judged = screen.read(phone.observe(), phone.serial, PictureFacts(is_black=True)).state
    except ConsoleError as error:
        logger.info("%s: why its picture is black is not known: %s", phone.serial, error)
        return ScreenBlack(serial=phone.serial)
    return BLACK.get(judged, ScreenBlack)(serial=phone.serial)


def _sources(phone: Shown) -> Sources:
    link = getattr(phone, "link", None)
    return Sources(Pictures(phone), scrcpy_source.opener(link) if isinstance(link, Link) else None)
