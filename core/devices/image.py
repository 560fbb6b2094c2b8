"""Turn what a phone gives as a picture into the JPEGs that are sent on.

A frame is a JPEG, ``screencap``'s raw pixels, the planes of a decoded video, or a PNG, which is
ten times dearer than the others. It is decoded once for all the sizes asked for, and only ever
reduced by a whole factor: that costs a fifth of any other resize. A phone's own JPEG that is
small enough already is passed on as it is.
"""

import io
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import noto_cjk_sans_otc
import numpy as np
import numpy.typing as npt
import simplejpeg
import xxhash
from PIL import Image, ImageDraw, UnidentifiedImageError
from PIL.ImageFont import FreeTypeFont, truetype

from core.devices.base import Picture, Size
from core.errors import CaptureFailed, ConsoleError
from core.words import LANGS, Lang

Pixels = npt.NDArray[np.uint8]

QUALITY = 80
LIVE_QUALITY = 60
MODEL_LONGEST = 1280
LIVE_LONGEST = 1280
THUMB_LONGEST = 480
PAPER, INK, INK_2 = "#e8eaee", "#2f3542", "#5a6170"
JPEG_MARK = b"\xff\xd8"
PNG_MARK = b"\x89PNG\r\n\x1a\n"
SIMPLIFIED_CHINESE = 2  # index in the collection; 0 would draw Japanese shapes
DCT_FACTORS = (2, 4, 8)  # libjpeg gives these while decoding, at half the cost
RAW_HEADS = (16, 12)  # bytes before the pixels, since Android 9 and before
MAX_WARNINGS = 5
DARK = 20  # of 255; video black is 16, and JPEG shades it by a few steps
BLACK_SHARE = 0.999
BARS = 12  # the bars of the system, a twelfth at each end, are drawn over a protected window too
BUSY = 32  # a JPEG with more than a byte for so many pixels shows something


@dataclass(frozen=True, slots=True)
class Planes:
    """A decoded video frame: brightness, and the two colours at half its width and height."""

    y: Pixels
    u: Pixels
    v: Pixels


Raw = bytes | Planes


def picture(raw: Raw, longest: int | None = None, quality: int = QUALITY) -> Picture:
    """Make the JPEG to send on; see `pictures`."""
    return pictures(raw, [longest], quality)[0]


def pictures(raw: Raw, wanted: Sequence[int | None], quality: int = QUALITY) -> list[Picture]:
    """Make JPEGs of several sizes, decoding the frame once.

    Args:
        raw: A frame; before a PNG or raw pixels there may be lines of warnings.
        wanted: What the longer side of each may be at most, in pixels; None leaves the size.
        quality: JPEG quality when it has to be encoded.

    Raises:
        CaptureFailed: ``raw`` is no picture; its serial is filled in by the caller.
    """
    try:
        if isinstance(raw, Planes):
            return [_from_planes(raw, longest, quality) for longest in wanted]
        if raw.startswith(JPEG_MARK):
            return _from_jpeg(raw, wanted, quality)
        return _sizes(_pixels(raw), wanted, quality)
    except (ValueError, UnidentifiedImageError, OSError) as error:
        raise _no_picture(raw) from error


def fingerprint(raw: Raw) -> int:
    """Tell whether two frames are the same; 0.5 ms for a raw 1080x2400 frame."""
    if isinstance(raw, bytes):
        return xxhash.xxh3_64_intdigest(raw)
    digest = xxhash.xxh3_64()
    for plane in (raw.y, raw.u, raw.v):
        digest.update(np.ascontiguousarray(plane).data)
    return digest.intdigest()


def size_of(raw: Raw) -> Size:
    """Read a frame's own size without decoding it.

    Raises:
        CaptureFailed: ``raw`` is no picture.
    """
    try:
        if isinstance(raw, Planes):
            return Size(raw.y.shape[1], raw.y.shape[0])
        if raw.startswith(JPEG_MARK):
            height, width, _, _ = simplejpeg.decode_jpeg_header(raw)
            return Size(int(width), int(height))
        return Size(*_pixels(raw).size)
    except (ValueError, UnidentifiedImageError, OSError) as error:
        raise _no_picture(raw) from error


def is_black(raw: Raw) -> bool:
    """Say whether a frame shows nothing between the bars at its ends.

    A protected screen gives such a frame; a dark one does not, for its words are light.

    Raises:
        CaptureFailed: ``raw`` is no picture.
    """
    try:
        grey = _grey(raw)
    except (ValueError, UnidentifiedImageError, OSError) as error:
        raise _no_picture(raw) from error
    if grey is None:
        return False
    bar = grey.shape[0] // BARS
    return bool(np.mean(grey[bar : grey.shape[0] - bar] <= DARK) >= BLACK_SHARE)


def notice(size: Size, error: ConsoleError, lang: Lang | None = None) -> bytes:
    """Draw what to show when there is no picture: its words on grey, never a black frame.

    Args:
        size: Of the picture, in pixels.
        error: Why there is none.
        lang: The reader's language; both when nobody knows who reads.
    """
    words = tuple(error.words(each) for each in ([lang] if lang else LANGS))
    return _drawn(size, tuple((each.message, each.hint) for each in words))


