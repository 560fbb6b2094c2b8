"""What it costs to recall an experience, and whether the right one comes.

Ours is the index in the database; it is held against a loop that makes the pairs of every task
anew. Only processor time counts. `differs` are queries whose two best are others than those of a
look at every row. The misses are over the data set's groups of the same job, every line against
all others, held against the misses of TF-IDF over pairs and triples of signs.
"""

import heapq
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.figure import Figure
from core import setup
from core.config import Config
from core.db import Database
from core.memory import experiences
from core.memory.experiences import TASK_CHARS, NewExperience
from core.memory.near import ACROSS, OWN, Kind
from core.memory.recall import ORDERED, TOP, recall
from core.similar import FLOOR, Closer, Rarities, Weigh, grams

#: How many are known, and what share of the loop's time a query may take then.
SIZES: dict[int, float | None] = {1_000: None, 10_000: 0.1, 100_000: 0.02}
SOAK = {1_000_000: 0.004}
QUERIES, NAIVE_QUERIES = 60, 3
COMPARED = 10_000  # up to here every row is looked at, to see whether the two best are the same
DIFFER_MOST = 0.02
INSERTS = 200
EACH = 10  # of the data set's lines one is asked for
GOAL_INSERT_MS = 1.0
TASKS = Path(__file__).parents[2] / "shared" / "data" / "tasks" / "instructions.jsonl"
#: hit@1 and hit@5 of the baseline, by the source of the group; measured on the same lines.
BASELINE = {"aw": (0.70, 0.92), "mobi": (0.51, 0.92), "mobirr": (0.86, 0.97), "mw": (0.88, 0.95)}
JOBS = (
    "在{app}搜索{thing}", "打开{app}给{who}发消息说{thing}", "用{app}买{thing}寄给{who}",
    "看看{app}里{who}发的{thing}", "在{app}收藏第一个{thing}", "把{app}的{thing}通知关掉",
    "search {thing} in {app}", "send {who} the {thing} with {app}", "open {app} and play {thing}",
)  # fmt: skip
SIGNS = "云山海风花月星河红蓝青白金木水火土光影声色香味天地日春夏秋冬东西南北"


def figures() -> Iterator[Figure]:
    """Measure each size of library, then what is found."""
    yield from _sizes(SIZES)
    if TASKS.exists():
        yield from _misses()
        yield from _told()


def soak_figures() -> Iterator[Figure]:
    """Measure what takes too long for every day."""
    yield from _sizes(SOAK)


def _sizes(sizes: dict[int, Any]) -> Iterator[Figure]:
    for size, goal in sizes.items():
        with tempfile.TemporaryDirectory() as folder:
            instance = setup.ensure(Config(phonedeck_data=Path(folder)))
            yield from _cost(instance.db, size, goal)
            instance.db.close()


def _cost(db: Database, size: int, goal: float | None) -> Iterator[Figure]:
    """Measure processor time a query and an insert, in milliseconds."""
    chance = random.Random(size)
    tasks = [_job(chance) for _ in range(size)]
    with db.write() as session:
        for task in tasks:
            experiences.add(session, NewExperience(task, "…然后看结果。x"))
            session.expunge_all()
    asked = [_job(chance) for _ in range(QUERIES)]
    recall(db, asked[0])
    ours = median(_ms(lambda each=each: recall(db, each)) for each in asked)
    naive = median(_ms(lambda each=each: _loop(tasks, each)) for each in asked[:NAIVE_QUERIES])
    yield Figure(f"recall.query_{size}", ours, "ms", naive, goal)
    if size <= COMPARED:
        differ = _differing(db, Library(tasks), asked) / len(asked)
        yield Figure(f"recall.differs_{size}", differ, "share", DIFFER_MOST, 1.0)
    with db.write() as session:
        spent = _ms(lambda: _insert(session, [_job(chance) for _ in range(INSERTS)]))
    yield Figure(f"recall.insert_{size}", spent / INSERTS, "ms", GOAL_INSERT_MS, 1.0)


