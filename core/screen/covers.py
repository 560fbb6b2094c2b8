"""Find out which part of the screen a touch would reach, under keyboard and other windows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.devices.base import Bounds
from core.screen.hierarchy import Node
from core.screen.labels import words
from core.screen.windows import Window

#: A window below this share of the screen covers all that lies under it; a larger one may be
#: mostly glass, as a launcher's or a game's overlay is.
SMALL = 0.6
KEYBOARD = "keyboard"
#: A free strip narrower than this, in pixels, is not tapped.
LEAST = 8


@dataclass(frozen=True, slots=True)
class Cover:
    """A part of the screen in which something else would get the touch."""

    bounds: Bounds
    name: str


def covering(
    windows: Sequence[Window], visible: Bounds, keyboard: Bounds | None
) -> tuple[Cover, ...]:
    """Give all that lies over the app's own window: the keyboard, and the other windows."""
    keys = [Cover(keyboard, KEYBOARD)] if keyboard and keyboard.area else []
    over = [cover for w in windows if w.role != "app" for cover in _covers(w, visible)]
    return (*keys, *over)


def _covers(window: Window, visible: Bounds) -> Iterator[Cover]:
    """Give what a window lies over: all of a small one, of a large one only what it shows."""
    told = [node for node in window.root.walk() if node.is_on("clickable") or words(node)]
    shown = [node for node in told if is_seen(node, visible)]
    whole = window.root.bounds.clip(visible)
    if shown and whole.area < visible.area * SMALL:
        yield Cover(whole, window.package)
    else:
        yield from (Cover(node.bounds.clip(visible), window.package) for node in shown)


def is_seen(node: Node, visible: Bounds) -> bool:
    """Say whether any of the node is on the screen; one without area, or inverted, is not."""
    return inside(node.bounds, visible).area > 0 and node.get("visible-to-user") != "false"


def inside(bounds: Bounds, frame: Bounds) -> Bounds:
    """Clip a rectangle; most lie inside already, and making a new one costs the most here."""
    if (
        frame.left <= bounds.left
        and frame.top <= bounds.top
        and bounds.right <= frame.right
        and bounds.bottom <= frame.bottom
    ):
        return bounds
    return bounds.clip(frame)


def free(bounds: Bounds, covers: Sequence[Cover]) -> tuple[Bounds, str]:
    """Give the part that nothing covers, else the whole and what covers it."""
    left = bounds
    # what a later one leaves may have its middle under an earlier one
    for cover in (*covers, *covers):
        if cover.bounds.clip(left).area and (
            cover.name == KEYBOARD or cover.bounds.contains(left.center)
        ):
            left = _beside(left, cover.bounds)
            if min(left.width, left.height) < LEAST:
                return bounds, cover.name
    return left, ""


def _beside(bounds: Bounds, cover: Bounds) -> Bounds:
    """Give the largest strip of a rectangle that another one leaves free."""
    strips = (
        Bounds(bounds.left, bounds.top, bounds.right, min(bounds.bottom, cover.top)),
        Bounds(bounds.left, max(bounds.top, cover.bottom), bounds.right, bounds.bottom),
        Bounds(bounds.left, bounds.top, min(bounds.right, cover.left), bounds.bottom),
        Bounds(max(bounds.left, cover.right), bounds.top, bounds.right, bounds.bottom),
    )
    return max(strips, key=lambda strip: strip.area)
