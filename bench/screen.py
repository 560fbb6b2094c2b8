"""What a screen costs a model, in tokens and bytes, and what reading one costs us.

Over the dumps of real phones in ``PHONEDECK_DUMPS``, else in ``../shared/data/ui_dumps``, else the
few of the tests: against the raw XML, a JSON list of the same elements and, for time, a bare
parse. Tokens are estimated, see `core.screen.tokens`.
"""

import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lxml import etree

from bench.figure import Figure, median_of
from core.devices.base import AppInfo, Observation, Size
from core.errors import ScreenUnreadable
from core.screen import hierarchy, labels, screen
from core.screen.screen import Screen
from core.screen.tokens import estimate

ROUNDS = 7
GOAL_TOKENS = 1000
GOAL_OF_XML = 0.06
GOAL_OF_JSON = 0.5
GOAL_UNCHANGED = 0.5

_HOME = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump that reads, with what a phone would have told beside it."""

    raw: bytes
    seen: Observation


def figures() -> Iterator[Figure]:
    """Measure tokens, bytes and time."""
    dumps = list(pages())
    shown = [screen.read(dump.seen) for dump in dumps]
    texts = [each.text for each in shown]
    xml = float(sum(len(dump.raw) for dump in dumps))
    as_json = [_as_json(each) for each in shown]
    ours = float(sum(len(text.encode()) for text in texts))
    yield Figure("screen.dumps", len(dumps), "dumps")
    tokens = statistics.median(map(estimate, texts))
    yield Figure("screen.tokens_median", tokens, "tokens", GOAL_TOKENS, 1.0)
    raw = statistics.median(estimate(dump.seen.xml) for dump in dumps)
    yield Figure("screen.tokens_of_xml", tokens, "tokens", raw, None)
    listed = statistics.median(map(estimate, as_json))
    yield Figure("screen.tokens_of_json", tokens, "tokens", listed, GOAL_OF_JSON)
    yield Figure("screen.bytes_of_xml", ours, "bytes", xml, GOAL_OF_XML)
    sized = float(sum(len(text.encode()) for text in as_json))
    yield Figure("screen.bytes_of_json", ours, "bytes", sized, GOAL_OF_JSON)
    bare = median_of(ROUNDS, lambda: _timed(dumps, lambda dump: etree.fromstring(dump.raw)))
    first = median_of(ROUNDS, lambda: _timed(dumps, _read_first))
    later = median_of(ROUNDS, lambda: _timed(dumps, _read_later))
    same = median_of(ROUNDS, lambda: _timed(dumps, _read_same))
    # no goal: a bare parse runs in C, and twice its time is less than a look at each node takes
    yield Figure("screen.first_read", first, "ms/MB", bare)
    yield Figure("screen.later_read", later, "ms/MB", bare)
    yield Figure("screen.unchanged", same, "ms/MB", bare, GOAL_UNCHANGED)


def pages() -> Iterator[Dump]:
    """Give the dumps of real phones that are there, else the few of the tests."""
    given = os.environ.get("PHONEDECK_DUMPS")
    folder = Path(given) if given else _HOME.parent / "shared" / "data" / "ui_dumps"
    found = sorted(folder.rglob("*.xml")) or sorted((_HOME / "tests" / "golden").glob("*.xml"))
    for path in found:
        raw = path.read_bytes()
        try:
            tree = hierarchy.parse(raw)
            etree.fromstring(raw)
        except (ScreenUnreadable, etree.XMLSyntaxError):
            continue  # a bare parser cannot read it, so there is nothing to hold ours against
        yield Dump(raw, _seen(raw, tree))


def _seen(raw: bytes, tree: hierarchy.Hierarchy) -> Observation:
    nodes = list(tree.walk())
    return Observation(
        xml=raw.decode(),
        app=AppInfo(Counter(node.get("package") for node in nodes).most_common(1)[0][0], ""),
        size=Size(max(n.bounds.right for n in nodes), max(n.bounds.bottom for n in nodes)),
        rotation=tree.rotation,
        keyboard=False,
        keyboard_package="",
        screen_on=True,
    )


def _as_json(shown: Screen) -> str:
    """Give the same elements as most phone tools do: a JSON list, one line."""
    return json.dumps([_fields(shown, at) for at in range(len(shown.elements))], ensure_ascii=False)


def _fields(shown: Screen, at: int) -> dict[str, Any]:
    element = shown.elements[at]
    bounds = element.bounds
    return {
        "index": element.number,
        "type": element.kind,
        "text": element.label,
        "id": element.short_id,
        "flags": list(element.flags),
        "bounds": {
            "x": bounds.left,
            "y": bounds.top,
            "width": bounds.width,
            "height": bounds.height,
        },
    }


def _read_first(dump: Dump) -> None:
    """Read it as if no screen of the app had been read before."""
    hierarchy.parse_bounds.cache_clear()
    labels.clean.cache_clear()
    _read_later(dump)


def _read_later(dump: Dump) -> None:
    """Read it as if something on the app's screen had changed."""
    screen.read.cache_clear()
    _ = screen.read(dump.seen).text


def _read_same(dump: Dump) -> None:
    """Read what came from the phone a second time, equal but not the same object."""
    screen.read(replace(dump.seen, xml=dump.raw.decode()))


def _timed(dumps: list[Dump], read: Callable[[Dump], object]) -> float:
    """Return the processor time, in milliseconds a megabyte of XML."""
    begun = time.thread_time()
    for dump in dumps:
        read(dump)
    return (time.thread_time() - begun) * 1e9 / sum(len(dump.raw) for dump in dumps)