class Library:
    """Every task, compared as `recall` compares its candidates."""

    def __init__(self, tasks: list[str]) -> None:
        self.tasks = tasks
        self._signs = {kind: [kind.of_task(task) for task in tasks] for kind in (OWN, ACROSS)}
        self._weighs = {kind: _weights(signs) for kind, signs in self._signs.items()}

    def closest(self, query: str, top: int) -> list[int]:
        """Find the rows that are closest: those above the floor, then those told otherwise."""
        own = self._ordered(query, self._likest(OWN, query, ORDERED, FLOOR))
        return [*own, *self._likest(ACROSS, query, top, FLOOR)][:top]

    def nearest(self, query: str, top: int) -> list[int]:
        """Find as many rows as are wanted; strangers come last."""
        strangers = self._ordered(query, self._likest(OWN, query, ORDERED, 0))
        return list(dict.fromkeys([*self.closest(query, top), *strangers]))[:top]

    def closeness(self, query: str, tasks: Iterable[str]) -> list[float]:
        """Tell how close tasks are, to compare finds of which several are as close."""
        closer = Closer(query, self._weighs[OWN])
        return [closer.to(task) for task in tasks]

    def _ordered(self, query: str, rows: list[int]) -> list[int]:
        closer = Closer(query, self._weighs[OWN])
        return sorted(rows, key=lambda row: closer.to(self.tasks[row]), reverse=True)

    def _likest(self, kind: Kind, query: str, most: int, floor: float) -> list[int]:
        asked, weigh = kind.of_request(query), self._weighs[kind]
        found = (
            (kind.likeness(asked, signs, weigh), row)
            for row, signs in enumerate(self._signs[kind])
            if asked & signs and kind.fits(self.tasks[row], "", query)
        )
        return [row for likeness, row in heapq.nlargest(most, found) if likeness >= floor]


def _weights(every: list[frozenset[int]]) -> Weigh:
    return Rarities(Counter(sign for each in every for sign in each), len(every)).__getitem__


def _differing(db: Database, library: Library, asked: Sequence[str]) -> int:
    """Count the queries of which a look at every row finds two others that are closer."""
    differ = 0
    for query in asked:
        ours = [each.experience.task for each in recall(db, query)]
        theirs = [library.tasks[row] for row in library.closest(query, TOP)]
        differ += library.closeness(query, ours) != library.closeness(query, theirs)
    return differ


def _insert(session: Any, tasks: list[str]) -> None:
    for task in tasks:
        experiences.add(session, NewExperience(task, "…然后看结果。x"))


def _loop(tasks: list[str], asked: str) -> float:
    mine = grams(asked)
    return max(2 * len(mine & other) / (len(mine) + len(other)) for other in map(grams, tasks))


def _ms(run: Any) -> float:
    begun = time.process_time()
    run()
    return (time.process_time() - begun) * 1000


def _job(chance: random.Random) -> str:
    words = {
        name: "".join(chance.choices(SIGNS, k=chance.randint(2, 4)))
        for name in ("app", "who", "thing")
    }
    return chance.choice(JOBS).format(**words)


def _told() -> Iterator[Figure]:
    """Ask for each tenth line of the data set what the others tell: people's own sentences."""
    tasks = [str(line["text"]) for line in _lines()]
    known = [task for at, task in enumerate(tasks) if at % EACH and len(task) <= TASK_CHARS]
    with tempfile.TemporaryDirectory() as folder:
        instance = setup.ensure(Config(phonedeck_data=Path(folder)))
        with instance.db.write() as session:
            _insert(session, known)
        asked = tasks[::EACH]
        differ = _differing(instance.db, Library(known), asked) / len(asked)
        yield Figure("recall.differs_told", differ, "share", DIFFER_MOST, 1.0)
        ours = _ms(lambda: [recall(instance.db, task) for task in asked]) / len(asked)
        naive = median(_ms(lambda each=each: _loop(known, each)) for each in asked[:NAIVE_QUERIES])
        yield Figure("recall.query_told", ours, "ms", naive)
        instance.db.close()


def _lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]


def _misses() -> Iterator[Figure]:
    """Count the lines whose closest other line, or one of five, is another job."""
    lines = _lines()
    tasks = [str(line["text"]) for line in lines]
    library = Library(tasks)
    misses: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for at, line in enumerate(lines):
        group = line.get("paraphrase_group")
        if group is None:
            continue
        near = [row for row in library.nearest(tasks[at], 6) if row != at][:5]
        same = [lines[row].get("paraphrase_group") == group for row in near]
        misses[group.split(":")[0]].append((not any(same[:1]), not any(same)))
    for source, hits in BASELINE.items():
        for place, name in enumerate(("miss_at_1", "miss_at_5")):
            found = [each[place] for each in misses[source]]
            theirs = round((1 - hits[place]) * len(found))
            yield Figure(f"recall.{name}.{source}", sum(found), "lines", theirs, 1.0)
