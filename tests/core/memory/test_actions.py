"""Actions are found by name or alias, and nothing is saved that could not be replayed."""

from typing import Any

import pytest

from core.clock import utc_now
from core.errors import Invalid, NameTaken, NotFound
from core.memory import actions
from core.memory.actions import Action, NewAction
from core.setup import Instance

OPEN = {"type": "open_app", "app": "设置"}
CLICK = {"type": "click", "selector": {"text": "蓝牙"}}
TWICE = {"type": "repeat", "times": 2}
POINT = {"type": "click_xy", "x": 0.5, "y": 0.5}


def run(name: str) -> dict[str, Any]:
    return {"type": "run_action", "name": name}


def save(instance: Instance, name: str, *steps: dict[str, Any], aliases: str = "") -> Action:
    wanted = NewAction(name, list(steps or (OPEN,)), tuple(aliases.split()))
    return actions.create(instance.db, wanted)


@pytest.mark.parametrize("name", ["打开 蓝牙", "打开蓝牙", "OPEN bluetooth", "ｏｐｅｎBluetooth"])
def test_an_action_is_found_by_name_or_alias_whatever_case_and_spaces(
    instance: Instance, name: str
) -> None:
    saved = save(instance, "打开蓝牙", OPEN, CLICK, aliases="OpenBluetooth bt")

    found = actions.resolve(instance.db, name)

    assert found == saved
    assert [step.type for step in found.steps] == ["open_app", "click"]
    assert found.aliases == ("OpenBluetooth", "bt")


def test_an_unknown_name_is_answered_with_the_nearest(instance: Instance) -> None:
    with pytest.raises(NotFound, match="No action is saved here yet"):
        actions.resolve(instance.db, "打开蓝牙")
    save(instance, "打开蓝牙")
    save(instance, "关闭飞行模式")

    with pytest.raises(NotFound, match="Nearest: 打开蓝牙"):
        actions.resolve(instance.db, "打开蓝牙耳机")
    with pytest.raises(NotFound, match=r"There are: .*打开蓝牙"):
        actions.resolve(instance.db, "xyz")


@pytest.mark.parametrize("name", ["打开 蓝牙", "BT"])
def test_a_name_or_alias_belongs_to_one_action(instance: Instance, name: str) -> None:
    kept = save(instance, "打开蓝牙", aliases="bt")
    other = save(instance, "other")

    with pytest.raises(NameTaken):
        save(instance, "new", aliases=name.replace(" ", ""))
    with pytest.raises(NameTaken, match=name):
        actions.change(instance.db, other.action_id, NewAction(name, [OPEN]))

    again = NewAction("打开蓝牙", [CLICK], ("蓝牙",))
    assert actions.change(instance.db, kept.action_id, again).aliases == ("蓝牙",)
    assert save(instance, "bt").name == "bt"
    assert actions.find(instance.db, "new") is None


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        (NewAction(" \u200b", [OPEN]), "name"),
        (NewAction("a", [OPEN], ("b", " ")), "aliases.1"),
        (NewAction("a", []), "steps"),
        (NewAction("a", "open"), "steps"),
        (NewAction("a", [OPEN, {"type": "click"}]), "steps.1.selector"),
        (NewAction("a", [OPEN, POINT]), "steps.1.type"),
        (
            NewAction("a", [{"type": "repeat", "times": 2, "steps": [POINT]}]),
            "steps.0.steps.0.type",
        ),
        (NewAction("a", [{"type": "keep_screen", "on": True}]), "steps.0.type"),
        (NewAction("a", [OPEN, run("nowhere")]), "steps.1.name"),
        (NewAction("a", [OPEN] * 501), "steps"),
    ],
)
def test_what_cannot_be_replayed_is_not_saved(
    instance: Instance, wanted: NewAction, path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        actions.create(instance.db, wanted)

    assert refused.value.path == path
    assert actions.listing(instance.db)["items"] == []


def test_an_action_never_leads_back_to_itself(instance: Instance) -> None:
    first = save(instance, "first", aliases="one")
    save(instance, "second", run("one"))
    third = save(instance, "third", run("second"), run("second"))

    with pytest.raises(Invalid, match="in a circle") as direct:
        actions.change(instance.db, third.action_id, NewAction("third", [run("third")]))
    with pytest.raises(Invalid, match="in a circle") as far:
        wanted = NewAction("first", [OPEN, run("third")], ("one",))
        actions.change(instance.db, first.action_id, wanted)

    assert (direct.value.path, far.value.path) == ("steps.0.name", "steps.1.name")
    assert actions.get(instance.db, first.action_id).raw == [OPEN]


def test_actions_are_listed_in_pages_and_searched_by_name_and_app(instance: Instance) -> None:
    for at in range(actions.PAGE + 3):
        save(instance, f"action {at}", aliases=f"do{at}")
    actions.create(instance.db, NewAction("付款", [OPEN], (), "com.shop"))

    first = actions.listing(instance.db)
    second = actions.listing(instance.db, before=first["next"])

    assert [item["name"] for item in first["items"][:2]] == ["付款", "action 52"]
    assert (len(first["items"]), len(second["items"]), second["next"]) == (actions.PAGE, 4, None)
    assert [i["name"] for i in actions.listing(instance.db, "DO 51")["items"]] == ["action 51"]
    assert [i["name"] for i in actions.listing(instance.db, "com.shop")["items"]] == ["付款"]


def test_a_use_is_counted_and_what_is_removed_gives_its_names_back(instance: Instance) -> None:
    saved = save(instance, "a", aliases="b")

    actions.replayed(instance.db, saved, None)
    actions.replayed(instance.db, saved, "click: it is gone")
    used = actions.get(instance.db, saved.action_id)
    actions.remove(instance.db, saved.action_id)

    assert (used.uses, used.used is not None, used.updated) == (2, True, saved.updated)
    assert (used.successes, used.failures, used.proved, used.stale) == (
        1,
        1,
        False,
        "click: it is gone",
    )
    assert actions.find(instance.db, "b") is None
    assert save(instance, "b").name == "b"
    with pytest.raises(NotFound):
        actions.remove(instance.db, saved.action_id)


def test_what_wants_a_value_is_not_tried_by_night(instance: Instance) -> None:
    done = actions.Origin(run_id="run1")
    with instance.db.write() as session:
        for name, step in (
            ("打开设置应用", {"type": "open_app", "app": "设置"}),
            ("写字", {"type": "input_text", "text": "{{words}}"}),
        ):
            actions.add(session, NewAction(name, [step]), done)

    unused = actions.unused_since(instance.db, utc_now(), 10)

    assert [action.name for action in unused] == ["打开设置应用"]
