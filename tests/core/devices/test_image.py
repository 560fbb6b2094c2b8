"""Pictures become small JPEGs, and what is none is never shown as one."""

import io

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from core.devices import image
from core.devices.base import Size
from core.errors import CaptureFailed


def screen(kind: str) -> bytes:
    pixels = Image.linear_gradient("L").resize((1080, 2400)).convert("RGB")
    out = io.BytesIO()
    pixels.save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
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
    raw = b"[Warning] Multiple displays were found\n" + screen("PNG")

    assert image.picture(raw).size == Size(1080, 2400)


@pytest.mark.parametrize("raw", [b"", b"Status: -1", b"\xff\xd8broken", screen("PNG")[:5000]])
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
