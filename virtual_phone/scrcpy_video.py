"""H.264 for scrcpy: one encoder for one picture size; a turned phone gets a new one."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

from PIL import Image

_ALIGN = 8
_MICROSECONDS = 1_000_000
_RATE = 60


def video_size(size: tuple[int, int], max_size: int) -> tuple[int, int]:
    """Return the size of the video: at most ``max_size`` long, both sides multiples of 8."""
    scale = min(1.0, max_size / max(size)) if max_size else 1.0
    width, height = (int(side * scale) // _ALIGN * _ALIGN for side in size)
    return width, height


class Encoder:
    """Turns pictures into packets as MediaCodec gives them: no delay, parameter sets apart."""

    def __init__(self, size: tuple[int, int], bit_rate: int) -> None:
        import av  # an extra: a phone without scrcpy does not need it
        from av.codec.context import Flags

        self.size = size
        self._start = time.monotonic()
        self._last = -1
        self._av = av
        codec: Any = av.CodecContext.create("libx264", "w")
        codec.width, codec.height = size
        codec.pix_fmt = "yuv420p"
        codec.bit_rate = bit_rate
        codec.time_base = Fraction(1, _MICROSECONDS)
        codec.framerate = Fraction(_RATE, 1)
        codec.gop_size = _RATE * 10
        codec.flags |= Flags.global_header
        codec.options = {"preset": "ultrafast", "tune": "zerolatency"}
        codec.open()
        self._codec = codec

    @property
    def config(self) -> bytes:
        """The parameter sets that a decoder needs before the first frame."""
        return bytes(self._codec.extradata)

    def encode(self, picture: Image.Image) -> list[tuple[int, bool, bytes]]:
        """Encode one picture.

        Returns:
            Packets as (time in microseconds, is a key frame, bytes).
        """
        if picture.size != self.size:
            picture = picture.resize(self.size, Image.Resampling.BILINEAR)
        frame: Any = self._av.VideoFrame
        frame = frame.from_image(picture).reformat(format="yuv420p")
        now = round((time.monotonic() - self._start) * _MICROSECONDS)
        self._last = frame.pts = max(now, self._last + 1)
        frame.time_base = self._codec.time_base
        return [(p.pts or 0, p.is_keyframe, bytes(p)) for p in self._codec.encode(frame)]
