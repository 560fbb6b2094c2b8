"""The tree of what is on the screen: a node carries its place, text, look and handlers.

The picture, both dumps, the selector engine and the hit test all walk this tree, so they cannot
disagree. ``bounds`` is the visible part; ``full`` is the unclipped rectangle that is painted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

FRAME = "android.widget.FrameLayout"
LINEAR = "android.widget.LinearLayout"
TEXT = "android.widget.TextView"
EDIT = "android.widget.EditText"
IMAGE = "android.widget.ImageView"
BUTTON = "android.widget.Button"
IMAGE_BUTTON = "android.widget.ImageButton"
SWITCH = "android.widget.Switch"
RADIO = "android.widget.RadioButton"
SEEK_BAR = "android.widget.SeekBar"
LIST = "androidx.recyclerview.widget.RecyclerView"
VIEW = "android.view.View"
CHECK = "android.widget.CheckBox"
WEB = "android.webkit.WebView"


class Rect(NamedTuple):
    """A rectangle in pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return self.bottom - self.top

    @property
    def center(self) -> tuple[int, int]:
        """The middle, where a tap lands."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @property
    def empty(self) -> bool:
        """Tell whether there is nothing to see of it."""
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, x: float, y: float) -> bool:
        """Tell whether a point is inside."""
        return self.left <= x < self.right and self.top <= y < self.bottom

    def clip(self, other: Rect) -> Rect:
        """Return the part that is also in ``other``, perhaps empty."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def inset(self, x: int, y: int) -> Rect:
        """Shrink by ``x`` on both sides and ``y`` above and below."""
        return Rect(self.left + x, self.top + y, self.right - x, self.bottom - y)


@dataclass(frozen=True, slots=True)
class Look:
    """How a node is painted: fill, then icon, then text. Sizes in pixels, colours as #rrggbb."""

    fill: str = ""
    radius: int = 0
    border: str = ""
    size: int = 0
    color: str = "#000000"
    bold: bool = False
    align: str = "left"
    icon: str = ""
    icon_size: int = 0
    icon_color: str = ""
    hint_color: str = ""
    pad: int = 0
    multiline: bool = False
    colors: tuple[str, ...] = ()
    widget: str = ""
    value: float = 0.0
    caret: bool = False


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Scroll:
    """Where a scrolling node keeps its offset, how far it goes in pixels, and what its end does."""

    path: str
    offset: int
    limit: int
    on_end: Callable[[], object] | None = None


@dataclass(slots=True)
class Node:
    """One view of the screen."""

    cls: str
    bounds: Rect
    text: str = ""
    rid: str = ""
    desc: str = ""
    hint: str = ""
    look: Look = PLAIN
    children: list[Node] = field(default_factory=list)
    on_tap: Callable[[], object] | None = None
    on_point: Callable[[float], object] | None = None
    on_long: Callable[[], object] | None = None
    on_drag: Callable[[float, float], object] | None = None
    edits: str = ""
    scroll: Scroll | None = None
    checked: bool | None = None
    selected: bool = False
    enabled: bool = True
    focused: bool = False
    password: bool = False
    painted_only: bool = False
    z: int = 0
    full: Rect | None = None
    recorded: dict[str, str] | None = None

    @property
    def clickable(self) -> bool:
        """Tell whether a tap does something here."""
        return self.enabled and bool(self.on_tap or self.on_point or self.edits)

    @property
    def takes_touches(self) -> bool:
        """Tell whether a recorded node was clickable."""
        was = self.recorded or {}
        return bool(self.edits) or "true" in (was.get("clickable"), was.get("long-clickable"))

    @property
    def shown(self) -> str:
        """The words to be read: like Android, an empty field reports its hint as its text."""
        return self.text or self.hint

    def visible_children(self) -> list[Node]:
        """Return the children that a dump shows."""
        return [c for c in self.children if not c.painted_only]

    def walk(self) -> Iterator[Node]:
        """Yield this node and what a dump shows below it, parents first."""
        yield self
        for child in self.visible_children():
            yield from child.walk()

    def by_paint_order(self) -> list[Node]:
        """Return the children, the topmost last."""
        return sorted(self.children, key=lambda child: child.z)


@dataclass(frozen=True, slots=True)
class Window:
    """A root node and the package that owns it; later windows are above earlier ones.

    A modal window takes every touch, so the windows under it are painted but not reported.
    ``title`` is the name that the window manager gives it, where that is not its activity.
    """

    package: str
    root: Node
    modal: bool = False
    title: str = ""

    def roots(self) -> list[Node]:
        """Return what a dump begins with: a root without a class only holds recorded windows."""
        return [self.root] if self.root.cls else self.root.visible_children()


def reported(windows: list[Window]) -> list[Window]:
    """Return the windows that can be touched, as accessibility reports them: active one first."""
    at = max((n for n, window in enumerate(windows) if window.modal), default=0)
    return windows[at:]


def clip_tree(node: Node, viewport: Rect) -> None:
    """Cut everything below ``node`` to the viewport and drop what is outside."""
    kept = []
    for child in node.children:
        visible = child.bounds.clip(viewport)
        if visible.empty:
            continue
        if visible != child.bounds:
            child.full, child.bounds = child.full or child.bounds, visible
        clip_tree(child, viewport)
        kept.append(child)
    node.children = kept


def path_to(node: Node, x: float, y: float) -> list[Node]:
    """Return the nodes under a point from the root to the topmost leaf.

    Layouts of recorded screens lie above each other: as on Android, what cannot be clicked lets
    the touch through to what can, and takes it only where there is nothing to click.
    """
    words: list[Node] = []
    for child in reversed(node.by_paint_order()):
        if child.bounds.contains(x, y):
            path = path_to(child, x, y)
            if child.recorded is None or any(n.takes_touches for n in path):
                return [node, *path]
            if not words and any(n.on_tap for n in path):
                words = path
    return [node, *words]


def hit(windows: list[Window], x: float, y: float) -> tuple[Window, list[Node]] | None:
    """Return the topmost window under a point and the nodes there, or None."""
    for window in reversed(windows):
        if window.root.bounds.contains(x, y):
            path = path_to(window.root, x, y)
            return window, path
    return None
