"""What a picture costs: for a model, for a viewer, and when nothing changed.

Ours starts from the pixels as a phone gives them; it is held against the usual way, a PNG from
the phone, resized with LANCZOS. Both make a JPEG of at most 1280 pixels of the same screens:
drawn ones, and one full of photographs, on which PNG is at its worst.
"""

import asyncio
import importlib.util
import io
import struct
import time
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image

from bench.figure import Figure, median_of
from core.devices import image, video
from core.devices.base import Picture
from core.devices.image import LIVE_LONGEST, LIVE_QUALITY, MODEL_LONGEST
from core.devices.sources import Shot
from virtual_phone.android import Phone
from virtual_phone.profile import Profile

ROUNDS = 9
GOAL = 0.2
GOAL_UNCHANGED = 0.2
#: Little is saved, for both are cheap; it must not cost more.
GOAL_FILM = 1.1
APPS = ("com.android.settings", "com.example.shop")


def figures() -> Iterator[Figure]:
    """Measure processor time a frame."""
    screens = list(_screens())
    raws = [raw for raw, _ in screens]
    jpegs = [image.picture(raw).jpeg for raw in raws]
    usual = _cost(lambda: [_usual(png) for _, png in screens], len(screens))
    for name, frames in (("raw", raws), ("jpeg", jpegs)):
        ours = _cost(lambda f=frames: [image.picture(r, MODEL_LONGEST) for r in f], len(frames))  # type: ignore[misc]
        yield Figure(f"picture.model_from_{name}", ours, "ms", usual, GOAL)
    changed = _cost(lambda: [_changed(raw) for raw in raws], len(raws))
    unchanged = _cost(lambda: [Shot.of(raw) for raw in raws], len(raws))
    yield Figure("picture.unchanged", unchanged, "ms", changed, GOAL_UNCHANGED)
    both = _cost(lambda: [image.pictures(raw, [1280, 480]) for raw in raws], len(raws))
    apart = _cost(lambda: [image.picture(r, n) for r in raws for n in (1280, 480)], len(raws))
    yield Figure("picture.two_sizes", both, "ms", apart, 1.0)
    if importlib.util.find_spec("av") is not None:
        yield _filmed()


def _filmed() -> Figure:
    """Measure a decoded video frame: its planes as a JPEG, against the way over RGB."""
    import av

    picture = photographs(576, 1280, 7)
    frame = av.VideoFrame.from_ndarray(np.asarray(picture), "rgb24").reformat(format="yuv420p")

    def from_planes() -> Picture:
        return image.picture(video.planes(frame), LIVE_LONGEST, LIVE_QUALITY)

    def over_rgb() -> bytes:
        out = io.BytesIO()
        Image.fromarray(frame.to_ndarray(format="rgb24")).save(out, "JPEG", quality=LIVE_QUALITY)
        return out.getvalue()

    def ten(way: Callable[[], object]) -> float:
        return _cost(lambda: [way() for _ in range(10)], 10)

    return Figure("picture.film_frame", ten(from_planes), "ms", ten(over_rgb), GOAL_FILM)


def _screens() -> Iterator[tuple[bytes, bytes]]:
    """Give screens as raw pixels and as PNG."""
    phone = Phone(Profile())
    for package in APPS:
        app = phone.app(package)
        assert app is not None, package
        phone.start(app)
        yield asyncio.run(phone.camera.raw()), asyncio.run(phone.camera.png())
    photos = photographs(*phone.size, 7)
    out = io.BytesIO()
    photos.save(out, "PNG", compress_level=1)
    yield as_raw(photos), out.getvalue()


def as_raw(picture: Image.Image) -> bytes:
    """Give a picture as ``screencap`` without ``-p`` would."""
    return struct.pack("<4I", *picture.size, 1, 1) + picture.convert("RGBA").tobytes()


def photographs(width: int, height: int, seed: int) -> Image.Image:
    """Make what a camera gives: soft shapes under noise."""
    chance = np.random.default_rng(seed)
    soft = Image.fromarray(chance.integers(0, 255, (24, 12, 3), np.uint8))
    pixels = np.asarray(soft.resize((width, height), Image.Resampling.BICUBIC), np.int16)
    noise = chance.integers(-8, 9, pixels.shape, np.int16)
    return Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8))


def _usual(png: bytes) -> bytes:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.thumbnail((MODEL_LONGEST, MODEL_LONGEST), Image.Resampling.LANCZOS, reducing_gap=None)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=image.QUALITY)
    return out.getvalue()


def _changed(raw: bytes) -> bytes:
    shot = Shot.of(raw)
    image.is_black(shot.raw)
    return image.picture(shot.raw, LIVE_LONGEST, LIVE_QUALITY).jpeg


def _cost(work: Callable[[], object], frames: int) -> float:
    """Return the processor time a frame, in milliseconds."""

    def once() -> float:
        begun = time.process_time()
        work()
        return (time.process_time() - begun) / frames * 1000

    once()
    return median_of(ROUNDS, once)
