"""Pictures become small JPEGs, and what is none is never shown as one."""

import io
import struct

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from core.devices import image
from core.devices.base import Size
from core.devices.image import Planes
from core.errors import CaptureFailed

WARNING = b"[Warning] Multiple displays were found, but no display id was specified!\n"


def gradient() -> Image.Image:
    return Image.linear_gradient("L").resize((1080, 2400)).convert("RGB")


def encoded(picture: Image.Image, kind: str) -> bytes:
    if kind == "raw":
        size = struct.pack("<4I", picture.width, picture.height, 1, 1)
        return size + picture.convert("RGBA").tobytes()
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


def screen(kind: str) -> bytes:
    return encoded(gradient(), kind)


def planes(picture: Image.Image) -> Planes:
    y, cb, cr = picture.convert("YCbCr").split()
    return Planes(np.asarray(y), *(np.asarray(c.reduce(2)) for c in (cb, cr)))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "raw"])
@pytest.mark.parametrize(
    ("longest", "size"),
    [(None, (1080, 2400)), (2400, (1080, 2400)), (1280, (540, 1200)), (800, (360, 800))],
)
def test_a_picture_is_reduced_by_a_whole_factor(
    kind: str, longest: int | None, size: tuple[int, int]
) -> None:
    made = image.picture(screen(kind), longest)

    opened = Image.open(io.BytesIO(made.jpeg))
    assert (opened.format, opened.size) == ("JPEG", size)
    assert made.size == Size(*size)


def test_a_jpeg_that_is_small_enough_is_passed_on_untouched() -> None:
    raw = screen("JPEG")

    assert image.picture(raw).jpeg is raw


def test_a_warning_before_the_png_is_skipped() -> None:
    raw = WARNING + screen("PNG")

    assert image.picture(raw).size == Size(1080, 2400)


def test_warnings_before_raw_pixels_are_skipped_and_the_colours_kept() -> None:
    raw = WARNING * 2 + encoded(Image.new("RGB", (1080, 2400), (200, 40, 90)), "raw")

    made = image.picture(raw, 1280)

    assert made.size == Size(540, 1200)
    assert simplejpeg.decode_jpeg(made.jpeg)[600, 270].tolist() == pytest.approx(
        [200, 40, 90], abs=4
    )


def test_the_head_of_old_androids_is_shorter() -> None:
    raw = encoded(gradient(), "raw")

    assert image.picture(raw[:12] + raw[16:]).size == Size(1080, 2400)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "raw"])
def test_one_frame_gives_every_size_in_the_order_asked(kind: str) -> None:
    made = image.pictures(screen(kind), [480, None, 1280, 480])

    sizes = [picture.size for picture in made]
    assert sizes == [Size(180, 400), Size(1080, 2400), Size(540, 1200), Size(180, 400)]


@pytest.mark.parametrize("size", [(1080, 2400), (719, 1279), (464, 1024)])
@pytest.mark.parametrize("longest", [None, 480])
def test_a_video_frame_becomes_a_jpeg_from_its_planes(
    size: tuple[int, int], longest: int | None
) -> None:
    raw = planes(Image.new("RGB", size, (30, 160, 70)))

    made = image.picture(raw, longest)

    assert max(made.size.width, made.size.height) <= (longest or 2400)
    assert simplejpeg.decode_jpeg(made.jpeg)[50, 50].tolist() == pytest.approx([30, 160, 70], abs=6)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "raw", "planes"])
def test_a_protected_screen_is_black_though_its_bars_are_lit(kind: str) -> None:
    black = Image.new("RGB", (1080, 2400))
    black.paste("white", (0, 0, 1080, 80))

    assert image.is_black(planes(black) if kind == "planes" else encoded(black, kind))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "raw", "planes"])
def test_a_dark_page_with_a_few_words_is_not_black(kind: str) -> None:
    page = Image.new("RGB", (1080, 2400))
    for x in range(300, 780, 40):
        page.paste("#b0b0b0", (x, 1200, x + 24, 1236))

    assert not image.is_black(planes(page) if kind == "planes" else encoded(page, kind))


@pytest.mark.parametrize(
    "raw",
    [b"", b"Status: -1", b"\xff\xd8broken", screen("PNG")[:5000], screen("raw")[:-1], b"[x]\n"],
)
def test_what_is_no_picture_is_refused(raw: bytes) -> None:
    with pytest.raises(CaptureFailed, match="no picture"):
        image.picture(raw)


def test_the_notice_is_bright_and_says_the_reason_in_both_languages() -> None:
    error = CaptureFailed(serial="emulator-5554", detail="")

    drawn = simplejpeg.decode_jpeg(image.notice(Size(360, 800), error))

    assert drawn.shape == (800, 360, 3)
    assert np.median(drawn) > 200
    assert drawn.min() < 120


def test_equal_frames_have_equal_fingerprints() -> None:
    raw = screen("JPEG")

    assert image.fingerprint(raw) == image.fingerprint(bytes(raw))
    assert image.fingerprint(raw) != image.fingerprint(raw + b"x")


def test_a_frame_of_which_only_the_colour_changed_is_another_one() -> None:
    first = planes(Image.new("RGB", (64, 64), "red"))
    second = Planes(first.y, first.v, first.u)

    assert image.fingerprint(first) == image.fingerprint(planes(Image.new("RGB", (64, 64), "red")))
    assert image.fingerprint(first) != image.fingerprint(second)


def test_a_notice_speaks_the_readers_language_alone() -> None:
    error = CaptureFailed(serial="emulator-5554", detail="")

    drawn = {lang: image.notice(Size(360, 800), error, lang) for lang in (None, "zh", "en")}

    assert len(set(drawn.values())) == 3
