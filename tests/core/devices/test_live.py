"""Many viewers cost what one costs, and nobody takes a notice for the phone's own picture."""

import io
import threading
from collections.abc import Iterator

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.base import AppInfo, Observation, Size
from core.devices.frames import Frame, View, view
from core.devices.image import LIVE_LONGEST, THUMB_LONGEST
from core.devices.live import Live
from core.errors import CaptureFailed, ConsoleError
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

TREE = (
    '<hierarchy rotation="0"><node package="com.bank" class="android.widget.TextView" '
    'text="{text}" bounds="[0,0][1080,200]" visible-to-user="true" enabled="true" /></hierarchy>'
)


class Easel:
    """A phone whose picture is whatever was put there; each frame is taken when allowed."""

    serial = "s1"

    def __init__(self) -> None:
        self.size = Size(1080, 2400)
        self.rotation = 0
        self.screen_on = True
        self.text = "Balance"
        self.tree = TREE
        self.picture: bytes | ConsoleError = painted("white")
        self.taken = 0

    def live_frame(self) -> bytes:
        self.taken += 1
        if isinstance(self.picture, ConsoleError):
            raise self.picture
        return self.picture

    def turned(self) -> tuple[Size, int]:
        return self.size, self.rotation

    def observe(self) -> Observation:
        xml = self.tree.format(text=self.text)
        app = AppInfo("com.bank", ".Main")
        return Observation(xml, app, self.size, 0, False, "", self.screen_on)


class Viewer:
    """Someone who looks, and waits for what they want to see."""

    def __init__(self, live: Live, wanted: View | None = None) -> None:
        self.live = live
        self.wanted = wanted or view(15)
        self.woken = threading.Semaphore(0)
        live.watch(self.wake, self.wanted)

    def wake(self) -> None:
        self.woken.release()

    def frame(self, number: int = 1) -> Frame:
        """Wait for the frame of that number or a later one."""
        while True:
            frame = self.live.frame
            if frame is not None and frame.number >= number:
                return frame
            assert self.woken.acquire(timeout=5), "no frame came"

    def leave(self) -> None:
        self.live.leave(self.wake)


def painted(color: str, size: tuple[int, int] = (1080, 2400)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, "JPEG")
    return out.getvalue()


def opened(jpeg: bytes) -> Image.Image:
    return Image.open(io.BytesIO(jpeg))


@pytest.fixture
def easel() -> Easel:
    return Easel()


@pytest.fixture
def live(easel: Easel) -> Iterator[Live]:
    made = Live(easel)
    yield made
    made.close()
    wait_for(lambda: made._thread is None, "the end of the live view", 5)


@pytest.mark.parametrize("viewers", [1, 20])
def test_each_changed_frame_is_encoded_once_however_many_look(
    live: Live, easel: Easel, viewers: int
) -> None:
    crowd = [Viewer(live) for _ in range(viewers)]
    crowd[0].frame(1)
    for number, color in enumerate(["red", "green", "blue"], start=2):
        easel.picture = painted(color)
        shown = [each.frame(number) for each in crowd]
        assert len({id(each.jpeg(crowd[0].wanted)) for each in shown}) == 1

    assert live.encodes == 4
    assert live.frame is not None
    assert live.frame.number == 4


def test_a_still_screen_is_looked_at_but_not_encoded_again(live: Live, easel: Easel) -> None:
    viewer = Viewer(live)
    viewer.frame()

    seen = easel.taken
    wait_for(lambda: easel.taken >= seen + 3, "more looks", 5)

    assert live.encodes == 1
    assert live.fps > 0


def test_a_small_picture_is_made_only_while_somebody_wants_it(live: Live, easel: Easel) -> None:
    Viewer(live).frame()
    before = live.encodes

    small = Viewer(live, view(15, longest=300))
    wait_for(lambda: (THUMB_LONGEST, None) in small.frame().pictures, "the small picture", 5)
    frame = small.frame()

    assert before == 1
    assert max(opened(frame.jpeg(small.wanted)).size) <= THUMB_LONGEST
    assert THUMB_LONGEST < max(opened(frame.jpeg(View())).size) <= LIVE_LONGEST


