"""Dumps of real phones: each reads, loses no label and stays small."""

import json
import statistics
from collections import Counter
from pathlib import Path

import pytest

from core.devices.base import AppInfo, Bounds, Size
from core.errors import ScreenUnreadable
from core.screen import hierarchy, screen
from core.screen.labels import clean, cut
from core.screen.screen import Screen
from core.screen.tokens import estimate
from tests.core.screen.making import seen

FOLDER = Path(__file__).parents[3].parent / "shared" / "data" / "ui_dumps"
UNREADABLE = {"empty.xml": "no readable", "error_text_instead.xml": "could not get idle state"}
BROKEN_OFF = {"truncated_mid_utf8.xml"}
DUMPS = sorted(path for path in FOLDER.rglob("*.xml") if path.name not in UNREADABLE)
STANDS = {"on", "off"}

pytestmark = pytest.mark.skipif(not DUMPS, reason="the data set is not here")


def shown(path: Path) -> tuple[Screen, list[hierarchy.Node]]:
    raw = path.read_bytes()
    tree = hierarchy.parse(raw)
    nodes = list(tree.walk())
    size = Size(max(n.bounds.right for n in nodes), max(n.bounds.bottom for n in nodes))
    front = Counter(n.get("package") for n in nodes).most_common(1)[0][0]
    text = raw.decode(errors="replace")
    app = AppInfo(front, "")
    screen.read.cache_clear()
    return screen.read(seen(text, app=app, size=size, rotation=tree.rotation)), nodes


def labels(nodes: list[hierarchy.Node], whole: Bounds) -> set[str]:
    """List what a person sees, without a look at how the compact text is made."""
    found: set[str] = set()
    for node in nodes:
        area = node.bounds.clip(whole).area
        if not area or node.get("visible-to-user") == "false" or node.is_on("password"):
            continue
        texts = {clean(node.get("text")), clean(node.get("content-desc"))} - {""}
        if node.is_on("checkable"):
            texts = {text for text in texts if text.casefold() not in STANDS}
        found |= texts
    return found


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.stem)
def test_every_label_is_in_the_compact_text(path: Path) -> None:
    now, nodes = shown(path)

    wanted = {
        json.dumps(cut(label), ensure_ascii=False)[1:-1] for label in labels(nodes, now.size.bounds)
    }
    assert not [label for label in wanted if label not in now.text]


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.stem)
def test_every_listed_element_is_on_the_screen_and_keeps_its_number(path: Path) -> None:
    now, _ = shown(path)
    again, _ = shown(path)

    assert [e.number for e in now.elements] == list(range(1, len(now.elements) + 1))
    assert all(now.size.bounds.contains(e.point) and e.bounds.area > 0 for e in now.elements)
    assert now.text == again.text


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.stem)
def test_only_a_dump_that_broke_off_is_partial(path: Path) -> None:
    now, _ = shown(path)

    assert now.hierarchy.partial == (path.name in BROKEN_OFF)


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_dump_says_what_it_is(name: str) -> None:
    with pytest.raises(ScreenUnreadable, match=UNREADABLE[name]):
        hierarchy.parse((FOLDER / "derived" / name).read_bytes())


def test_the_compact_texts_are_small() -> None:
    texts = [shown(path)[0].text for path in DUMPS]
    xml = sum(path.stat().st_size for path in DUMPS)
    largest = max(DUMPS, key=lambda path: path.stat().st_size)
    real = [t for t, p in zip(texts, DUMPS, strict=True) if p != largest]

    assert statistics.median(map(estimate, texts)) <= 1000
    assert sum(len(text.encode()) for text in texts) <= 0.06 * xml
    # the largest dump is made of four; the goal holds without it too
    assert sum(len(text.encode()) for text in real) <= 0.06 * (xml - largest.stat().st_size)
