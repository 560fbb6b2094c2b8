"""Which actions a request names."""

import pytest
from sqlalchemy import event

from core.memory import actions, recall
from core.memory.actions import NewAction
from core.setup import Instance

OPEN = {"type": "open_app", "app": "设置"}


def save(instance: Instance, name: str, *aliases: str, app: str = "", proved: bool = True) -> None:
    made = actions.create(instance.db, NewAction(name, [OPEN], aliases, app))
    if proved:
        actions.replayed(instance.db, made, None)


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("先打开蓝牙页再拍照", ["打开蓝牙页"]),
        ("please run Morning   Check now", ["morning check"]),
        ("run in the evening", []),
        ("帮我打开一下蓝牙页", ["打开蓝牙页"]),
        ("打开微信", []),
        ("在淘宝签到", []),
        ("在京东签到", ["签到领豆"]),
    ],
)
def test_actions_are_found_by_name_or_likeness_within_their_app(
    instance: Instance, request_: str, found: list[str]
) -> None:
    save(instance, "打开蓝牙页", "bt")
    save(instance, "morning check")
    save(instance, "签到领豆", "京东签到", app="京东")

    known = recall.known_actions(instance.db, request_)

    assert [action.name for action in known] == found


@pytest.mark.parametrize(
    "name",
    [
        "打开设置，进到蓝牙设置页面，再把蓝牙的名称改成客厅",
        "Open the settings, go to Bluetooth, and rename this phone",
        "打开系统设置里面的蓝牙设置页面看一看名称",
    ],
)
def test_a_long_name_is_found_however_many_actions_are_used_more(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(recall, "COMPARED", 2)
    save(instance, name, proved=False)
    for n in range(3):
        save(instance, f"打开系统设置里面的蓝牙设置页面{n}")  # begins like it, and is used more

    known = recall.known_actions(instance.db, f"麻烦你现在{name}，谢谢")
    cut = recall.known_actions(instance.db, f"麻烦你现在{name[:-1]}")

    assert known[0].name == name
    assert name not in [action.name for action in cut]


def test_no_more_steps_are_read_than_are_told(instance: Instance) -> None:
    for n in range(20):
        save(instance, f"打开蓝牙页面{chr(0x4E00 + n)}", proved=False)
    seen: list[str] = []

    event.listen(instance.db.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
    known = recall.known_actions(instance.db, "帮我打开一下蓝牙页面")

    with_steps = [text for text in seen if "actions.steps" in text]
    assert len(known) == recall.ACTIONS_TOP
    assert all("WHERE" in text for text in with_steps)  # chosen ones, never the library
    assert sum("LIMIT" in text for text in seen) == 1


def test_what_is_changed_by_hand_must_prove_itself_anew(instance: Instance) -> None:
    save(instance, "打开蓝牙页")
    kept = actions.resolve(instance.db, "打开蓝牙页")

    renamed = actions.change(instance.db, kept.action_id, NewAction("蓝牙页", [OPEN]))
    changed = actions.change(instance.db, kept.action_id, NewAction("蓝牙页", [OPEN, OPEN]))

    assert (kept.proved, renamed.proved, changed.proved) == (True, True, False)
