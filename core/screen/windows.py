"""Tell the app's own window from what lies over it.

A dump holds its windows in no fixed order and does not say which is on top. The app in front is
known from elsewhere; its largest window is the ground, and every other window lies over it.
"""

from dataclasses import dataclass
from typing import Literal

from core.devices.base import Bounds
from core.screen.hierarchy import Hierarchy, Node

SYSTEM_UI = "com.android.systemui"
#: Begins the line above the elements of a window that lies over the app.
OVER = "-- over the app: "

#: ``app`` is the ground, ``over`` lies over it, ``system`` is the status bar and its like.
Role = Literal["app", "over", "system"]
_ORDER: dict[Role, int] = {"app": 0, "over": 1, "system": 2}


@dataclass(frozen=True, slots=True)
class Window:
    """A root of the dump; ``package`` may be a pseudo one such as ``gesture``."""

    root: Node
    package: str
    role: Role

    @property
    def title(self) -> str:
        """Give the line above its elements; the app's own window has none."""
        return "" if self.role == "app" else f"{OVER}{self.package or 'unknown'}"


def sort(tree: Hierarchy, front: str, visible: Bounds, keyboard: str) -> list[Window]:
    """Put a dump's windows into the order in which they are listed, the same for the same screen.

    Args:
        tree: The dump.
        front: The package of the app in front.
        visible: The screen.
        keyboard: The package whose windows are left out, empty for none.
    """
    found = [(root, _package(root)) for root in tree.windows]
    found = [(root, package) for root, package in found if not keyboard or package != keyboard]
    found.sort(key=lambda each: -each[0].bounds.clip(visible).area)
    ground = _ground(found, front)
    listed = [Window(root, name, _role(root, name, ground)) for root, name in found]
    listed.sort(key=lambda w: (_ORDER[w.role], w.package, _place(w.root)))
    return listed


def _ground(found: list[tuple[Node, str]], front: str) -> Node | None:
    """Choose the largest window of the app in front, else the one that holds its nodes."""
    for root, package in found:
        if package == front:
            return root
    for root, package in found:
        if package != SYSTEM_UI and any(n.get("package") == front for n in root.walk()):
            return root
    nameless = [root for root, package in found if not package]
    if nameless:
        return nameless[0]
    own = [root for root, package in found if package != SYSTEM_UI]
    return own[0] if own and not front else None


def _role(root: Node, package: str, ground: Node | None) -> Role:
    if root is ground:
        return "app"
    return "system" if package == SYSTEM_UI else "over"


def _package(root: Node) -> str:
    own = root.get("package")
    return own or next((name for node in root.walk() if (name := node.get("package"))), "")


def _place(root: Node) -> tuple[int, int, int, int]:
    bounds = root.bounds
    return bounds.top, bounds.left, bounds.bottom, bounds.right
