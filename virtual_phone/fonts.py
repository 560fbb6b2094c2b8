"""Measure, wrap and rasterise text with the one font that has Latin and Chinese.

Widths come from the font that paints, so bounds and pixels agree. Emoji are not in the font and
come out as boxes.
"""

from __future__ import annotations

from functools import lru_cache

import noto_cjk_sans_otc
from PIL import Image, ImageDraw, ImageFont

SIMPLIFIED_CHINESE = 2  # index in the collection; 0 would draw Japanese shapes
LINE_HEIGHT = 1.42
# the layout engine fails on control characters, which real dumps contain
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), " ")
_BOLD_STROKE = 0.016  # the package has one weight; a thin stroke of the same colour makes it bold


@lru_cache(maxsize=6)  # 2.5 MB each, 1 ms to load anew
def font(size: int) -> ImageFont.FreeTypeFont:
    """Load the font at a pixel size."""
    path = str(noto_cjk_sans_otc.FONT_PATH)
    return ImageFont.truetype(path, size, index=SIMPLIFIED_CHINESE)


@lru_cache(maxsize=4096)
def width(text: str, size: int) -> int:
    """Return the pixels that a line takes."""
    return round(font(size).getlength(text.translate(_CONTROLS)))


def line_height(size: int) -> int:
    """Return the pixels from one baseline to the next."""
    return round(size * LINE_HEIGHT)


@lru_cache(maxsize=4096)
def ellipsize(text: str, size: int, limit: int) -> str:
    """Cut a line to ``limit`` pixels, the cut marked with an ellipsis."""
    text = text.replace("\n", " ")
    if width(text, size) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = width(text[:middle] + "…", size) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low] + "…"


@lru_cache(maxsize=512)
def wrap(text: str, size: int, limit: int) -> tuple[str, ...]:
    """Break text into lines of at most ``limit`` pixels; Latin words stay whole where they can."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and width(line + piece, size) > limit:
                lines.append(line.rstrip())
                line = piece.lstrip()
            else:
                line += piece
        lines.append(line)
    return tuple(lines)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for char in text:
        joins = pieces and char.isascii() and pieces[-1][-1].isascii() and pieces[-1][-1] != " "
        if joins and len(pieces[-1]) < 24:
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


@lru_cache(maxsize=1024)  # 15 to 50 KB each
def mask(text: str, size: int, bold: bool) -> tuple[Image.Image, int, int]:
    """Rasterise a line once.

    Returns:
        A grey mask and where its corner lies from the pen position on the baseline.
    """
    text = text.translate(_CONTROLS)
    face, stroke = font(size), size * _BOLD_STROKE if bold else 0.0
    left, top, right, bottom = face.getbbox(text, anchor="ls", stroke_width=stroke)
    x, y = int(left) - 1, int(top) - 1
    image = Image.new("L", (max(1, int(right) - x + 2), max(1, int(bottom) - y + 2)))
    ImageDraw.Draw(image).text(
        (-x, -y), text, font=face, fill=255, anchor="ls", stroke_width=stroke
    )
    return image, x, y
