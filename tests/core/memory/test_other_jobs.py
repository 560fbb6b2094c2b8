"""Jobs that are told apart by a number or an opposite alone: never one memory, never one act."""

from datetime import UTC, datetime

import pytest

from core.memory import actions, clauses, evidence, experiences, learning, recall
from core.memory.actions import NewAction, Origin
from core.memory.experiences import NewExperience, Went
from core.setup import Instance

PAIRS = [
    ("打开设置里的第1个页面", "打开设置里的第11个页面"),
    ("set an alarm for 7 in Clock", "set an alarm for 17 in Clock"),
    ("Turn on device flight mode", "Turn off device flight mode"),
    ("打开手机系统设置里的蓝牙开关", "关闭手机系统设置里的蓝牙开关"),
]
SWITCH = [
    {"type": "open_app", "app": "设置"},
    {"type": "click", "selector": {"text": "蓝牙"}},
]


def learn(instance: Instance, task: str) -> learning.Kept:
    lang = "zh" if task[0] > "z" else "en"
    recipe = f"打开应用，完成：{task}。" if lang == "zh" else f"Open the app and do: {task}."
    return learning.keep_experience(instance.db, NewExperience(task, recipe, lang=lang))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_is_learned_of_one_leaves_the_memory_of_the_other_as_it_is(
    instance: Instance, one: str, other: str
) -> None:
    kept = [learn(instance, task).merged for task in (one, other, one, other)]

    assert kept == [False, False, True, True]
    assert len(experiences.listing(instance.db)["items"]) == 2
    [nearest, *_] = recall.recall(instance.db, other)
    assert (nearest.experience.task, nearest.differs) == (other, None)


def test_one_of_many_pages_is_known_again_however_many_there_are(instance: Instance) -> None:
    for n in range(8, 20):
        learn(instance, f"打开系统设置应用里的第{n}个页面看看")

    again = learn(instance, "打开系统设置应用里第 17 个页面看看")

    assert again.merged


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_neither_is_suggested_to_be_deleted_for_the_other(
    instance: Instance, one: str, other: str
) -> None:
    with instance.db.write() as session:
        first = experiences.add(session, NewExperience(one, "recipe"))
        second = experiences.add(session, NewExperience(other, "recipe"))
        experiences.credit(session, [second.experience_id], Went(success=True))

    assert evidence.case(instance.db, first, datetime.now(UTC)).evidence == ()


def test_a_switch_keeps_two_actions_though_the_steps_are_the_same(instance: Instance) -> None:
    origin = Origin("run1", proved=True)
    for name in ("打开蓝牙", "关闭蓝牙", "开启蓝牙"):
        learning.keep_action(instance.db, NewAction(name, SWITCH, app="设置"), origin)

    kept = {each.name: each.aliases for each in actions.most_used(instance.db, 9)}

    assert kept == {"打开蓝牙": ("开启蓝牙",), "关闭蓝牙": ()}


def test_a_blank_between_two_numbers_is_heard(instance: Instance) -> None:
    made = actions.create(instance.db, NewAction("计时 130 秒", SWITCH))
    actions.replayed(instance.db, made, None)

    first = [clauses.first_actions(instance.db, said) for said in ("计时 130 秒", "计时 1 30 秒")]

    assert [[each.name for each in found] for found in first] == [["计时 130 秒"], []]


@pytest.mark.parametrize(("run_id", "first"), [("run1", []), ("", ["打开蓝牙"])])
def test_what_was_merged_before_such_jobs_were_told_apart_is_not_run_first(
    instance: Instance, run_id: str, first: list[str]
) -> None:
    with instance.db.write() as session:
        wanted = NewAction("打开蓝牙", SWITCH, ("关闭蓝牙", "蓝牙开关"))
        actions.add(session, wanted, Origin(run_id, proved=True))

    found = {
        said: [each.name for each in clauses.first_actions(instance.db, said)]
        for said in ("打开蓝牙", "关闭蓝牙", "蓝牙开关")
    }

    assert found == {"打开蓝牙": ["打开蓝牙"], "关闭蓝牙": first, "蓝牙开关": ["打开蓝牙"]}
