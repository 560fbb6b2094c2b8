"""Recorded screens: every real dump loads, and each of its labelled elements can be tapped."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uiautomator2
from PIL import Image

from virtual_phone import touch
from virtual_phone.adb_server import AdbServer, adb_program
from virtual_phone.android import Phone
from virtual_phone.dumps import RecordingError, bounds, read_dump
from virtual_phone.profile import Profile
from virtual_phone.rack import with_recording
from virtual_phone.recorded_tree import labelled
from virtual_phone.testing import PhoneHandle, VirtualRack
from virtual_phone.ui import Rect

DUMPS = Path(__file__).parents[3] / "shared" / "data" / "ui_dumps"
BROKEN = {
    "empty.xml": "no hierarchy",
    "error_text_instead.xml": "could not get idle state",
    "truncated_mid_utf8.xml": "cut off",
}
FILES = sorted(DUMPS.glob("*/*.xml"))
LOADABLE = [f for f in FILES if f.name not in BROKEN]

needs_dumps = pytest.mark.skipif(not FILES, reason="the folder of real dumps is not here")


def on_a_phone(path: Path) -> Phone:
    return Phone(with_recording(Profile(), str(path)))


def reachable(root: ElementTree.Element, size: tuple[int, int]) -> Iterator[ElementTree.Element]:
    """Yield the labelled nodes with area whose middle a finger reaches.

    It does not when the point lies off the screen or outside of what holds the node, or when
    another node takes the touch: one above that can be clicked, one with words above plain words,
    or one below that can be clicked when the node, and what holds it there, cannot.
    """
    parents = {child: parent for parent in root.iter() for child in parent}
    screen = Rect(0, 0, *size)
    for node in root.iter("node"):
        box = bounds(node)
        if labelled(node) and not box.empty and screen.contains(*box.center):
            chain = [node]
            while (parent := parents[chain[-1]]).tag == "node":
                chain.append(parent)
            held = all(bounds(above).contains(*box.center) for above in chain)
            if held and not _taken_away(chain, root, box.center):
                yield node


def _taken_away(
    chain: list[ElementTree.Element], root: ElementTree.Element, at: tuple[int, int]
) -> bool:
    if any(_has(child, at, _clicks) or _has(child, at, labelled) for child in chain[0]):
        return True
    clicks = False
    for node, holder in zip(chain, [*chain[1:], root], strict=True):
        clicks = clicks or _clicks(node)
        above, below = _neighbours(node, list(holder), is_window=holder is root)
        if any(_has(other, at, _clicks) for other in above):
            return True
        if not clicks and any(_has(other, at, labelled) for other in above):
            return True
        if not clicks and any(_has(other, at, _clicks) for other in below):
            return True
    return False


def _neighbours(
    node: ElementTree.Element, siblings: list[ElementTree.Element], *, is_window: bool
) -> tuple[list[ElementTree.Element], list[ElementTree.Element]]:
    if is_window:  # the first window is the topmost
        ordered = siblings[::-1]
    else:
        ordered = sorted(siblings, key=lambda s: int(s.get("drawing-order") or 0))
    place = ordered.index(node)
    return ordered[place + 1 :], ordered[:place]


def _clicks(node: ElementTree.Element) -> bool:
    return _is_field(node) or "true" in (node.get("clickable"), node.get("long-clickable"))


def _is_field(node: ElementTree.Element) -> bool:
    return node.get("class", "").endswith("EditText") and node.get("enabled") != "false"


def _has(
    node: ElementTree.Element,
    at: tuple[int, int],
    claim: Callable[[ElementTree.Element], bool],
) -> bool:
    """Tell whether a node, or one in it, is under a point and is as claimed."""
    inside = bounds(node).contains(*at)
    return inside and (claim(node) or any(_has(child, at, claim) for child in node))


@needs_dumps
@pytest.mark.parametrize("path", LOADABLE, ids=lambda p: p.name)
def test_a_real_dump_is_shown_as_it_was(path: Path) -> None:
    phone = on_a_phone(path)

    picture = phone.camera.picture()

    nodes = [n for w in phone.windows() for r in w.roots() for n in r.walk()]
    root = read_dump(path.read_bytes(), path.name)
    assert picture.size == phone.size
    assert any(low < high for low, high in picture.getextrema())  # something is drawn
    assert [n.recorded["bounds"] for n in nodes if n.recorded] == [
        e.get("bounds") for e in root.iter("node")
    ]


@needs_dumps
@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_dump_that_cannot_be_repaired_says_why(name: str) -> None:
    with pytest.raises(RecordingError, match=f"{name}.*{BROKEN[name]}"):
        on_a_phone(DUMPS / "derived" / name)


@needs_dumps
def test_each_labelled_element_is_selected_and_tapped_through_adb(adb_server: AdbServer) -> None:
    tapped = 0
    for path in LOADABLE:
        profile = with_recording(Profile(), str(path))
        with VirtualRack(profile=profile) as rack:
            (phone,) = rack.phones
            adb_server.connect(phone.address)
            tapped += tap_everything(phone, adb_server.port, profile)
            adb_server.disconnect(phone.address)

    assert tapped > 500  # 516 of 783 with words and area on 2026-11-30; the rest is covered


def tap_everything(phone: PhoneHandle, port: int, profile: Profile) -> int:
    adb = [adb_program(), "-P", str(port), "-s", phone.address]
    dump = subprocess.check_output([*adb, "exec-out", "uiautomator dump /dev/tty"], timeout=20)
    root = read_dump(dump, "dump")
    meant = list(reachable(root, (profile.width, profile.height)))
    lines = []
    for node in meant:
        x, y = bounds(node).center
        # the keyboard that a field raises would cover the next ones
        lines.append(f"input tap {x} {y}" + ("; input keyevent BACK" if _is_field(node) else ""))

    for start in range(0, len(lines), 100):
        subprocess.check_call([*adb, "shell", "; ".join(lines[start : start + 100])], timeout=20)

    got = [entry["bounds"] for entry in phone.log() if entry["kind"] == "tap"]
    wrong = [(n.attrib, g) for n, g in zip(meant, got, strict=True) if list(bounds(n)) != g]
    assert wrong == []
    return len(meant)


# -- the folder format ----------------------------------------------------------------------------


AREA = [0, 900, 720, 1280]


def node(text: str, box: str, inside: str = "", **more: str) -> str:
    words = {"index": "0", "text": text, "resource-id": "", "class": "android.widget.TextView"}
    words |= {"package": "org.example.bus", "content-desc": "", "bounds": box}
    words |= {key.replace("_", "-"): value for key, value in more.items()}
    return "<node " + " ".join(f'{k}="{v}"' for k, v in words.items()) + f">{inside}</node>"


def screen(*nodes: str) -> str:
    whole = node("", "[0,0][720,1280]", "".join(nodes))
    return f'<?xml version="1.0"?><hierarchy rotation="0">{whole}</hierarchy>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "stops.xml").write_text(
        screen(
            node("线路 12", "[0,100][720,200]", clickable="true"),
            node("", "[0,300][720,400]", resource_id="q", **{"class": "android.widget.EditText"}),
        )
    )
    (tmp_path / "line.xml").write_text(screen(node("首班 06:00", "[0,100][720,200]")))
    Image.new("RGB", (720, 1280), "#336699").save(tmp_path / "line.png")
    about = {
        "package": "org.example.bus",
        "name": "公交",
        "start": "stops",
        "edges": [
            {"state": "stops", "action": "tap", "match": {"text": "线路 12"}, "to": "line"},
            {"state": "line", "action": "tap", "match": {"region": AREA}, "to": "stops"},
            {"state": "*", "action": "swipe up", "match": {}, "to": "stops"},
            {"state": "line", "action": "back", "match": {}, "to": "stops"},
        ],
    }
    (tmp_path / "app.json").write_text(json.dumps(about))
    return tmp_path


@pytest.fixture
def bus(folder: Path, adb_server: AdbServer) -> Iterator[PhoneHandle]:
    with VirtualRack(profile=with_recording(Profile(), str(folder))) as rack:
        adb_server.connect(rack.phones[0].address)
        yield rack.phones[0]
        adb_server.disconnect(rack.phones[0].address)


def test_a_recorded_app_goes_from_screen_to_screen(bus: PhoneHandle) -> None:
    u2 = uiautomator2.connect(bus.address)
    seen = []

    for act in (
        lambda: u2(text="线路 12").click(),
        lambda: u2.click(300, 1000),
        lambda: u2(text="线路 12").click(),
        lambda: u2.press("back"),
    ):
        act()
        seen.append(bus.get("recorded.ui.at"))

    assert seen == ["line", "stops", "line", "stops"]
    assert u2.app_current()["package"] == "org.example.bus"


def test_the_recorded_picture_is_the_screen_and_a_missing_one_is_drawn(bus: PhoneHandle) -> None:
    drawn = bus.ask(lambda p: len(p.camera.picture().getcolors(1 << 20) or []))

    bus.set("recorded.ui.at", "line")

    assert drawn > 3
    assert bus.ask(lambda p: p.camera.picture().getpixel((10, 10))) == (0x33, 0x66, 0x99)


def test_typed_text_is_in_the_tree_of_a_recorded_field(bus: PhoneHandle) -> None:
    u2 = uiautomator2.connect(bus.address)

    u2(resourceId="q").set_text("人民广场")

    assert u2(text="人民广场").info["resourceName"] == "q"
    assert "人民广场" in u2.dump_hierarchy()


def test_an_action_without_an_edge_changes_nothing_and_is_noted(bus: PhoneHandle) -> None:
    bus.set("recorded.ui.at", "line")

    bus.ask(lambda p: touch.tap(p, 300, 150))

    assert bus.get("recorded.ui.at") == "line"
    assert bus.get("recorded.unmatched")[0]["text"] == "首班 06:00"


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"edges": [{"state": "stops", "action": "tap", "to": "nowhere"}]}, "nowhere"),
        ({"edges": [{"state": "stops", "action": "jump", "to": "line"}]}, "names what does not"),
        ({"edges": [{"to": "line"}]}, "needs state, action and to"),
        ({"start": "absent"}, "absent"),
    ],
)
def test_a_wrong_description_says_what_is_wrong(folder: Path, about: object, words: str) -> None:
    (folder / "app.json").write_text(json.dumps(about))

    with pytest.raises(RecordingError, match=re.escape(words)):
        on_a_phone(folder)
