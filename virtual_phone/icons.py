"""Icons as shapes on a 24 x 24 grid, rasterised at four times their size and reduced.

A shape is a tuple: ``l`` width points… (a line), ``p`` points… (filled polygon), ``c`` x y r
(disc), ``o`` x y r width (ring), ``a`` x y r width from to (arc, degrees clockwise from three
o'clock), ``r`` x0 y0 x1 y1 radius (filled), ``b`` x0 y0 x1 y1 radius width (outline). A leading
``-`` erases.
"""

from __future__ import annotations

import math
from functools import lru_cache

from PIL import Image, ImageDraw

_SCALE = 4
_GRID = 24

Shape = tuple[str | float, ...]


def _gear() -> list[Shape]:
    teeth: list[Shape] = []
    for step in range(8):
        angle = math.pi * step / 4
        x, y = math.cos(angle), math.sin(angle)
        teeth.append(("l", 3.6, 12 + x * 5, 12 + y * 5, 12 + x * 8.3, 12 + y * 8.3))
    return [*teeth, ("c", 12, 12, 7), ("-c", 12, 12, 3)]


ICONS: dict[str, list[Shape]] = {
    "gear": _gear(),
    "note": [
        ("r", 5, 3, 19, 21, 2.5),
        ("-l", 1.5, 8.5, 8.5, 15.5, 8.5),
        ("-l", 1.5, 8.5, 12, 15.5, 12),
        ("-l", 1.5, 8.5, 15.5, 12.5, 15.5),
    ],
    "wifi": [
        ("a", 12, 18, 12.5, 2.2, 225, 315),
        ("a", 12, 18, 8.3, 2.2, 225, 315),
        ("a", 12, 18, 4.2, 2.2, 225, 315),
        ("c", 12, 17.8, 1.5),
    ],
    "bluetooth": [("l", 1.9, 6.5, 7.5, 17, 16.5, 12, 20.5, 12, 3.5, 17, 7.5, 6.5, 16.5)],
    "sun": [
        ("c", 12, 12, 4.2),
        *(
            (
                "l",
                1.9,
                12 + 7 * math.cos(a),
                12 + 7 * math.sin(a),
                12 + 9.4 * math.cos(a),
                12 + 9.4 * math.sin(a),
            )
            for a in (math.pi * k / 4 for k in range(8))
        ),
    ],
    "sound": [
        ("p", 3, 9.2, 7, 9.2, 12, 4.8, 12, 19.2, 7, 14.8, 3, 14.8),
        ("a", 12, 12, 4.6, 1.9, -50, 50),
        ("a", 12, 12, 8.6, 1.9, -50, 50),
    ],
    "bell": [
        ("c", 12, 10.5, 6),
        ("p", 6, 10.5, 18, 10.5, 18, 15, 20, 17.8, 4, 17.8, 6, 15),
        ("l", 2, 12, 3.6, 12, 5),
        ("r", 9.6, 19.2, 14.4, 21.4, 1.1),
    ],
    "apps": [
        *(("r", x, y, x + 6.4, y + 6.4, 1.8) for x in (4.6, 13) for y in (4.6, 13)),
    ],
    "battery": [
        ("r", 9.5, 2.2, 14.5, 5, 1),
        ("r", 7, 4, 17, 21.6, 2.2),
        ("-p", 12.8, 7.5, 9, 13.6, 11.6, 13.6, 11.2, 18, 15, 11.8, 12.4, 11.8),
    ],
    "storage": [
        ("r", 4, 4.5, 20, 10.5, 1.8),
        ("r", 4, 13.5, 20, 19.5, 1.8),
        ("-c", 7.6, 7.5, 1.2),
        ("-c", 7.6, 16.5, 1.2),
    ],
    "location": [("c", 12, 9.5, 6.4), ("p", 6.4, 12.6, 17.6, 12.6, 12, 21.6), ("-c", 12, 9.5, 2.5)],
    "globe": [
        ("o", 12, 12, 8.8, 1.8),
        ("l", 1.7, 3.6, 12, 20.4, 12),
        ("a", 4.7, 12, 11.4, 1.7, -50, 50),
        ("a", 19.3, 12, 11.4, 1.7, 130, 230),
    ],
    "clock": [("o", 12, 12, 9, 2), ("l", 2, 12, 6.8, 12, 12, 15.6, 14.2)],
    "person": [
        ("c", 12, 4.4, 2.2),
        ("l", 2, 4.6, 8.6, 19.4, 8.6),
        ("l", 2.6, 10.6, 9, 10.6, 14, 8.8, 20.6),
        ("l", 2.6, 13.4, 9, 13.4, 14, 15.2, 20.6),
    ],
    "contact": [("c", 12, 8, 4.6), ("r", 3.8, 14.4, 20.2, 24, 7), ("-r", 0, 20.8, 24, 24, 0)],
    "chat": [
        ("r", 2.8, 4, 21.2, 17, 3.6),
        ("p", 6.6, 15.6, 12.4, 16.4, 6.6, 21.4),
        *(("-c", x, 10.5, 1.35) for x in (7.6, 12, 16.4)),
    ],
    "phone": [
        ("p", 7.2, 3, 10, 8.4, 7.6, 10.6, 13.4, 16.4, 15.6, 14, 21, 16.8, 20, 20.8, 17, 21),
        ("p", 7.2, 3, 3.2, 4, 3, 7, 17, 21, 13.4, 16.4, 7.6, 10.6),
    ],
    "bookmark": [("p", 6, 3, 18, 3, 18, 21.4, 12, 16.8, 6, 21.4)],
    "heart": [
        *(("c", x, 8.8, 4.7) for x in (7.9, 16.1)),
        ("p", 3.9, 11.3, 8, 8, 12, 6.6, 16, 8, 20.1, 11.3, 12, 20.6),
    ],
    "star": [
        (
            *("p", 12, 2.4, 14.8, 8.8, 21.8, 9.5, 16.6, 14.1, 18.1, 21),
            *(12, 17.4, 5.9, 21, 7.4, 14.1, 2.2, 9.5, 9.2, 8.8),
        )
    ],
    "bag": [
        ("r", 4.4, 8, 19.6, 21, 2.6),
        ("a", 12, 8.4, 5, 2, 180, 360),
        ("-a", 12, 10.6, 4, 1.6, 0, 180),
    ],
    "cart": [
        ("l", 2, 2.6, 4.4, 5.6, 4.4, 8, 15.4, 18.4, 15.4),
        ("p", 6.4, 7, 21.2, 7, 19, 13.6, 7.8, 13.6),
        ("c", 9, 19.2, 1.8),
        ("c", 17.2, 19.2, 1.8),
    ],
    "send": [("p", 3, 3.6, 21.6, 12, 3, 20.4, 5.4, 13, 13, 12, 5.4, 11)],
    "minus": [("l", 2.3, 4.5, 12, 19.5, 12)],
    "cup": [
        ("p", 4, 8.5, 17, 8.5, 15.8, 18.5, 14.2, 20, 6.8, 20, 5.2, 18.5),
        ("o", 17.2, 12.2, 3.4, 1.8),
        ("l", 1.5, 8, 6.4, 8.8, 5, 8, 3.4),
        ("l", 1.5, 12.4, 6.4, 13.2, 5, 12.4, 3.4),
    ],
    "dots": [("c", 5.5, 12, 2), ("c", 12, 12, 2), ("c", 18.5, 12, 2)],
    "info": [("o", 12, 12, 9, 2), ("l", 2.1, 12, 11.4, 12, 16.4), ("c", 12, 7.9, 1.3)],
    "back": [("l", 2.1, 19.5, 12, 5, 12), ("l", 2.1, 11.5, 5, 4.6, 12, 11.5, 19)],
    "search": [("o", 10.5, 10.5, 6.4, 2), ("l", 2.2, 15.2, 15.2, 20, 20)],
    "plus": [("l", 2.3, 12, 4.5, 12, 19.5), ("l", 2.3, 4.5, 12, 19.5, 12)],
    "close": [("l", 2.1, 6, 6, 18, 18), ("l", 2.1, 18, 6, 6, 18)],
    "trash": [
        ("l", 2, 4.5, 6.8, 19.5, 6.8),
        ("r", 9, 3.6, 15, 7, 1.2),
        ("r", 6.2, 8.6, 17.8, 21, 2),
        ("-l", 1.5, 10.2, 11.6, 10.2, 18),
        ("-l", 1.5, 13.8, 11.6, 13.8, 18),
    ],
    "check": [("l", 2.4, 5, 12.5, 10, 17.5, 19.5, 7)],
    "next": [("l", 2, 9, 5.5, 15.5, 12, 9, 18.5)],
    "down": [("l", 2.2, 5, 9, 12, 16, 19, 9)],
    "airplane": [
        (
            *("p", 12, 2, 13.7, 4, 13.7, 9, 21.5, 14, 21.5, 16, 13.7, 13.7, 13.7, 18.4),
            *(16.2, 20.3, 16.2, 21.8, 12, 20.6, 7.8, 21.8, 7.8, 20.3, 10.3, 18.4),
            *(10.3, 13.7, 2.5, 16, 2.5, 14, 10.3, 9, 10.3, 4),
        ),
    ],
    "signal": [("p", 3, 21, 21, 21, 21, 3)],
    "lock": [("o", 12, 9, 4.4, 2), ("r", 5.5, 10.2, 18.5, 20.8, 2), ("-c", 12, 15.4, 1.7)],
    "data": [
        ("l", 2, 8, 19.5, 8, 5),
        ("l", 2, 4.4, 8.6, 8, 5, 11.6, 8.6),
        ("l", 2, 16, 4.5, 16, 19),
        ("l", 2, 12.4, 15.4, 16, 19, 19.6, 15.4),
    ],
    "tune": [
        ("l", 1.9, 3.5, 7, 20.5, 7),
        ("l", 1.9, 3.5, 17, 20.5, 17),
        ("c", 15.5, 7, 3),
        ("c", 8.5, 17, 3),
    ],
    "delete_key": [
        ("p", 8, 5, 21.5, 5, 21.5, 19, 8, 19, 2, 12),
        ("-l", 1.7, 11, 9, 17, 15),
        ("-l", 1.7, 17, 9, 11, 15),
    ],
    "shift": [("p", 12, 3.4, 20.4, 12.4, 15.6, 12.4, 15.6, 20, 8.4, 20, 8.4, 12.4, 3.6, 12.4)],
    "enter": [
        ("l", 2.1, 19.5, 5.5, 19.5, 13, 5, 13),
        ("l", 2.1, 9.5, 8.2, 4.6, 13, 9.5, 17.8),
    ],
    "nav_back": [("p", 17.5, 4.5, 17.5, 19.5, 4.5, 12)],
    "nav_home": [("o", 12, 12, 8, 2.2)],
    "nav_recents": [("b", 5, 5, 19, 19, 2.6, 2.2)],
}


