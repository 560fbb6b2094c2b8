"""Look for a text by scrolling: down to the end, then up to the beginning, within bounds.

The end is where a swipe moves nothing, even after a list had a moment to load more.
"""

import time

from core.devices.base import Bounds
from core.devices.gate import Need
from core.errors import NotOnPage
from core.screen import selectors
from core.screen.screen import Screen
from core.screen.scrolls import BACK, forward, largest, shown
from mcp_server.access import Access, Device
from mcp_server.sight import look

SWIPES = 15  # in one direction
LIMIT_S = 24.0  # a tool call is given up after 30
LOAD_S = 0.5


class Search:
    """One search on one phone."""

    def __init__(self, device: Device, access: Access, text: str) -> None:
        self.device = device
        self.access = access
        self.text = text
        self.swipes = 0
        self.deadline = time.monotonic() + LIMIT_S

    def run(self) -> str:
        """Scroll until an element carries the text.

        Raises:
            NotOnPage: None does; it says whether both ends were reached.
        """
        now = look(self.device.slot.phone)
        if not selectors.matches(now, self.text):
            now = self._search(now)
        found = selectors.matches(now, self.text)[0]
        how = f"after {self.swipes} swipes" if self.swipes else "without scrolling"
        return f"There is {found.gist} @{found.point[0]},{found.point[1]}, {how}."

    def _search(self, now: Screen) -> Screen:
        area = largest(now)
        if area is None:
            raise self._not_here(now, "Nothing on this screen scrolls.")
        ahead = forward(area)
        reached = []
        for direction in (ahead, BACK[ahead]):
            now, ended = self._go(now, direction, area)
            if selectors.matches(now, self.text):
                return now
            reached.append(ended)
        if all(reached):
            raise self._not_here(now, "Looked through it from end to end.")
        raise self._not_here(now, "An end was not reached yet: call again to go on.")

    def _go(self, now: Screen, direction: str, area: Bounds) -> tuple[Screen, bool]:
        """Scroll one way until the text shows; the second value says whether the end was met."""
        for _ in range(SWIPES):
            if time.monotonic() > self.deadline:
                return now, False
            before, now = now, self._swipe(direction, area)
            if selectors.matches(now, self.text):
                return now, False
            if shown(now.elements, area) == shown(before.elements, area):
                return now, True
        return now, False

    def _swipe(self, direction: str, area: Bounds) -> Screen:
        phone = self.device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            self.access.check(self.device)
            phone.scroll(direction, area)
        self.swipes += 1
        now = look(phone)
        if shown(now.elements, area) != shown(before.elements, area):
            return now
        time.sleep(LOAD_S)
        return look(phone)

    def _not_here(self, now: Screen, detail: str) -> NotOnPage:
        nearest = selectors.nearest(now, self.text)
        return NotOnPage(
            wanted=f'"{self.text}"', swipes=self.swipes, detail=detail, nearest=nearest
        )
