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
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.figure import Figure
from core import setup
from core.config import Config
from core.db import Database
from core.memory import experiences
from core.memory.experiences import NewExperience
from core.memory.recall import ORDERED, TOP, recall
from core.similar import FLOOR, Closer, Rarities, alike, grams

#: How many are known, and what share of the loop's time a query may take then.
SIZES: dict[int, float | None] = {1_000: None, 10_000: 0.1, 100_000: 0.02}
SOAK = {1_000_000: 0.004}
QUERIES, NAIVE_QUERIES = 60, 3
COMPARED = 10_000  # up to here every row is looked at, to see whether the two best are the same
DIFFER_MOST = 0.02
INSERTS = 200
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
        differ = _differing(db, tasks, asked) / len(asked)
        yield Figure(f"recall.differs_{size}", differ, "share", DIFFER_MOST, 1.0)
    with db.write() as session:
        spent = _ms(lambda: _insert(session, [_job(chance) for _ in range(INSERTS)]))
    yield Figure(f"recall.insert_{size}", spent / INSERTS, "ms", GOAL_INSERT_MS, 1.0)


def _differing(db: Database, tasks: Sequence[str], asked: Sequence[str]) -> int:
    """Count the queries of which a look at every row finds two others that are closer."""
    pairs = [grams(task) for task in tasks]
    weigh = _weights(pairs)
    differ = 0
    for query in asked:
        best = _closest(query, tasks, pairs, weigh, TOP)
        closer = Closer(query, weigh)
        ours = [closer.to(each.experience.task) for each in recall(db, query)]
        differ += ours != [closer.to(tasks[row]) for row in best]
    return differ


def _weights(pairs: Sequence[frozenset[int]]) -> Any:
    return Rarities(Counter(gram for each in pairs for gram in each), len(pairs)).__getitem__


def _closest(
    query: str,
    tasks: Sequence[str],
    pairs: Sequence[frozenset[int]],
    weigh: Any,
    top: int,
    floor: float = FLOOR,
) -> list[int]:
    """Look at every row as `recall` looks at its candidates."""
    mine = grams(query)
    scored = ((alike(mine, each, weigh), row) for row, each in enumerate(pairs) if mine & each)
    likest = [row for found, row in heapq.nlargest(ORDERED, scored) if found >= floor]
    closer = Closer(query, weigh)
    return heapq.nlargest(top, likest, key=lambda row: closer.to(tasks[row]))


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


def _misses() -> Iterator[Figure]:
    """Count the lines whose closest other line, or one of five, is another job."""
    lines = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    tasks = [str(line["text"]) for line in lines]
    pairs = [grams(task) for task in tasks]
    weigh = _weights(pairs)
    misses: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for at, line in enumerate(lines):
        group = line.get("paraphrase_group")
        if group is None:
            continue
        closest = _closest(tasks[at], tasks, pairs, weigh, 6, floor=0)  # as the baseline has none
        near = [row for row in closest if row != at][:5]
        same = [lines[row].get("paraphrase_group") == group for row in near]
        misses[group.split(":")[0]].append((not any(same[:1]), not any(same)))
    for source, hits in BASELINE.items():
        for place, name in enumerate(("miss_at_1", "miss_at_5")):
            found = [each[place] for each in misses[source]]
            theirs = round((1 - hits[place]) * len(found))
            yield Figure(f"recall.{name}.{source}", sum(found), "lines", theirs, 1.0)
