"""Tasks are checked, kept with every revision, and never overwritten unseen."""

from typing import Any

import pytest

from core.errors import Invalid, NotFound, TaskChanged
from core.memory import actions
from core.memory.actions import NewAction
from core.setup import Instance
from core.tasks import diff, store
from core.tasks.schema import TaskSpec

CLICK = {"type": "click", "selector": {"text": "签到"}}
TYPE = {"type": "input_text", "text": "{{words}}"}


def spec(*steps: dict[str, Any], **more: Any) -> TaskSpec:
    return TaskSpec.model_validate({"name": "签到", "steps": list(steps) or [CLICK], **more})


def test_a_second_save_on_the_same_revision_says_who_was_first(instance: Instance) -> None:
    made = store.create(instance.db, spec(), "li")
    store.change(instance.db, made.task_id, spec(CLICK, CLICK), 1, "wang")

    with pytest.raises(TaskChanged, match="wang saved this task meanwhile"):
        store.change(instance.db, made.task_id, spec(TYPE, inputs={"words": "a"}), 1, "li")

    now = store.get(instance.db, made.task_id)
    assert (now.revision, now.updated_by, len(now.spec.steps)) == (2, "wang", 2)


def test_a_save_without_a_change_is_no_revision(instance: Instance) -> None:
    made = store.create(instance.db, spec(), "li")

    again = store.change(instance.db, made.task_id, spec(), 1, "wang")

    assert (again.revision, again.updated_by) == (1, "li")


def test_an_old_revision_is_read_compared_and_put_back(instance: Instance) -> None:
    db = instance.db
    made = store.create(db, spec(CLICK, {"type": "hide_keyboard"}), "li")
    store.change(db, made.task_id, spec(TYPE, CLICK, inputs={"words": "你好"}), 1, "wang")
    first = store.revision(db, made.task_id, 1)["task"]
    second = store.revision(db, made.task_id, 2)["task"]

    changed = {each["path"]: each["kind"] for each in diff.changes(first, second)}
    back = store.change(db, made.task_id, store.as_spec(first), 2, "li", "= 1")

    assert changed == {"steps.0": "added", "steps.1": "removed", "inputs.words": "added"}
    assert back.spec.body == first
    assert [each["revision"] for each in store.revisions(db, made.task_id)["items"]] == [3, 2, 1]


def test_a_new_schedule_begins_a_new_series_and_another_change_does_not(
    instance: Instance,
) -> None:
    db = instance.db
    made = store.create(db, spec(schedule={"cron": "0 8 * * *", "zone": "Asia/Shanghai"}), "li")

    renamed = store.change(
        db, made.task_id, made.spec.model_copy(update={"name": "other"}), 1, "li"
    )
    moved = spec(schedule={"cron": "0 8 * * *", "zone": "Europe/Berlin"})
    changed = store.change(db, made.task_id, moved, 2, "li")

    assert made.next_at is not None
    assert (renamed.next_at, renamed.anchor) == (made.next_at, made.anchor)
    assert changed.next_at != made.next_at


def test_a_paused_schedule_is_not_due_and_goes_on_from_now(instance: Instance) -> None:
    made = store.create(instance.db, spec(schedule={"every_s": 60}), "li")

    paused = store.pause(instance.db, made.task_id, True)
    resumed = store.pause(instance.db, made.task_id, False)

    assert (paused.paused, paused.next_at) == (True, None)
    assert resumed.next_at is not None
    assert made.next_at is not None
    assert resumed.next_at > made.next_at


def test_what_a_clock_cannot_give_must_be_there_when_the_schedule_is_saved(
    instance: Instance,
) -> None:
    store.create(instance.db, spec(TYPE, inputs={"words": None}), "li")

    with pytest.raises(Invalid) as missing:
        store.create(
            instance.db, spec(TYPE, inputs={"words": None}, schedule={"every_s": 60}), "li"
        )

    assert missing.value.path == "inputs.words"
    rows = [{"words": "a"}, {"words": "b"}]
    store.create(instance.db, spec(TYPE, rows=rows, schedule={"every_s": 60}), "li")


def test_an_action_that_is_not_there_is_named_with_its_place(instance: Instance) -> None:
    step = {"type": "run_action", "name": "登录"}

    with pytest.raises(Invalid) as missing:
        store.create(instance.db, spec(CLICK, step), "li")
    actions.create(instance.db, NewAction("登录", [CLICK]))

    assert missing.value.path == "steps.1.name"
    assert store.create(instance.db, spec(CLICK, step), "li").revision == 1


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ([], "steps"),
        ([CLICK] * 501, "steps"),
        ([CLICK, {"type": "dance"}], "steps.1.type"),
        (
            [{"type": "repeat", "times": 2, "steps": [{"type": "click"}]}],
            "steps.0.steps.0.selector",
        ),
    ],
)
def test_wrong_steps_are_refused_with_their_place(
    instance: Instance, steps: list[Any], path: str
) -> None:
    with pytest.raises(Invalid) as wrong:
        store.create(instance.db, TaskSpec(name="a", steps=steps), "li")

    assert wrong.value.path == path


def test_a_task_that_was_deleted_is_gone_with_its_revisions(instance: Instance) -> None:
    made = store.create(instance.db, spec(), "li")

    store.remove(instance.db, made.task_id)

    with pytest.raises(NotFound):
        store.revision(instance.db, made.task_id, 1)
