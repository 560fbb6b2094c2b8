"""What was kept under older rules is brought up to those of now, at night and without a model."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import delete, update

from core.meanings import ABOVE
from core.memory import audit, experiences, recall, renewal
from core.memory.audit import Opinion
from core.memory.experiences import NewExperience, Went
from core.models import Experience, ExperienceGram, GramCount
from core.setup import Instance

NAMED = ("给张三发微信说周末一起爬山", "打开微信，点张三，写下来，点发送。")
UNNAMED = ("给〈某人〉发微信说〈内容〉", "打开微信，点〈某人〉，写下来，点发送。")
TOMORROW = datetime(2030, 1, 1, 3, 47, tzinfo=UTC)


def keep(instance: Instance, task: str, recipe: str, run_id: str = "run1") -> str:
    """Keep an experience as the first version did: as it was said, found by its own words."""
    with instance.db.write() as session:
        kept = experiences.add(session, NewExperience(task, recipe, run_id=run_id)).experience_id
        session.execute(update(Experience).values(edition=0))
        session.execute(delete(ExperienceGram).where(ExperienceGram.gram >= ABOVE))
        session.execute(delete(GramCount).where(GramCount.gram >= ABOVE))
    return kept


def words(instance: Instance, experience_id: str) -> tuple[str, str]:
    kept = experiences.get(instance.db, experience_id)
    return kept.task, kept.recipe


def history(instance: Instance) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = audit.history(instance.db, "zh")["items"]
    return items


def test_what_a_run_taught_names_nobody_any_more_and_the_history_says_so(
    instance: Instance,
) -> None:
    kept = keep(instance, *NAMED)

    changed = [renewal.say_anew(instance.db), renewal.say_anew(instance.db)]

    assert changed == [1, 0]
    assert words(instance, kept) == UNNAMED
    [told] = recall.recall(instance.db, UNNAMED[0])
    assert (told.experience.experience_id, told.likeness) == (kept, 1.0)
    [said] = history(instance)
    assert (said["action"], said["task"], said["by"]) == ("anew", UNNAMED[0], "rules")
    assert "去掉了人名" in said["evidence"][0]["message"]
    assert experiences.listing(instance.db, "张三")["items"] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            ("给张三发微信说好", "点好友张三，点发送。"),
            ("给〈某人〉发微信说〈内容〉", "点好友〈某人〉，点发送。"),
        ),
        (
            ("Message Tom saying hi", "Open Messages, tap Tom and wait a while."),
            ("Message ‹someone› saying ‹text›", "Open Messages, tap ‹someone› and wait a while."),
        ),
    ],
)
def test_a_word_that_was_said_leaves_a_recipe_as_it_is_where_it_is_there_by_chance(
    instance: Instance, old: tuple[str, str], new: tuple[str, str]
) -> None:
    kept = keep(instance, *old)

    renewal.say_anew(instance.db)

    assert words(instance, kept) == new


def test_a_persons_own_words_stay(instance: Instance) -> None:
    written = keep(instance, *NAMED, run_id="")
    corrected = keep(instance, "给李四发微信", "打开微信。")
    with instance.db.write() as session:
        experiences.change(session, corrected, "给李四发微信", "打开微信，找李四。")

    changed = renewal.say_anew(instance.db)

    assert changed == 0
    assert words(instance, written) == NAMED
    assert words(instance, corrected) == ("给李四发微信", "打开微信，找李四。")
    assert history(instance) == []


def test_what_was_found_in_its_own_language_only_is_found_in_the_other(
    instance: Instance,
) -> None:
    kept = keep(instance, "清除浏览器的历史记录", "打开浏览器，进设置，点清除。", run_id="")
    asked = "Clear the browser history"
    before = recall.recall(instance.db, asked)

    renewal.say_anew(instance.db)

    [found] = recall.recall(instance.db, asked)
    assert (before, found.experience.experience_id) == ([], kept)
    with instance.db.write() as session:
        experiences.remove(session, kept)
        assert set(session.query(GramCount.rows).distinct()) == {(0,)}


def test_to_forget_what_was_found_by_less_leaves_the_others_as_findable(
    instance: Instance,
) -> None:
    old = keep(instance, "清除浏览器的历史记录", "打开浏览器，进设置，点清除。")
    with instance.db.write() as session:
        wanted = NewExperience("清除浏览器历史记录", "打开浏览器，点清除。")
        new = experiences.add(session, wanted).experience_id

    with instance.db.write() as session:
        experiences.remove(session, old)

    [found] = recall.recall(instance.db, "Clear the browser history")
    assert found.experience.experience_id == new


def test_what_was_thought_of_it_names_nobody_any_more_either(instance: Instance) -> None:
    for recipe in (NAMED[1], f"{NAMED[1]}看到消息。"):
        keep(instance, NAMED[0], recipe)
    for found in audit.due(instance.db, TOMORROW):
        audit.record(instance.db, found, Opinion(True, 3, "与给张三发的重复", "m"), TOMORROW)

    renewal.say_anew(instance.db)

    told = history(instance)
    said = [each["message"] for entry in told for each in entry["evidence"]]
    assert len(told) == 4
    assert any(UNNAMED[0] in each for each in said)
    assert "张三" not in "".join([*said, *(entry["reason"] for entry in told)])


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_was_thought_of_it_holds_for_its_new_words(instance: Instance, is_kept: bool) -> None:
    bad = keep(instance, *NAMED)
    with instance.db.write() as session:
        for _ in range(4):
            experiences.credit(session, [bad], Went(success=False))
    for found in audit.due(instance.db, TOMORROW):
        audit.record(instance.db, found, audit.by_rules(found), TOMORROW)
    if is_kept:
        audit.keep(instance.db, bad, "admin")

    renewal.say_anew(instance.db)

    assert list(audit.due(instance.db, TOMORROW)) == []
    waiting = [each["task"] for each in audit.queue(instance.db, "zh")["items"]]
    assert waiting == ([] if is_kept else [UNNAMED[0]])
    newest = audit.newest(instance.db, [bad], "zh")[bad]["action"]
    assert newest == ("kept" if is_kept else "pending")
    assert {each["task"] for each in history(instance)} == {UNNAMED[0]}


def test_one_night_looks_at_a_bounded_number_and_stops_when_told(instance: Instance) -> None:
    for n in range(3):
        keep(instance, *NAMED, run_id=f"run{n}")

    changed = [
        renewal.say_anew(instance.db, lambda: True),
        renewal.say_anew(instance.db, most=2),
        renewal.say_anew(instance.db, most=2),
    ]

    assert changed == [0, 2, 1]
