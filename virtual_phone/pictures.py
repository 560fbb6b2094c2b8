"""The last few pictures of all phones of this process, kept together.

A picture of 1080 x 2400 takes 10 MB; ten phones that each kept their own would need 100 MB.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from PIL import Image

ROOM = 2


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
