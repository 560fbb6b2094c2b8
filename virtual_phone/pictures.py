"""Pictures of the phones' screens; the last few of all phones of this process are kept together.

A picture of 1080 x 2400 takes 10 MB; ten phones that each kept their own would need 100 MB.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from PIL import Image

from virtual_phone import draw

ROOM = 2

_numbers = itertools.count(1)


class Shelf:
    """Keeps the pictures that were asked for last, one a phone."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[int, tuple[int, Image.Image]] = OrderedDict()

    def picture(self, owner: int, version: int, paint: Callable[[], Image.Image]) -> Image.Image:
        """Return an owner's picture of a version, painted when it is not here any more."""
        kept = self._kept.pop(owner, None)
        if kept is None or kept[0] != version:
            kept = (version, paint())
        self._kept[owner] = kept
        while len(self._kept) > self._room:
            self._kept.popitem(last=False)
        return kept[1]

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._kept)


SHELF = Shelf(ROOM)


class Camera:
    """Takes one phone's pictures; painted and encoded once for each version of its screen."""

    def __init__(self, paint: Callable[[], Image.Image], version: Callable[[], int]) -> None:
        self._paint = paint
        self._version = version
        self._number = next(_numbers)
        self._encodings: dict[str, tuple[int, bytes]] = {}

    def picture(self) -> Image.Image:
        """Return the screen as it is now."""
        return SHELF.picture(self._number, self._version(), self._paint)

    async def png(self) -> bytes:
        """Return the screen as PNG."""
        return await self._encoded("png", draw.encode_png)

    async def jpeg(self, quality: int, scale: float) -> bytes:
        """Return the screen as JPEG."""
        encode = partial(draw.encode_jpeg, quality=quality, scale=scale)
        return await self._encoded(f"jpeg {quality} {scale}", encode)

    async def raw(self) -> bytes:
        """Return the screen in ``screencap``'s raw form; 10 MB, so it is not kept."""
        return await asyncio.get_running_loop().run_in_executor(None, draw.raw_rgba, self.picture())

    async def _encoded(self, key: str, encode: Callable[[Image.Image], bytes]) -> bytes:
        kept = self._encodings.get(key)
        if kept and kept[0] == self._version():
            return kept[1]
        version, picture = self._version(), self.picture()
        data = await asyncio.get_running_loop().run_in_executor(None, encode, picture)
        of_now = {name: each for name, each in self._encodings.items() if each[0] == version}
        self._encodings = of_now | {key: (version, data)}
        return data
