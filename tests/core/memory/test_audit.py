"""Which memories a person is asked about, and what keeps them quiet."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.errors import NotFound
from core.memory import actions, audit, evidence, experiences, learning, recall, stale
from core.memory.actions import NewAction, Origin
from core.memory.experiences import NewExperience, Went
from core.setup import Instance

NOW = datetime(2026, 3, 1, 3, 47, tzinfo=UTC)
DAY = timedelta(days=1)


def keep(instance: Instance, task: str, app: str = "") -> str:
    with instance.db.write() as session:
        recipe = f"打开应用，完成：{task}。"
        return experiences.add(session, NewExperience(task, recipe, app)).experience_id


def fails(instance: Instance, experience_id: str, times: int) -> None:
    for _ in range(times):
        with instance.db.write() as session:
            experiences.credit(session, [experience_id], Went(success=False))


def night(instance: Instance, now: datetime = NOW) -> list[str]:
    """Judge by rules alone; returns what was judged."""
    judged = []
    for found in audit.due(instance.db, now):
        audit.record(instance.db, found, audit.by_rules(found), now)
        judged.append(found.experience.task)
    return judged


def pending(instance: Instance) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = audit.queue(instance.db, "en")["items"]
    return items


def test_a_memory_that_mostly_failed_is_suggested_and_stays_until_a_person_deletes_it(
    instance: Instance,
) -> None:
    bad, good = keep(instance, "淘宝签到领金币"), keep(instance, "打开蓝牙")
    fails(instance, bad, 4)

    night(instance)

    [asked] = pending(instance)
    assert asked["experience_id"] == bad
    assert [each["code"] for each in asked["evidence"]] == ["fails"]
    assert "4 failed" in asked["evidence"][0]["message"]
    assert experiences.get(instance.db, bad)
    assert experiences.get(instance.db, good)

    audit.delete(instance.db, bad, "admin")

    assert pending(instance) == []
    with pytest.raises(NotFound):
        experiences.get(instance.db, bad)
    newest = audit.history(instance.db, "en")["items"]
    [decided] = [each for each in newest if each["experience_id"] == bad]
    assert (decided["action"], decided["decided_by"]) == ("deleted", "admin")
    assert decided["task"] == "淘宝签到领金币"


def test_what_a_person_kept_stays_quiet_until_its_evidence_changes(instance: Instance) -> None:
    bad = keep(instance, "淘宝签到领金币")
    fails(instance, bad, 4)
    night(instance)

    audit.keep(instance.db, bad, "admin")
    fails(instance, bad, 1)

    assert night(instance, NOW + DAY) == []
    assert night(instance, NOW + 40 * DAY) == []
    assert pending(instance) == []

    with instance.db.write() as session:
        experiences.mark_stale(session, bad, "10.40")
    night(instance, NOW + 41 * DAY)

    [asked] = pending(instance)
    assert {each["code"] for each in asked["evidence"]} == {"fails", "stale"}


def test_what_became_a_hint_is_judged_in_the_next_night(instance: Instance) -> None:
    kept = keep(instance, "淘宝签到领金币")
    night(instance, datetime.now(UTC))

    with instance.db.write() as session:
        experiences.mark_stale(session, kept, "com.taobao.taobao 10.1 → 10.2", "10.2")
    night(instance, datetime.now(UTC))

    [asked] = pending(instance)
    assert [each["code"] for each in asked["evidence"]] == ["stale"]


def test_one_more_screen_that_is_another_changes_no_evidence(instance: Instance) -> None:
    old = keep(instance, "淘宝签到领金币")
    for met in (0, 1):
        with instance.db.write() as session:
            experiences.mark_stale(session, old, stale.kept("screens", met=met, count=4))
            experiences.credit(session, [old], Went(success=True))
        night(instance, datetime.now(UTC) + met * DAY)
        if pending(instance):
            audit.keep(instance.db, old, "admin")

    told = [each["action"] for each in audit.history(instance.db, "zh")["items"]]
    assert told == ["kept"]


def test_a_memory_that_nobody_complains_of_is_judged_once(instance: Instance) -> None:
    keep(instance, "打开蓝牙")

    assert night(instance) == ["打开蓝牙"]
    assert night(instance, NOW + DAY) == []
    assert pending(instance) == []


def test_age_alone_is_looked_at_again(instance: Instance) -> None:
    keep(instance, "打开蓝牙")
    night(instance, datetime.now(UTC))

    later = datetime.now(UTC) + timedelta(days=100)
    night(instance, later)

    newest = audit.history(instance.db, "zh")["items"][0]
    assert newest["action"] == "keep"
    assert [each["code"] for each in newest["evidence"]] == ["forgotten"]
    assert "100 天" in newest["evidence"][0]["message"]


def test_a_clock_that_was_wrong_for_a_night_blinds_no_later_one(instance: Instance) -> None:
    bad = keep(instance, "淘宝签到领金币")
    night(instance, datetime.now(UTC) + 900 * DAY)

    fails(instance, bad, 4)
    night(instance, datetime.now(UTC) + DAY)

    assert [each["experience_id"] for each in pending(instance)] == [bad]


def test_of_two_that_say_the_same_the_less_trusted_is_suggested(instance: Instance) -> None:
    old, new = keep(instance, "在淘宝每日签到领金币"), keep(instance, "在淘宝每日签到领金币")
    with instance.db.write() as session:
        experiences.credit(session, [new], Went(success=True))

    night(instance)

    [asked] = pending(instance)
    assert asked["experience_id"] == old
    assert asked["evidence"][0]["details"]["likeness"] == 100


def test_a_double_that_is_learned_later_brings_the_older_one_up_in_the_next_night(
    instance: Instance,
) -> None:
    first, later = (f"打开手机淘宝，进每{day}签到页面领取金币" for day in "日天")
    old = keep(instance, first)
    night(instance, datetime.now(UTC))
    keep(instance, later)
    alike = recall.recall(instance.db, later)[1].likeness

    some = [each.experience.task for each in audit.due(instance.db, datetime.now(UTC), most=1)]
    judged = night(instance, datetime.now(UTC))

    assert evidence.TWIN <= alike < learning.SAME  # or they would be one memory
    assert some == [later]  # all that one night had time for
    assert sorted(judged) == sorted([first, later])
    assert [each["experience_id"] for each in pending(instance)] == [old]
    assert night(instance, datetime.now(UTC)) == []


def test_the_same_words_of_two_apps_are_two_jobs(instance: Instance) -> None:
    keep(instance, "搜索苏州好吃的饭店", "小红书")
    keep(instance, "搜索苏州好吃的饭店", "抖音")

    night(instance)

    assert pending(instance) == []


def test_a_memory_is_suggested_once_however_many_nights_pass(instance: Instance) -> None:
    bad = keep(instance, "淘宝签到领金币")
    fails(instance, bad, 4)
    night(instance)
    fails(instance, bad, 8)

    night(instance, datetime.now(UTC) + DAY)

    [asked] = pending(instance)
    assert asked["evidence"][0]["details"]["failures"] == 12


def test_a_replay_that_fails_of_something_else_the_next_night_says_nothing_new(
    instance: Instance,
) -> None:
    step = {"type": "click", "selector": {"text": "领金币"}}
    with instance.db.write() as session:
        job = NewExperience("淘宝签到领金币", "打开淘宝，点领金币。", "淘宝", run_id="run1")
        one = experiences.add(session, job).experience_id
        action = actions.add(session, NewAction("领金币", [step]), Origin("run1"))
    actions.replayed(instance.db, action, "nearest: 10:08")
    night(instance)
    audit.keep(instance.db, one, "admin")

    actions.replayed(instance.db, action, "nearest: 10:09")
    with instance.db.write() as session:
        experiences.reopen(session, "run1")

    assert night(instance, NOW + DAY) == []


def test_the_worst_waits_first_and_the_queue_comes_in_pages(instance: Instance) -> None:
    for at in range(audit.PAGE + 2):
        one = keep(instance, f"第 {at * 7919} 个独立任务 {chr(0x4E00 + at * 37)}")
        fails(instance, one, 3)
    with instance.db.write() as session:
        experiences.mark_stale(session, one, "app_version")
    night(instance)

    first = audit.queue(instance.db, "en")
    rest = audit.queue(instance.db, "en", first["next"])

    assert first["items"][0]["experience_id"] == one
    assert len(first["items"]), len(rest["items"]) == (audit.PAGE, 2)
    ids = {each["id"] for each in first["items"] + rest["items"]}
    assert len(ids) == audit.PAGE + 2
    assert rest["next"] is None
    assert audit.waiting(instance.db) == audit.PAGE + 2


def test_keeping_what_nobody_suggested_is_remembered_too(instance: Instance) -> None:
    one = keep(instance, "打开蓝牙")

    audit.keep(instance.db, one, "admin")

    assert night(instance) == []
    with pytest.raises(NotFound):
        audit.keep(instance.db, "nothing", "admin")


def test_one_night_judges_a_bounded_number_and_the_longest_waiting_first(
    instance: Instance,
) -> None:
    for at in range(5):
        keep(instance, f"独立任务{chr(0x5000 + at * 91)}{chr(0x6000 + at * 57)}")

    first = [each.experience.task for each in audit.due(instance.db, NOW, most=3)]

    assert len(first) == 3
    assert first[0].startswith("独立任务")


def test_what_a_review_has_before_it_is_counted_down(instance: Instance) -> None:
    for at in range(3):
        keep(instance, f"独立任务{chr(0x5000 + at * 91)}{chr(0x6000 + at * 57)}")
    now = datetime.now(UTC)
    before = (audit.left(instance.db, now), audit.left(instance.db, now, most=2))

    found = next(audit.due(instance.db, now))
    audit.record(instance.db, found, audit.by_rules(found), now)

    assert before == (3, 2)
    assert audit.left(instance.db, now) == 2