@lru_cache(maxsize=512)
def icon_mask(name: str, size: int) -> Image.Image:
    """Rasterise an icon to a grey mask of ``size`` x ``size`` pixels."""
    big = Image.new("L", (size * _SCALE, size * _SCALE))
    draw = ImageDraw.Draw(big)
    for shape in ICONS[name]:
        kind, *numbers = shape
        points = [float(n) * size * _SCALE / _GRID for n in numbers]
        if str(kind).endswith("a"):
            points[-2:] = [float(n) for n in numbers[-2:]]
        _draw(draw, str(kind).lstrip("-"), points, 0 if str(kind).startswith("-") else 255)
    return big.resize((size, size), Image.Resampling.BOX)


def _draw(draw: ImageDraw.ImageDraw, kind: str, n: list[float], ink: int) -> None:
    match kind:
        case "l":
            _line(draw, n[1:], n[0], ink)
        case "p":
            draw.polygon(n, fill=ink)
        case "c":
            draw.ellipse(_around(n[0], n[1], n[2]), fill=ink)
        case "o":
            draw.ellipse(_around(n[0], n[1], n[2]), outline=ink, width=round(n[3]))
        case "a":
            draw.arc(_around(n[0], n[1], n[2]), n[4], n[5], fill=ink, width=round(n[3]))
        case "r":
            draw.rounded_rectangle(n[:4], n[4], fill=ink)
        case "b":
            draw.rounded_rectangle(n[:4], n[4], outline=ink, width=round(n[5]))


def _line(draw: ImageDraw.ImageDraw, n: list[float], width: float, ink: int) -> None:
    points = list(zip(n[::2], n[1::2], strict=True))
    draw.line(points, fill=ink, width=round(width), joint="curve")
    for x, y in (points[0], points[-1]):
        draw.ellipse(_around(x, y, width / 2), fill=ink)


def _around(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    return x - radius, y - radius, x + radius, y + radius
