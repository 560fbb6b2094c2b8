"""Apps that were recorded from real phones: a folder of screens and the ways between them.

``NAME.xml`` is a screen's hierarchy, ``NAME.png`` its picture (it may be missing), ``app.json``
says the package, the screen's size, where it starts, and the edges: ``{"state", "action",
"match", "to"}``. An action without an edge changes nothing and is noted as ``unmatched``.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from PIL import Image

from virtual_phone import dumps, recorded_tree, theme
from virtual_phone.dumps import RecordingError
from virtual_phone.recorded_tree import Chain, Frame
from virtual_phone.state import State
from virtual_phone.ui import Node, Rect
from virtual_phone.view import App, View

KEY = "recorded"
ACTIONS = (
    *("tap", "long", "back", "enter"),
    *("swipe up", "swipe down", "swipe left", "swipe right"),
)
_MATCHED = ("resource-id", "text", "content-desc", "xpath", "region")
_ALIASES = {"desc": "content-desc"}
_MAX_SIDE = 8192


@dataclass(frozen=True, slots=True)
class Edge:
    """From one screen to another by an action; ``state`` is ``*`` for an edge from everywhere."""

    state: str
    action: str
    to: str
    match: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """A folder's content."""

    package: str
    name: str
    activity: str
    size: tuple[int, int]
    start: str
    screens: dict[str, ElementTree.Element]
    pictures: dict[str, str]
    edges: tuple[Edge, ...]


@lru_cache(maxsize=8)
def load(path: str) -> Recording:
    """Load a folder, or one dump as a recording of a single screen.

    Raises:
        RecordingError: a file cannot be used; the words say which and why.
    """
    where = Path(path)
    files = sorted(where.glob("*.xml")) if where.is_dir() else [where]
    where = where if where.is_dir() else where.parent
    if not files or not files[0].is_file():
        raise RecordingError(f"{path}: no .xml file in it")
    screens = {file.stem: dumps.read_dump(file.read_bytes(), file.name) for file in files}
    images = {name: where / f"{name}.png" for name in screens}
    pictures = {name: str(image) for name, image in images.items() if image.is_file()}
    about = _about(where / "app.json") if Path(path).is_dir() else {}
    start = str(about.get("start") or files[0].stem)
    root = screens.get(start)
    if root is None:
        raise RecordingError(f"app.json: start {start!r} has no .xml file")
    package = str(about.get("package") or _package(root))
    return Recording(
        package=package,
        name=str(about.get("name") or package),
        activity=str(about.get("activity") or ".Recorded"),
        size=_size(about, pictures.get(start), root),
        start=start,
        screens=screens,
        pictures=pictures,
        edges=tuple(_edge(raw, screens) for raw in about.get("edges", [])),
    )


def _about(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordingError(f"app.json: {error}") from error
    if not isinstance(about, dict):
        raise RecordingError("app.json: not an object")
    return about


def _edge(raw: Any, screens: dict[str, ElementTree.Element]) -> Edge:
    try:
        match = {_ALIASES.get(k, k): v for k, v in raw.get("match", {}).items()}
        edge = Edge(raw["state"], raw["action"], raw["to"], match)
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordingError(f"app.json: edge {raw!r} needs state, action and to") from error
    unknown = [n for n in (edge.state, edge.to) if n not in screens and n != "*"]
    wrong = [key for key in edge.match if key not in _MATCHED]
    if unknown or wrong or edge.action not in ACTIONS:
        raise RecordingError(f"app.json: edge {raw!r} names what does not exist: {unknown + wrong}")
    return edge


def _package(root: ElementTree.Element) -> str:
    """Return whose screen it is: the package with the most nodes that is not the system's."""
    names = [e.get("package", "") for e in root.iter("node")]
    apps = [n for n in names if n and n != "com.android.systemui"] or [n for n in names if n]
    found = max(sorted(set(apps)), key=apps.count, default="")
    return found if "." in found else "com.example.recorded"


def _size(about: dict[str, Any], picture: str | None, root: ElementTree.Element) -> tuple[int, int]:
    if given := about.get("size"):
        width, height = (int(side) for side in given)
    elif picture:
        with Image.open(picture) as image:
            width, height = image.size
    else:
        width, height = dumps.extent(root)
    if not (0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE):
        raise RecordingError(f"a screen of {width}x{height} pixels cannot be shown")
    return width, height


# -- the app --------------------------------------------------------------------------------------


def make_apps(path: str) -> tuple[App, ...]:
    """Make the app of a recording; none for an empty path."""
    if not path:
        return ()
    recording = load(path)
    app = App(
        package=recording.package,
        key=KEY,
        names=(recording.name, recording.name),
        icon="apps",
        color=theme.INDIGO,
        fresh=lambda _: {"unmatched": []},
        screen=partial(_screen, recording),
        back=partial(_back, recording),
        activity=lambda _: recording.activity,
        fresh_ui=partial(_fresh_ui, recording),
        on_enter=lambda state: _act(recording, state, "enter", ()),
        whole=True,
    )
    return (app,)


def _fresh_ui(recording: Recording) -> State:
    fields = {
        str(n): recorded_tree.fields_of(root) for n, root in enumerate(recording.screens.values())
    }
    return {"at": recording.start, "fields": fields}


def _screen(recording: Recording, view: View) -> Node:
    page = view.state[KEY]["ui"]
    at = page["at"]
    number = str(list(recording.screens).index(at))
    frame = Frame(
        box=Rect(0, 0, view.width, view.height),
        picture=recording.pictures.get(at, ""),
        typed=page["fields"][number],
        path=f"{KEY}.ui.fields.{number}",
        focus=str(view.state["system"]["focus"]),
        act=partial(_act, recording, view.state),
    )
    return recorded_tree.build(recording.screens[at], frame)


def _back(recording: Recording, state: State) -> bool:
    at = state[KEY]["ui"]["at"]
    return _act(recording, state, "back", ()) or at != recording.start


def _act(recording: Recording, state: State, action: str, chain: Chain) -> bool:
    """Follow the edge that an action on a node, or on what it lies in, has; False without one."""
    page = state[KEY]["ui"]
    x, y = state["system"]["touch"]
    for edge in recording.edges:
        if edge.state not in (page["at"], "*") or edge.action != action:
            continue
        if not edge.match or _matches(recording.screens[page["at"]], edge.match, chain, (x, y)):
            page["at"] = edge.to
            return True
    words = chain[0] if chain else {}
    note = {"state": page["at"], "action": action, "at": [x, y], "text": words.get("text", "")}
    state[KEY]["unmatched"].append(note)
    return False


def _matches(
    root: ElementTree.Element, match: dict[str, Any], chain: Chain, at: tuple[float, float]
) -> bool:
    wanted = dict(match)
    region, xpath = wanted.pop("region", None), wanted.pop("xpath", None)
    if region and not Rect(*region).contains(*at):
        return False
    if xpath:
        meant = [element.attrib for element in root.findall("." + xpath.removeprefix("."))]
        chain = tuple(attributes for attributes in chain if attributes in meant)
    if not wanted:
        return bool(region or chain)
    return any(all(node.get(k, "") == v for k, v in wanted.items()) for node in chain)
