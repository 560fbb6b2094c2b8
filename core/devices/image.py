"""Turn what a phone gives as a picture into the JPEG that is sent on.

A picture is only ever reduced by a whole factor: that costs a fifth of any other resize. A
phone's own JPEG that is small enough already is passed on as it is.
"""

import io
import re
from functools import cache

import noto_cjk_sans_otc
import numpy as np
import numpy.typing as npt
import simplejpeg
import xxhash
from PIL import Image, ImageDraw, UnidentifiedImageError
from PIL.ImageFont import FreeTypeFont, truetype

from core.devices.base import Picture, Size
from core.errors import CaptureFailed, ConsoleError
from core.words import LANGS

Pixels = npt.NDArray[np.uint8]

QUALITY = 80
LIVE_QUALITY = 60
JPEG_MARK = b"\xff\xd8"
PNG_MARK = b"\x89PNG\r\n\x1a\n"
SIMPLIFIED_CHINESE = 2  # index in the collection; 0 would draw Japanese shapes
DCT_FACTORS = (2, 4, 8)  # libjpeg gives these while decoding, at half the cost


def picture(raw: bytes, longest: int | None = None, quality: int = QUALITY) -> Picture:
    """Make the JPEG to send on.

    Args:
        raw: A JPEG or PNG, also with a warning text before the PNG's mark.
        longest: What the longer side may be at most, in pixels; None leaves the size.
        quality: JPEG quality when it has to be encoded.

    Raises:
        CaptureFailed: ``raw`` is no picture; its serial is filled in by the caller.
    """
    try:
        if raw.startswith(JPEG_MARK):
            return _from_jpeg(raw, longest, quality)
        return _from_png(raw[max(0, raw.find(PNG_MARK)) :], longest, quality)
    except (ValueError, UnidentifiedImageError, OSError) as error:
        said = raw[:60].decode("ascii", "replace") if raw else "nothing"
        raise CaptureFailed(
            detail=f"It sent {len(raw)} bytes that are no picture: {said}"
        ) from error


def fingerprint(raw: bytes) -> int:
    """Tell whether two frames are the same; 0.5 ms for a raw 1080x2400 frame."""
    return xxhash.xxh3_64_intdigest(raw)


def notice(size: Size, error: ConsoleError) -> bytes:
    """Draw what to show when there is no picture: its words on grey, never a black frame."""
    canvas = Image.new("RGB", (size.width, size.height), "#e8eaee")
    draw = ImageDraw.Draw(canvas)
    em = max(12, size.width // 22)
    font = _font(em)
    width, y = size.width * 9 // 10, size.height // 3
    for lang in LANGS:
        for line in _wrapped(draw, error.words(lang).message, font, width):
            draw.text((size.width // 2, y), line, "#4a5160", font=font, anchor="mm")
            y += em * 3 // 2
        y += em
    return _encode(np.asarray(canvas), QUALITY)


def _from_jpeg(raw: bytes, longest: int | None, quality: int) -> Picture:
    height, width, _, _ = simplejpeg.decode_jpeg_header(raw)
    factor = _factor(Size(int(width), int(height)), longest)
    if factor == 1:
        return Picture(raw, Size(int(width), int(height)))
    if factor in DCT_FACTORS:
        least = {"min_height": -(-int(height) // factor), "min_width": -(-int(width) // factor)}
        return _picture(simplejpeg.decode_jpeg(raw, fastdct=True, **least), quality)
    return _reduced(Image.fromarray(simplejpeg.decode_jpeg(raw)), factor, quality)


def _from_png(raw: bytes, longest: int | None, quality: int) -> Picture:
    image = Image.open(io.BytesIO(raw)).convert("RGB")
    return _reduced(image, _factor(Size(*image.size), longest), quality)


def _reduced(image: Image.Image, factor: int, quality: int) -> Picture:
    return _picture(np.asarray(image.reduce(factor) if factor > 1 else image), quality)


def _picture(pixels: Pixels, quality: int) -> Picture:
    return Picture(_encode(pixels, quality), Size(pixels.shape[1], pixels.shape[0]))


def _encode(pixels: Pixels, quality: int) -> bytes:
    encoded: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(pixels), quality=quality, colorsubsampling="420", fastdct=True
    )
    return encoded


def _factor(size: Size, longest: int | None) -> int:
    return max(1, -(-max(size.width, size.height) // longest)) if longest else 1


def _wrapped(draw: ImageDraw.ImageDraw, text: str, font: FreeTypeFont, width: int) -> list[str]:
    lines = [""]
    for piece in re.findall(r"[\x21-\x7e]+ ?|.", text):
        if lines[-1] and draw.textlength(lines[-1] + piece, font=font) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines if line.strip()]


@cache
def _font(size: int) -> FreeTypeFont:
    return truetype(str(noto_cjk_sans_otc.FONT_PATH), size, index=SIMPLIFIED_CHINESE)
