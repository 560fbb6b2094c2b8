"""What a request calls back to mind, and what it must not."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from core.errors import Invalid, NotFound
from core.memory import experiences, recall
from core.memory.experiences import NewExperience, Went
from core.memory.learning import SAME
from core.setup import Instance
from core.similar import FLOOR, alike, grams, rarity

TASKS = Path(__file__).parents[4] / "shared" / "data" / "tasks" / "instructions.jsonl"
RECIPE = "打开应用，点搜索，输入词，点第一个结果。"


def keep(instance: Instance, task: str, app: str = "") -> str:
    with instance.db.write() as session:
        return experiences.add(session, NewExperience(task, RECIPE, app)).experience_id


def recalled(instance: Instance, request: str) -> list[str]:
    return [each.experience.task for each in recall.recall(instance.db, request)]


def test_a_job_in_other_words_is_called_back_to_mind(instance: Instance) -> None:
    keep(instance, "在小红书搜索咖啡", "小红书")
    keep(instance, "把蓝牙打开", "设置")

    assert recalled(instance, "打开小红书，搜索一下 咖啡") == ["在小红书搜索咖啡"]
    assert recalled(instance, "明天早上七点叫我起床") == []


def test_the_whole_job_in_other_words_comes_before_one_that_is_half_of_it(
    instance: Instance,
) -> None:
    half, whole = "打开蓝牙，连上音箱", "打开蓝牙，连上车机，放一首歌"
    keep(instance, half)
    keep(instance, whole)

    assert recalled(instance, "打开蓝牙，连上音箱，放一首歌") == [whole, half]


@pytest.mark.parametrize(
    ("task", "app", "request_", "found"),
    [
        ("打开设置，把 Wi-Fi 关掉", "Settings / 设置", "Open Settings and turn Wi-Fi off", True),
        ("Clear the browser history", "", "清除浏览器的历史记录", True),
        ("Clear the browser history", "", "清除浏览器的缓存", False),
        ("turn on Bluetooth", "", "把蓝牙关掉", False),
        (
            "淘宝搜鞋，把第一个加入购物车",
            "淘宝",
            "search Taobao, add the first to my cart",
            True,
        ),
        (
            "淘宝搜鞋，把第一个加入购物车",
            "淘宝",
            "search JD, add the first to my cart",
            False,
        ),
    ],
)
def test_what_was_learned_in_one_language_is_found_by_who_asks_in_the_other(
    instance: Instance, task: str, app: str, request_: str, found: bool
) -> None:
    keep(instance, task, app)

    assert recalled(instance, request_) == ([task] if found else [])


def test_one_in_the_own_language_comes_before_one_in_the_other(instance: Instance) -> None:
    keep(instance, "打开设置，把 Wi-Fi 关掉", "Settings / 设置")
    keep(instance, "Open Settings and show Wi-Fi networks", "Settings / 设置")

    known = recall.recall(instance.db, "Open Settings and turn Wi-Fi off")

    assert [each.experience.task[:4] for each in known] == ["Open", "打开设置"]
    assert known[1].likeness < SAME


def test_the_same_job_in_another_app_is_another_job(instance: Instance) -> None:
    keep(instance, "在京东搜索蓝牙耳机", "京东")

    assert recalled(instance, "在淘宝搜索蓝牙耳机") == []
    assert recalled(instance, "在京东搜索蓝牙耳机") == ["在京东搜索蓝牙耳机"]


@pytest.mark.parametrize(
    ("task", "app", "request_", "found"),
    [
        ("搜索苏州好吃的饭店", "小红书", "打开抖音搜索苏州好吃的饭店", False),
        ("搜索苏州好吃的饭店", "小红书", "打开小红书搜索苏州好吃的饭店", True),
        ("搜索苏州好吃的饭店", "小红书", "搜索苏州好吃的饭店", True),
        ("在淘宝搜索蓝牙耳机", "Taobao / 淘宝", "在京东搜索蓝牙耳机", False),
        ("在淘宝搜索蓝牙耳机", "Taobao / 淘宝", "用淘宝搜索蓝牙耳机", True),
        ("search bluetooth headphones", "淘宝", "search bluetooth headphones in Taobao", True),
        ("find what I did in June", "Calendar", "find what did I do in June", True),
        ("提醒我后天开会", "日历", "设置提醒我后天开会", True),
    ],
)
def test_a_memory_of_another_app_than_the_request_names_is_left_out(
    instance: Instance, task: str, app: str, request_: str, found: bool
) -> None:
    keep(instance, task, app)

    assert recalled(instance, request_) == ([task] if found else [])


def test_what_was_forgotten_is_found_no_more(instance: Instance) -> None:
    forgotten = keep(instance, "在京东搜索蓝牙耳机")
    kept = keep(instance, "在京东搜索蓝牙音箱")

    with instance.db.write() as session:
        experiences.remove(session, forgotten)

    [left] = recall.recall(instance.db, "在京东搜索蓝牙耳机")
    assert left.experience.experience_id == kept
    with pytest.raises(NotFound):
        experiences.get(instance.db, forgotten)


def test_the_outcome_of_a_run_is_credited_to_what_it_was_told(instance: Instance) -> None:
    told = keep(instance, "打开飞行模式")
    with instance.db.write() as session:
        experiences.told(session, [told])
        for success in (True, False, True):
            experiences.credit(session, [told], Went(success))

    kept = experiences.get(instance.db, told)

    assert (kept.hits, kept.successes, kept.failures) == (1, 2, 1)
    assert kept.confidence == 3 / 5


def test_what_a_later_run_saved_is_counted_once_against_the_first(instance: Instance) -> None:
    with instance.db.write() as session:
        [likest, other] = [
            experiences.add(session, NewExperience(task, RECIPE, steps=9, tokens=5_000))
            for task in ("打开飞行模式", "关闭飞行模式")
        ]
        ids = [likest.experience_id, other.experience_id]
        experiences.credit(session, ids, Went(True, steps=2, tokens=800))
        experiences.credit(session, ids, Went(False, steps=1, tokens=10))

    saved = [experiences.get(instance.db, each) for each in ids]

    assert [(each.steps_saved, each.tokens_saved) for each in saved] == [(7, 4_200), (0, 0)]
    assert [(each.successes, each.failures) for each in saved] == [(1, 1), (1, 1)]


@pytest.mark.parametrize(("first", "later"), [(5_000, None), (0, 800), (0, None)])
def test_tokens_that_nobody_told_are_not_saved(
    instance: Instance, first: int, later: int | None
) -> None:
    with instance.db.write() as session:
        told = experiences.add(
            session, NewExperience("打开飞行模式", RECIPE, steps=9, tokens=first)
        )
        experiences.credit(session, [told.experience_id], Went(True, steps=2, tokens=later))

    saved = experiences.get(instance.db, told.experience_id)

    assert (saved.steps_saved, saved.tokens_saved) == (7, 0)


def test_a_task_that_is_said_anew_is_found_by_its_new_words_only(instance: Instance) -> None:
    kept = keep(instance, "在京东搜索蓝牙耳机")

    with instance.db.write() as session:
        experiences.mark_stale(session, kept, "1.0 → 2.0")
        experiences.change(session, kept, "打开飞行模式", RECIPE)

    assert recalled(instance, "在京东搜索蓝牙耳机") == []
    assert recalled(instance, "打开飞行模式") == ["打开飞行模式"]
    assert experiences.get(instance.db, kept).stale == ""


def test_a_search_finds_a_single_sign_too(instance: Instance) -> None:
    for task in ("打开蓝牙", "查看天气", "云"):
        keep(instance, task)

    found = {
        sign: [each["task"] for each in experiences.listing(instance.db, sign)["items"]]
        for sign in ("牙", "云", "%")
    }

    assert found == {"牙": ["打开蓝牙"], "云": ["云"], "%": []}


def test_a_recipe_is_searched_by_what_it_says_now(instance: Instance) -> None:
    with instance.db.write() as session:
        kept = [
            experiences.add(session, NewExperience(task, recipe)).experience_id
            for task, recipe in [
                ("打开蓝牙", "先进设置，再点蓝牙那一行。"),
                ("查看天气", "Tap the cloud, then read Tomorrow."),
                ("打开热点", "在快捷面板里长按热点。"),
            ]
        ]
        experiences.renew(session, kept[0], NewExperience("打开蓝牙", "下拉，点蓝牙图标。"))
        experiences.change(session, kept[1], "查看天气", "Tap the sun, then read Today.")
        experiences.remove(session, kept[2])

    found = {
        words: [each["task"] for each in experiences.listing(instance.db, words)["items"]]
        for words in ("那一行", "图标", "。", "CLOUD", "read today", "长按", "标", "y", "z")
    }

    assert found == {
        "那一行": [],
        "图标": ["打开蓝牙"],
        "。": ["打开蓝牙"],
        "CLOUD": [],
        "read today": ["查看天气"],
        "长按": [],
        "标": ["打开蓝牙"],
        "y": ["查看天气"],
        "z": [],
    }


def test_a_page_of_a_large_library_is_read_along_an_index(instance: Instance) -> None:
    with instance.db.write() as session:
        for n in range(experiences.PAGE + 5):
            recipe = f"{RECIPE}看到第{n}页为止。"
            experiences.add(session, NewExperience(f"在京东搜索第{n}个", recipe))

    with queries_of(instance) as seen:
        first = experiences.listing(instance.db)
        second = experiences.listing(instance.db, before=first["next"])
        found = experiences.listing(instance.db, "第7个")
        told = experiences.listing(instance.db, "第7页")

    ids = [item["id"] for page in (first, second) for item in page["items"]]
    assert len(set(ids)) == len(ids) == experiences.PAGE + 5
    assert second["next"] is None
    for page in (found, told):
        assert [item["task"] for item in page["items"]] == ["在京东搜索第7个"]
    *walks, _, search = [" / ".join(plan_of(instance, text, given)) for text, given in seen]
    assert "USING INDEX ix_experiences_updated" in walks[0]
    assert "USING INDEX ix_experiences_updated" in walks[-1]
    assert not any("TEMP B-TREE" in walk for walk in walks)  # read in order, and no further
    assert "SCAN experiences" not in search


@contextmanager
def queries_of(instance: Instance) -> Iterator[list[tuple[str, Any]]]:
    """Take down the queries over experiences that are made meanwhile."""
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _u: Any, text: str, given: Any, _x: Any, _m: bool) -> None:
        if text.startswith("SELECT experiences"):
            seen.append((text, given))

    event.listen(instance.db.engine, "before_cursor_execute", note)
    yield seen
    event.remove(instance.db.engine, "before_cursor_execute", note)


def plan_of(instance: Instance, text: str, given: Any) -> list[str]:
    with instance.db.engine.connect() as connection:
        return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)]


@pytest.mark.parametrize(
    ("task", "recipe", "path"), [("…！", RECIPE, "task"), ("打开蓝牙", "  ", "recipe")]
)
def test_what_says_nothing_is_not_kept(
    instance: Instance, task: str, recipe: str, path: str
) -> None:
    with pytest.raises(Invalid) as refused, instance.db.write() as session:
        experiences.add(session, NewExperience(task, recipe))

    assert refused.value.path == path


@pytest.mark.soak
@pytest.mark.skipif(not TASKS.exists(), reason="the data set is not here")
def test_the_index_finds_what_a_look_at_every_row_finds(instance: Instance) -> None:
    lines = [json.loads(line) for line in TASKS.read_text().splitlines()]
    texts = [str(line["text"]) for line in lines if grams(line["text"])]
    with instance.db.write() as session:
        for text in texts:
            if len(text) <= experiences.TASK_CHARS:
                experiences.add(session, NewExperience(text, RECIPE))
    asked = texts[::20]
    compare = _looking_at_all(instance, texts)

    same = sum(_first(instance, text) >= compare(text) - 1e-9 for text in asked)

    assert same >= 0.98 * len(asked)


def _first(instance: Instance, text: str) -> float:
    """Give the likeness of the best that is not the text itself, found by the index."""
    found = recall.recall(instance.db, text, top=recall.ORDERED, floor=0)
    return max((e.likeness for e in found if e.experience.task != text), default=0.0)


def _looking_at_all(instance: Instance, texts: list[str]) -> Callable[[str], float]:
    """Give the same by a look at every row; below the floor nobody looks."""
    known = {text: grams(text) for text in texts if len(text) <= experiences.TASK_CHARS}
    rows = Counter(gram for text in texts for gram in known.get(text, ()))
    total = sum(text in known for text in texts)
    weights = {gram: rarity(count, total) for gram, count in rows.items()}

    def best(text: str) -> float:
        others = (pairs for other, pairs in known.items() if other != text)
        found = max(alike(known[text], pairs, weights.__getitem__) for pairs in others)
        return found if found >= FLOOR else 0.0

    return best
