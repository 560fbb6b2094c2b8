"""Record an app from a live device: each screen that was seen, and the action that led to it.

The folder is what ``--recorded`` shows. A screen that was seen before is not saved twice, so going
back and forth draws the map of the app.
"""

from __future__ import annotations

import json
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import adbutils

from virtual_phone import dumps
from virtual_phone.recorded import ACTIONS

_SETTLE_S, _POLL_S = 5.0, 0.2
_LONG_MS, _SWIPE_MS = 800, 300
_PNG = b"\x89PNG\r\n\x1a\n"
_WAYS = {"up": (0.5, 0.7, 0.5, 0.3), "down": (0.5, 0.3, 0.5, 0.7)}
_WAYS |= {"left": (0.8, 0.5, 0.2, 0.5), "right": (0.2, 0.5, 0.8, 0.5)}
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ \S+ ([\w.]+)/([\w.$]+)\}")
_KEYS = {"back": "KEYCODE_BACK", "enter": "KEYCODE_ENTER"}
USAGE = "tap X Y | long X Y | swipe up|down|left|right | back | enter | text WORDS | snap | quit"


class Recorder:
    """Does what it is told on a device and writes down what came of it."""

    def __init__(self, serial: str, folder: Path) -> None:
        self._device = adbutils.adb.device(serial)
        self._folder = folder
        self._seen: dict[str, str] = {}
        self._edges: list[dict[str, Any]] = []
        self._about: dict[str, Any] = {}
        self._root: ElementTree.Element | None = None
        self.at = ""
        folder.mkdir(parents=True, exist_ok=True)

    def snap(self) -> str:
        """Save the screen once it rests, unless it is known.

        Returns:
            The name of the screen.

        Raises:
            RecordingError: the device gives no hierarchy.
        """
        xml = self._rested()
        self._root = dumps.read_dump(xml.encode(), "the device's dump")
        if xml not in self._seen:
            self._seen[xml] = f"screen{len(self._seen) + 1:03d}"
            self._write(self._seen[xml], xml)
        self.at = self._seen[xml]
        if not self._about:
            self._describe()
        self._save()
        return self.at

    def do(self, line: str) -> str:
        """Do one line of ``USAGE`` on the device; returns the screen that it led to.

        Raises:
            ValueError: the line is none of them.
        """
        if not self.at:
            self.snap()
        before, (action, match) = self.at, self._act(line.split())
        after = self.snap()
        edge = {"state": before, "action": action, "match": match, "to": after}
        if action in ACTIONS and after != before and edge not in self._edges:
            self._edges.append(edge)
            self._save()
        return after

    def _act(self, words: list[str]) -> tuple[str, dict[str, Any]]:
        match words:
            case ["tap" | "long" as kind, x, y]:
                return kind, self._touch(kind, int(x), int(y))
            case ["swipe", way] if way in _WAYS:
                width, height = self._about["size"]
                x1, y1, x2, y2 = _WAYS[way]
                line = f"{x1 * width:.0f} {y1 * height:.0f} {x2 * width:.0f} {y2 * height:.0f}"
                self._device.shell(f"input swipe {line} {_SWIPE_MS}")
                return f"swipe {way}", {}
            case ["back" | "enter" as key]:
                self._device.shell(f"input keyevent {_KEYS[key]}")
                return key, {}
            case ["text", *parts]:
                self._device.send_keys(" ".join(parts))
                return "text", {}
            case ["snap"]:
                return "snap", {}
        raise ValueError(f"not understood: {' '.join(words)}; say {USAGE}")

    def _touch(self, kind: str, x: int, y: int) -> dict[str, Any]:
        match = self._meant(x, y)
        if kind == "tap":
            self._device.shell(f"input tap {x} {y}")
        else:
            self._device.shell(f"input swipe {x} {y} {x} {y} {_LONG_MS}")
        return match

    def _meant(self, x: int, y: int) -> dict[str, Any]:
        """Name the smallest node under a point by what tells it apart, else by its place."""
        if self._root is None:
            return {"region": [x - 1, y - 1, x + 1, y + 1]}
        under = [e for e in self._root.iter("node") if dumps.bounds(e).contains(x, y)]
        for node in sorted(under, key=_area):
            match = {
                key: node.get(key)
                for key in ("resource-id", "text", "content-desc")
                if node.get(key, "").strip()
            }
            if match and sum(_is(e, match) for e in self._root.iter("node")) == 1:
                return match
        return {"region": list(dumps.bounds(min(under, key=_area)))} if under else {}

    # -- the device and the folder ----------------------------------------------------------------

    def _rested(self) -> str:
        deadline = time.monotonic() + _SETTLE_S
        xml = self._dump()
        while time.monotonic() < deadline:
            time.sleep(_POLL_S)
            now = self._dump()
            if now == xml:
                break
            xml = now
        return xml

    def _dump(self) -> str:
        text = self._device.shell("uiautomator dump /dev/tty")
        end = text.rfind("</hierarchy>")
        return str(text[: end + len("</hierarchy>")] if end >= 0 else text)

    def _write(self, name: str, xml: str) -> None:
        (self._folder / f"{name}.xml").write_text(xml, encoding="utf-8")
        picture = self._device.shell("screencap -p", encoding=None)
        start = picture.find(_PNG)  # some phones print a warning first
        if start >= 0:
            (self._folder / f"{name}.png").write_bytes(picture[start:])

    def _describe(self) -> None:
        found = _FOCUS.search(self._device.shell("dumpsys window"))
        package, activity = (found[1], found[2]) if found else ("", ".Recorded")
        size = self._device.window_size()
        self._about = {
            "package": package,
            "activity": activity.removeprefix(package),
            "size": list(size),
            "start": self.at,
        }

    def _save(self) -> None:
        about = {**{k: v for k, v in self._about.items() if v}, "edges": self._edges}
        text = json.dumps(about, ensure_ascii=False, indent=1)
        (self._folder / "app.json").write_text(text + "\n", encoding="utf-8")


def _area(element: ElementTree.Element) -> int:
    box = dumps.bounds(element)
    return box.width * box.height


def _is(element: ElementTree.Element, match: dict[str, Any]) -> bool:
    return all(element.get(key) == value for key, value in match.items())


def record(serial: str, folder: Path, lines: Iterable[str]) -> int:
    """Record from lines of commands, answering each with the screen that it led to."""
    recorder = Recorder(serial, folder)
    sys.stdout.write(f"{recorder.snap()}   ({USAGE})\n")
    for line in lines:
        if line.strip() in ("quit", "exit"):
            break
        if not line.strip():
            continue
        try:
            said = recorder.do(line)
        except ValueError as error:
            said = str(error)
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()
    return 0
