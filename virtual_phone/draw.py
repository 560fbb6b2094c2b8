"""Paint the node tree. Everything that is slow (glyphs, corners, icons, wallpaper) is kept."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter

from virtual_phone import fonts
from virtual_phone.icons import icon_mask
from virtual_phone.ui import Look, Node, Rect, Window

_CORNER_SCALE = 4
_SMALL = 120
_STRIP_PX = 200
_DIMMED = [value * 55 // 100 for value in range(256)] * 3


class Painter:
    """Paints windows onto one picture."""

    def __init__(self, width: int, height: int, background: str) -> None:
        self.image = Image.new("RGB", (width, height), background)
        self._draw = ImageDraw.Draw(self.image)

    def window(self, window: Window) -> None:
        """Paint a window, lower nodes first."""
        self._node(window.root)

    def _node(self, node: Node) -> None:
        if node.bounds.empty:
            return
        self._look(node, node.full or node.bounds, node.look)
        for child in node.by_paint_order():
            self._node(child)

    def _look(self, node: Node, box: Rect, look: Look) -> None:
        if look.widget:
            _WIDGETS[look.widget](self, box, look)
            return
        if look.fill:
            self.rounded(box, look.radius, look.fill)
        if look.border:
            self._draw.rounded_rectangle(box, look.radius, outline=look.border, width=2)
        if look.icon:
            self.icon(look.icon, box, look.icon_size, look.icon_color or look.color)
        if look.size:
            self._text(node, box, look)

    def _text(self, node: Node, box: Rect, look: Look) -> None:
        shown = node.shown
        inner = box.inset(look.pad, 0)
        lines = self._lines(shown, inner, look)
        height = fonts.line_height(look.size)
        top = box.top if look.multiline else box.center[1] - height // 2
        color = look.color if node.text else look.hint_color or look.color
        end = inner.left
        for number, line in enumerate(lines):
            baseline = top + number * height + round(height / 2 + look.size * 0.37)
            end = self._line(line, (inner, baseline), look, color)
        if look.caret:
            x = end + 3 if node.text else inner.left
            bottom = top + len(lines) * height
            caret = (x, bottom - height + 6, x + 3, bottom - 6)
            self._draw.rectangle(caret, fill=look.icon_color)

    def _lines(self, text: str, inner: Rect, look: Look) -> tuple[str, ...]:
        if not look.multiline:
            return (fonts.ellipsize(text, look.size, inner.width),)
        lines = fonts.wrap(text, look.size, inner.width)
        room = max(1, inner.height // fonts.line_height(look.size))
        return lines[-room:] if look.caret else lines[:room]

    def _line(self, text: str, where: tuple[Rect, int], look: Look, color: str) -> int:
        inner, baseline = where
        width = fonts.width(text, look.size)
        x = inner.left
        if look.align == "center":
            x = inner.center[0] - width // 2
        elif look.align == "right":
            x = inner.right - width
        if text:
            mask, dx, dy = fonts.mask(text, look.size, look.bold)
            self.image.paste(color, (x + dx, baseline + dy), mask)
        return x + width

    def icon(self, name: str, box: Rect, size: int, color: str) -> None:
        """Paint an icon in the middle of a box."""
        x, y = box.center
        mask = icon_mask(name, size)
        self.image.paste(color, (x - size // 2, y - size // 2), mask)

    def _flat(self, box: Rect, color: str) -> None:
        if not box.empty:
            self._draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=color)

    def rounded(self, box: Rect, radius: int, color: str) -> None:
        """Fill a rectangle whose corners are smooth."""
        radius = min(radius, box.width // 2, box.height // 2)
        left, top, right, bottom = box
        if radius <= 0:
            self._flat(box, color)
            return
        self._flat(Rect(left, top + radius, right, bottom - radius), color)
        self._flat(Rect(left + radius, top, right - radius, top + radius), color)
        self._flat(Rect(left + radius, bottom - radius, right - radius, bottom), color)
        corners = _corners(radius)
        places = (left, top), (right - radius, top)
        for place, corner in zip(places, corners[:2], strict=True):
            self.image.paste(color, place, corner)
        places = (left, bottom - radius), (right - radius, bottom - radius)
        for place, corner in zip(places, corners[2:], strict=True):
            self.image.paste(color, place, corner)

    def switch(self, box: Rect, look: Look) -> None:
        """Paint a switch: ``fill`` is the track, ``color`` the knob, ``value`` 1 when on."""
        self.rounded(box, box.height // 2, look.fill)
        gap = box.height // 8
        size = box.height - 2 * gap
        left = box.right - gap - size if look.value else box.left + gap
        top = box.top + gap
        self.rounded(Rect(left, top, left + size, top + size), size // 2, look.color)

    def radio(self, box: Rect, look: Look) -> None:
        """Paint a radio button: ``color`` the ring, ``fill`` what is behind it."""
        self.rounded(box, box.width // 2, look.color)
        self.rounded(box.inset(5, 5), box.width, look.fill)
        if look.value:
            gap = box.width // 4
            self.rounded(box.inset(gap, gap), box.width, look.color)

    def slider(self, box: Rect, look: Look) -> None:
        """Paint a slider: ``border`` the track, ``color`` the part up to ``value``."""
        y, half = box.center[1], max(4, box.height // 10)
        self.rounded(Rect(box.left, y - half, box.right, y + half), half, look.border)
        knob = max(12, box.height // 4)
        x = box.left + knob + round((box.width - 2 * knob) * look.value)
        self.rounded(Rect(box.left, y - half, x, y + half), half, look.color)
        self.rounded(Rect(x - knob, y - knob, x + knob, y + knob), knob, look.color)
        self.rounded(Rect(x - knob + 6, y - knob + 6, x + knob - 6, y + knob - 6), knob, look.fill)

    def wallpaper(self, box: Rect, look: Look) -> None:
        """Fill with the gradient in ``colors``."""
        self.image.paste(_gradient(look.colors, box.width, box.height), (box.left, box.top))

    def dim(self, box: Rect, look: Look) -> None:
        """Darken what was painted so far, as behind a dialog."""
        del look
        for strip in _strips(box):
            region = self.image.crop(strip)
            self.image.paste(region.point(_DIMMED), (strip.left, strip.top))

    def picture(self, box: Rect, look: Look) -> None:
        """Paste the picture file that ``icon`` names."""
        self.image.paste(_loaded(look.icon, box.width, box.height), (box.left, box.top))

    def battery(self, box: Rect, look: Look) -> None:
        """Paint a lying battery filled to ``value``."""
        tip = max(3, box.width // 12)
        body = Rect(box.left, box.top, box.right - tip, box.bottom)
        inner = body.inset(tip, tip)
        self._draw.rounded_rectangle(body, box.height // 4, outline=look.color, width=3)
        third = box.height // 3
        self._draw.rectangle(
            (box.right - tip + 1, box.top + third, box.right, box.bottom - third), fill=look.color
        )
        filled = inner.left + round(inner.width * look.value)
        self.rounded(Rect(inner.left, inner.top, filled, inner.bottom), 4, look.color)


@lru_cache(maxsize=16)
def _loaded(path: str, width: int, height: int) -> Image.Image:
    with Image.open(path) as image:
        picture = image.convert("RGB")
    return picture if picture.size == (width, height) else picture.resize((width, height))


_WIDGETS = {
    "switch": Painter.switch,
    "radio": Painter.radio,
    "slider": Painter.slider,
    "wallpaper": Painter.wallpaper,
    "dim": Painter.dim,
    "battery": Painter.battery,
    "picture": Painter.picture,
}


def _strips(box: Rect) -> list[Rect]:
    """Cut a rectangle into strips, so that work on a whole screen needs no second one."""
    tops = range(box.top, box.bottom, _STRIP_PX)
    return [box._replace(top=y, bottom=min(y + _STRIP_PX, box.bottom)) for y in tops]


@lru_cache(maxsize=64)
def _corners(radius: int) -> tuple[Image.Image, ...]:
    big = Image.new("L", (radius * 2 * _CORNER_SCALE,) * 2)
    edge = radius * 2 * _CORNER_SCALE - 1
    ImageDraw.Draw(big).ellipse((0, 0, edge, edge), fill=255)
    disc = big.resize((radius * 2, radius * 2), Image.Resampling.BOX)
    return tuple(
        disc.crop((x, y, x + radius, y + radius)) for y in (0, radius) for x in (0, radius)
    )


@lru_cache(maxsize=1)  # 10 MB; 24 ms to make anew
def _gradient(colors: tuple[str, ...], width: int, height: int) -> Image.Image:
    """Blend colours from top to bottom, with two soft lights; made small, then enlarged."""
    top, middle, bottom, light = colors
    strip = Image.new("RGB", (1, 3))
    for y, color in enumerate((top, middle, bottom)):
        strip.paste(color, (0, y, 1, y + 1))
    small = strip.resize((_SMALL, _SMALL * height // width), Image.Resampling.BICUBIC)
    glow = Image.new("L", small.size)
    pen = ImageDraw.Draw(glow)
    w, h = small.size
    pen.ellipse((-w * 0.35, h * 0.08, w * 0.55, h * 0.5), fill=120)
    pen.ellipse((w * 0.45, h * 0.55, w * 1.4, h * 0.98), fill=95)
    small.paste(light, (0, 0), glow.filter(ImageFilter.GaussianBlur(w / 7)))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def paint(windows: list[Window], size: tuple[int, int], background: str) -> Image.Image:
    """Paint windows from the lowest to the topmost."""
    painter = Painter(*size, background)
    for window in windows:
        painter.window(window)
    return painter.image


def encode_png(image: Image.Image) -> bytes:
    """Encode losslessly and fast."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def encode_jpeg(image: Image.Image, quality: int, scale: float = 1.0) -> bytes:
    """Encode as JPEG, reduced first when ``scale`` is below 1."""
    if scale < 1:
        image = image.resize((round(image.width * scale), round(image.height * scale)))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()


def raw_rgba(image: Image.Image) -> bytes:
    """Return ``screencap``'s raw form: width, height, format and colour space, then the pixels."""
    head = [n.to_bytes(4, "little") for n in (image.width, image.height, 1, 1)]
    strips = _strips(Rect(0, 0, image.width, image.height))
    return b"".join([*head, *(image.crop(strip).convert("RGBA").tobytes() for strip in strips)])