def test_a_turned_phone_gives_a_turned_picture_with_its_size_and_rotation(
    live: Live, easel: Easel
) -> None:
    viewer = Viewer(live)
    upright = viewer.frame()

    easel.size, easel.rotation = Size(2400, 1080), 1
    easel.picture = painted("white", (2400, 1080))
    lying = viewer.frame(2)

    assert (upright.screen, upright.rotation) == (Size(1080, 2400), 0)
    assert (lying.screen, lying.rotation) == (Size(2400, 1080), 1)
    assert opened(lying.jpeg(viewer.wanted)).size == (1200, 540)


def test_the_screen_has_the_pictures_sides_when_the_phone_turns_in_between(
    live: Live, easel: Easel
) -> None:
    easel.size = Size(2400, 1080)

    frame = Viewer(live).frame()

    assert frame.screen == Size(1080, 2400)


@pytest.mark.parametrize(
    ("text", "screen_on", "code"),
    [
        ("Balance", True, "screen_secure"),
        ("", True, "screen_black"),
        ("Balance", False, "screen_off"),
    ],
)
def test_a_black_picture_is_shown_as_a_notice_that_says_why(
    live: Live, easel: Easel, text: str, screen_on: bool, code: str
) -> None:
    easel.picture, easel.text, easel.screen_on = painted("black"), text, screen_on

    viewer = Viewer(live)
    frame = viewer.frame()

    assert frame.error is not None
    assert frame.error.code == code
    assert np.median(simplejpeg.decode_jpeg(frame.jpeg(viewer.wanted))) > 200


def test_a_black_picture_without_a_tree_is_still_a_notice(live: Live, easel: Easel) -> None:
    easel.picture, easel.tree = painted("black"), "ERROR: null root node"

    frame = Viewer(live).frame()

    assert frame.error is not None
    assert frame.error.code == "screen_black"


def test_the_notice_changes_when_the_reason_does(
    live: Live, easel: Easel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.devices.live.AGAIN_S", 0.1)
    easel.picture, easel.screen_on = painted("black"), False
    viewer = Viewer(live)
    dark = viewer.frame()

    easel.screen_on = True
    secure = viewer.frame(2)

    assert [each.error.code for each in (dark, secure) if each.error] == [
        "screen_off",
        "screen_secure",
    ]


def test_a_notice_is_in_each_viewers_language_and_goes_when_there_is_a_picture(
    live: Live, easel: Easel
) -> None:
    easel.picture = CaptureFailed(serial="s1", detail="")
    viewer = Viewer(live)
    failed = viewer.frame()

    easel.picture = painted("white")
    good = viewer.frame(2)

    words = {lang: failed.jpeg(view(lang=lang)) for lang in ("zh", "en", None)}
    assert len(set(words.values())) == 3
    assert good.error is None
    assert good.jpeg(view(lang="zh")) == good.jpeg(view(lang="en"))


def test_the_phone_is_left_in_peace_when_the_last_viewer_has_gone(live: Live, easel: Easel) -> None:
    first, second = Viewer(live), Viewer(live)
    first.frame()

    first.leave()
    second.leave()
    wait_for(lambda: live._thread is None, "the end of the live view", 5)

    assert live.frame is None


def test_a_real_phone_is_shown_turned_and_protected(phone: PhoneHandle) -> None:
    android = AndroidPhone(Adb().link(phone.address))
    android.start()
    live = Live(android)
    viewer = Viewer(live)

    first = viewer.frame()
    phone.set("system.rotation", 1)
    wait_for(lambda: viewer.frame().screen == Size(2400, 1080), "a turned picture", 10)
    turned = viewer.frame()
    phone.fault("secure")
    wait_for(lambda: viewer.frame().error is not None, "the notice", 10)
    secret = viewer.frame()
    live.close()
    wait_for(lambda: live._thread is None, "the end of the live view", 5)
    android.close()

    assert (first.source, first.rotation, turned.rotation) == ("u2", 0, 1)
    assert opened(turned.jpeg(View())).size == (1200, 540)
    assert secret.error is not None
    assert secret.error.code == "screen_secure"