@lru_cache(maxsize=32)
def _drawn(size: Size, said: tuple[tuple[str, str], ...]) -> bytes:
    canvas = Image.new("RGB", (size.width, size.height), PAPER)
    draw = ImageDraw.Draw(canvas)
    em = max(12, min(size.width // 18, size.height // 14))  # as large as it is wide on the page
    width = size.width * 5 // 6
    lines: list[tuple[str, str, FreeTypeFont]] = []
    for message, hint in said:
        for text, color, font in ((message, INK, _font(em * 6 // 5)), (hint, INK_2, _font(em))):
            lines += [(line, color, font) for line in _wrapped(draw, text, font, width)]
        lines.append(("", INK, _font(em)))
    y = max(em, (size.height - len(lines) * em * 8 // 5) // 2)
    for line, color, font in lines:
        draw.text((size.width // 2, y), line, color, font=font, anchor="mm")
        y += em * 8 // 5
    return _encode(np.asarray(canvas), QUALITY)


def _no_picture(raw: Raw) -> CaptureFailed:
    if isinstance(raw, Planes):
        return CaptureFailed(detail=f"Its video gave a frame of {raw.y.shape} that is no picture.")
    said = raw[:60].decode("ascii", "replace") if raw else "nothing"
    return CaptureFailed(detail=f"It sent {len(raw)} bytes that are no picture: {said}")


def _from_planes(raw: Planes, longest: int | None, quality: int) -> Picture:
    factor = _factor(size_of(raw), longest)
    planes = [raw.y, raw.u, raw.v]
    if factor > 1:
        planes = [np.asarray(Image.fromarray(plane).reduce(factor)) for plane in planes]
        # both are rounded up, which for odd sizes may leave a colour one line too many
        height, width = planes[0].shape
        planes[1:] = [plane[: -(-height // 2), : -(-width // 2)] for plane in planes[1:]]
    y, u, v = (np.ascontiguousarray(plane) for plane in planes)
    encoded = simplejpeg.encode_jpeg_yuv_planes(y, u, v, quality=quality, fastdct=True)
    return Picture(encoded, Size(y.shape[1], y.shape[0]))


def _from_jpeg(raw: bytes, wanted: Sequence[int | None], quality: int) -> list[Picture]:
    size = size_of(raw)
    factors = [_factor(size, longest) for longest in wanted]
    smaller = [longest for longest, factor in zip(wanted, factors, strict=True) if factor > 1]
    made: Iterator[Picture] = iter(())
    if smaller:
        least = min(factor for factor in factors if factor > 1)
        made = iter(_sizes(Image.fromarray(_decoded(raw, size, least)), smaller, quality))
    return [Picture(raw, size) if factor == 1 else next(made) for factor in factors]


def _decoded(raw: bytes, size: Size, factor: int) -> Pixels:
    """Decode a JPEG, by libjpeg's own reduction when it gives no less than ``factor`` needs."""
    own = max((each for each in DCT_FACTORS if factor % each == 0), default=1)
    if own == 1:
        return np.asarray(simplejpeg.decode_jpeg(raw))
    least = {"min_height": -(-size.height // own), "min_width": -(-size.width // own)}
    return np.asarray(simplejpeg.decode_jpeg(raw, fastdct=True, **least))


def _pixels(raw: bytes) -> Image.Image:
    """Open raw pixels or a PNG, behind the warnings that some phones print."""
    lines = raw
    for _ in range(MAX_WARNINGS):
        for head in RAW_HEADS:
            if len(lines) < head:
                continue
            width, height = struct.unpack_from("<2I", lines)
            if width and height and len(lines) == head + width * height * 4:
                pixels = np.frombuffer(lines, np.uint8, offset=head)
                return Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)
        if lines.startswith(PNG_MARK):
            break
        lines = lines.partition(b"\n")[2] if lines.startswith(b"[") else b""
    image = Image.open(io.BytesIO(raw[max(0, raw.find(PNG_MARK)) :]))
    return image.convert("RGB")


def _sizes(image: Image.Image, wanted: Sequence[int | None], quality: int) -> list[Picture]:
    """Reduce to each size, from the one before where that is larger."""
    made: dict[int | None, Picture] = {}
    for longest in sorted(set(wanted), key=lambda each: -(each or 1 << 30)):
        factor = _factor(Size(*image.size), longest)
        image = image.reduce(factor) if factor > 1 else image
        made[longest] = _picture(image, quality)
    return [made[longest] for longest in wanted]


def _picture(image: Image.Image, quality: int) -> Picture:
    return Picture(_encode(np.asarray(image), quality, image.mode), Size(*image.size))


def _encode(pixels: Pixels, quality: int, colorspace: str = "RGB") -> bytes:
    encoded: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(pixels),
        quality=quality,
        colorspace=colorspace,
        colorsubsampling="420",
        fastdct=True,
    )
    return encoded


def _grey(raw: Raw) -> Pixels | None:
    """Give a frame's brightness in small; None for a JPEG that is too large to be black."""
    if isinstance(raw, Planes):
        return raw.y[::4, ::4]
    if not raw.startswith(JPEG_MARK):
        return np.asarray(np.asarray(_pixels(raw))[::4, ::4, :3].max(axis=2))
    size = size_of(raw)
    if len(raw) * BUSY > size.width * size.height:
        return None
    least = {"min_height": -(-size.height // 8), "min_width": -(-size.width // 8)}
    decoded = simplejpeg.decode_jpeg(raw, colorspace="GRAY", fastdct=True, **least)
    return np.asarray(decoded)[:, :, 0]


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
