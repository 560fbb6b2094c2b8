"""What a slow phone shows: hierarchies that lag behind the screen, apps that open on a splash."""

from __future__ import annotations

import time
from collections import deque

from virtual_phone import ui
from virtual_phone.state import LAUNCHER
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import App, View

_KEPT = 64


class LateTrees:
    """Remembers what was on the screen, for dumps that are asked to lag."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, list[Window]]] = deque(maxlen=_KEPT)

    def keep(self, windows: list[Window]) -> None:
        """Note what is on the screen from now on."""
        self._past.append((time.monotonic(), windows))

    def clear(self) -> None:
        """Forget everything."""
        self._past.clear()

    def seen(self, lag_s: float) -> list[Window]:
        """Return what was on the screen ``lag_s`` ago, else the oldest that is known."""
        limit = time.monotonic() - lag_s
        shown = self._past[0][1] if self._past else []
        for since, windows in self._past:
            if since <= limit:
                shown = windows
        return shown


class Splash:
    """Notices that another app came to the front, and for how long its splash stays."""

    def __init__(self) -> None:
        self._front = LAUNCHER
        self._until = 0.0

    def watch(self, front: str, lasts_s: float) -> bool:
        """Take the app in front; True when a splash begins now."""
        if front == self._front:
            return False
        self._front = front
        self._until = time.monotonic() + lasts_s
        return lasts_s > 0 and front != LAUNCHER

    def over(self) -> None:
        """End it."""
        self._until = 0.0

    @property
    def showing(self) -> bool:
        """Tell whether the app in front still shows its splash."""
        return time.monotonic() < self._until and self._front != LAUNCHER


def splash_window(app: App, view: View) -> Window:
    """Draw the app's icon on an empty page; the tree has nothing to act on."""
    box = Rect(0, 0, view.width, view.height)
    half, (x, y) = view.px(120), box.center
    badge = Look(
        fill=app.color,
        radius=view.px(72),
        icon=app.icon,
        icon_size=view.px(140),
        icon_color="#ffffff",
    )
    place = Rect(x - half, y - half, x + half, y + half)
    picture = Node(ui.IMAGE, place, look=badge, painted_only=True)
    root = Node(ui.FRAME, box, look=Look(fill=view.theme.page), children=[picture])
    return Window(app.package, root)
