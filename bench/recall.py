"""What it costs to recall an experience, and whether the right one comes.

Ours is the index in the database; it is held against a loop that makes the pairs of every task
anew. Only processor time counts. The hits are over the data set's groups of the same job, every
line against all others, held against the misses of TF-IDF over pairs and triples of signs.
"""

import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.figure import Figure
from core import setup
from core.config import Config
from core.db import Database
from core.memory import experiences
from core.memory.experiences import NewExperience
from core.memory.recall import recall
from core.similar import alike, grams, rarity

SIZES = (1_000, 10_000)
GOAL_AT_10K = 0.1
QUERIES, NAIVE_QUERIES = 60, 3
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
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            instance = setup.ensure(Config(phonedeck_data=Path(folder)))
            yield from _cost(instance.db, size)
            instance.db.close()
    if TASKS.exists():
        yield from _hits()


def _cost(db: Database, size: int) -> Iterator[Figure]:
    """Measure processor time a query and an insert, in milliseconds."""
    chance = random.Random(size)
    tasks = [_job(chance) for _ in range(size)]
    with db.write() as session:
        for task in tasks:
            experiences.add(session, NewExperience(task, "…然后看结果。x"))
            session.expunge_all()
    asked = [_job(chance) for _ in range(QUERIES)]
    ours = median(_ms(lambda each=each: recall(db, each)) for each in asked)
    naive = median(_ms(lambda each=each: _loop(tasks, each)) for each in asked[:NAIVE_QUERIES])
    goal = GOAL_AT_10K if size >= 10_000 else None
    yield Figure(f"recall.query_{size}", ours, "ms", naive, goal)
    with db.write() as session:
        spent = _ms(lambda: _insert(session, [_job(chance) for _ in range(INSERTS)]))
    yield Figure(f"recall.insert_{size}", spent / INSERTS, "ms", GOAL_INSERT_MS, 1.0)


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


def _hits() -> Iterator[Figure]:
    """Count the lines whose nearest other line, or one of five, is the same job."""
    lines = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    pairs = [grams(line["text"]) for line in lines]
    having: defaultdict[int, list[int]] = defaultdict(list)
    for at, each in enumerate(pairs):
        for gram in each:
            having[gram].append(at)
    weights = {gram: rarity(len(rows), len(lines)) for gram, rows in having.items()}
    misses: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for at, line in enumerate(lines):
        group = line.get("paraphrase_group")
        if group is None:
            continue
        others = {row for gram in pairs[at] for row in having[gram]} - {at}
        scored = sorted(
            others, key=lambda row: alike(pairs[at], pairs[row], weights.__getitem__), reverse=True
        )
        same = [lines[row].get("paraphrase_group") == group for row in scored[:5]]
        misses[group.split(":")[0]].append((not any(same[:1]), not any(same)))
    for source, (first, five) in BASELINE.items():
        found = misses[source]
        yield Figure(f"recall.miss_at_1.{source}", _share(found, 0), "share", 1 - first)
        yield Figure(f"recall.miss_at_5.{source}", _share(found, 1), "share", 1 - five)


def _share(found: list[tuple[bool, bool]], at: int) -> float:
    return sum(each[at] for each in found) / len(found)
