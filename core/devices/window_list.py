"""Read ``dumpsys window windows``: which windows there are, from the top down, and what they are.

Asked only where nothing better tells: the tree of uiautomator2 lists the windows by itself.
Formats since Android 4: flags are a number or names, frames ``mFrame=`` or ``frame=``.
"""

import re
from dataclasses import dataclass

from core.devices.base import Bounds

#: Asks for what `parse` reads.
WINDOWS = "dumpsys window windows"
FLAG_SECURE, FLAG_NOT_TOUCHABLE = 0x2000, 0x10

_HEAD = re.compile(r"^  Window #\d+ Window\{\S+ (?:u\d+ )?([^\s}]+)[^\n]*\n", re.M)
_PACKAGE = re.compile(r"\bpackage=([\w.]+)")
_FLAGS = re.compile(r"\bfl=(#[0-9a-fA-F]+|[A-Z_ ]+)")
_FRAME = re.compile(r"\bm?[fF]rame=\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_HIDDEN = re.compile(r"mViewVisibility=0x[48]|isVisible=false|isOnScreen=false")


@dataclass(frozen=True, slots=True)
class ListedWindow:
    """One window; ``secure`` forbids pictures, ``touchable`` says that it takes touches."""

    title: str
    package: str
    bounds: Bounds
    secure: bool
    touchable: bool
    visible: bool


def parse(text: str) -> list[ListedWindow]:
    """Read the list, the topmost window first; what is no list is empty."""
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    return [_window(head[1], text[head.end() : end]) for head, end in zip(heads, ends, strict=True)]


def over(windows: list[ListedWindow], package: str) -> tuple[ListedWindow, ...]:
    """Give what takes touches above an app's own window; nothing when that is not listed."""
    above: list[ListedWindow] = []
    for window in windows:
        if window.visible and window.package == package:
            return tuple(above)
        if window.visible and window.touchable and window.bounds.area:
            above.append(window)
    return ()


def forbids_pictures(windows: list[ListedWindow], package: str) -> bool | None:
    """Say whether an app's windows forbid pictures; None when none of them is listed."""
    own = [window.secure for window in windows if window.visible and window.package == package]
    return any(own) if own else None


def _window(title: str, body: str) -> ListedWindow:
    package = _PACKAGE.search(body)
    flags = _FLAGS.search(body)
    frame = _FRAME.search(body)
    said = flags[1] if flags else ""
    return ListedWindow(
        title=title,
        package=package[1] if package else title.partition("/")[0],
        bounds=Bounds(*map(int, frame.groups())) if frame else Bounds(0, 0, 0, 0),
        secure=_has(said, FLAG_SECURE, "SECURE"),
        touchable=not _has(said, FLAG_NOT_TOUCHABLE, "NOT_TOUCHABLE"),
        visible=not _HIDDEN.search(body),
    )


def _has(said: str, bit: int, name: str) -> bool:
    return bool(int(said[1:], 16) & bit) if said.startswith("#") else name in said.split()
