"""The libraries of memories as a whole, over HTTP."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from core.clock import utc_now
from core.db import Database
from core.memory import actions, audit, evidence, experiences, library, recall
from core.memory.audit import Opinion
from core.memory.experiences import NewExperience
from tests.web.conftest import Browser
from web.console import Console

ROUTE = "/api/agent/memory"
CLICK = {"type": "click", "selector": {"text": "蓝牙"}}
JOB = {"task": "在淘宝签到", "recipe": "打开淘宝，点签到。", "app": "淘宝"}


def taken_out(browser: Browser, query: str = "") -> dict[str, Any]:
    answer = browser.get(f"{ROUTE}/export{query}")
    assert "attachment" in answer.headers["Content-Disposition"]
    found: dict[str, Any] = json.loads(answer.get_data(as_text=True))
    return found


def fill(operator: Browser) -> None:
    operator.post("/api/agent/experiences", json=JOB)
    operator.post("/api/agent/experiences", json={"task": "打开蓝牙", "recipe": "去设置里打开。"})
    steps = [{"type": "run_action", "name": "打开蓝牙页"}]
    for name, each in (("打开蓝牙页", [CLICK]), ("蓝牙", steps)):
        operator.post("/api/agent/actions", json={"name": name, "steps": each, "app": "设置"})


def test_what_was_taken_out_comes_back_whole_and_only_once(operator: Browser) -> None:
    fill(operator)
    whole = taken_out(operator)
    for app in ("淘宝", "设置"):
        operator.post(f"{ROUTE}/forget", json={"app": app})
    left = operator.get(ROUTE).get_json()

    back = operator.post(f"{ROUTE}/import", json={**whole, "actions": whole["actions"][::-1]})
    again = operator.post(f"{ROUTE}/import", json=whole)

    assert (left["experiences"], left["actions"]) == (1, 0)
    assert back.get_json() == {"experiences": 1, "actions": 2, "known": 1, "taken": []}
    assert again.get_json()["known"] == 2
    assert set(again.get_json()["taken"]) == {"打开蓝牙页", "蓝牙"}
    assert taken_out(operator)["experiences"][1] == whole["experiences"][0]


def test_apps_are_listed_with_how_much_is_remembered_of_them(operator: Browser) -> None:
    fill(operator)

    items = operator.get(f"{ROUTE}/apps").get_json()["items"]

    assert items == [
        {"app": "设置", "experiences": 0, "actions": 2},
        {"app": "淘宝", "experiences": 1, "actions": 0},
    ]


def test_days_are_those_of_a_known_zone(operator: Browser) -> None:
    good = operator.get(f"{ROUTE}/days?zone=Asia/Shanghai")
    bad = operator.get(f"{ROUTE}/days?zone=../etc/passwd")

    assert len(good.get_json()["items"]) == 30
    assert bad.status_code == 400
    assert bad.get_json()["error"]["path"] == "zone"


def test_an_import_with_one_wrong_part_changes_nothing(operator: Browser) -> None:
    wrong = {"name": "b", "steps": [CLICK, {"type": "click_xy", "x": 1, "y": 1}]}
    file = {"experiences": [JOB], "actions": [{"name": "a", "steps": [CLICK]}, wrong]}

    answer = operator.post(f"{ROUTE}/import", json=file)

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == "actions.1.steps.1.type"
    assert taken_out(operator) == {"version": 1, "experiences": [], "actions": []}


def test_an_import_checks_a_long_chain_before_it_writes(operator: Browser) -> None:
    def runs(at: int) -> dict[str, Any]:
        return {"name": f"a{at}", "steps": [{"type": "run_action", "name": f"a{at + 1}"}] * 20}

    last = {"name": "a40", "steps": [CLICK]}
    ring = [{"name": "b", "steps": [{"type": "run_action", "name": "b"}]}]
    files = {
        "actions.0.aliases.0": [{"name": "c", "aliases": ["返回"], "steps": [CLICK]}],
        "actions.249.steps.0.name": [*map(runs, range(300)), {**last, "name": "a300"}],
        "actions.0.steps.0.name": ring,
        "actions.39.steps.0.name": [*map(runs, range(40))],  # what it runs is nowhere
    }
    refused = {
        place: operator.post(f"{ROUTE}/import", json={"actions": file})
        for place, file in files.items()
    }
    fits = operator.post(f"{ROUTE}/import", json={"actions": [*map(runs, range(40)), last]})

    assert {answer.status_code for answer in refused.values()} == {400}
    assert [answer.get_json()["error"]["path"] for answer in refused.values()] == [*files]
    assert fits.get_json() == {"experiences": 0, "actions": 41, "known": 0, "taken": []}


def test_nothing_that_came_in_a_file_counts_as_proved(operator: Browser) -> None:
    job = {**JOB, "proved": True}

    brought = operator.post(
        f"{ROUTE}/import",
        json={"experiences": [job], "actions": [{"name": "签到", "steps": [CLICK]}]},
    )

    assert brought.get_json()["experiences"] == 1
    [kept] = operator.get("/api/agent/experiences").get_json()["items"]
    [action] = operator.get("/api/agent/actions").get_json()["items"]
    assert (kept["proved"], action["proved"]) == (False, False)


def test_everything_of_one_app_is_forgotten_and_nothing_else(operator: Browser) -> None:
    fill(operator)

    gone = operator.post(f"{ROUTE}/forget", json={"app": "设置"}).get_json()

    assert gone == {"experiences": 0, "actions": 2}
    assert [each["task"] for each in taken_out(operator)["experiences"]] == [
        JOB["task"],
        "打开蓝牙",
    ]
    assert taken_out(operator, "?app=淘宝")["experiences"][0]["task"] == JOB["task"]
    assert operator.get("/api/agent/actions").get_json()["items"] == []


def test_what_was_thought_of_an_app_is_forgotten_with_it(
    console: Console, operator: Browser
) -> None:
    one = str(operator.post("/api/agent/experiences", json=JOB).get_json()["id"])
    found = evidence.case(console.instance.db, experiences.get(console.instance.db, one), utc_now())
    audit.record(console.instance.db, found, Opinion(True, 2.0, "没用"), utc_now())

    operator.post(f"{ROUTE}/forget", json={"app": "淘宝"})

    assert operator.get(ROUTE).get_json()["waiting"] == 0
    for part in ("queue", "history"):
        assert operator.get(f"/api/agent/experiences/audit/{part}").get_json()["items"] == []


STEP = {**CLICK, "expect": {"app": "com.android.settings"}}


def test_an_app_is_forgotten_under_all_of_its_names(console: Console, operator: Browser) -> None:
    db = console.instance.db
    with db.write() as session:
        for app, package in (
            ("设置", ""),
            ("Settings / 设置", "com.android.settings"),
            ("", "com.android.settings"),
            ("系统", "com.android.settings"),  # as somebody said it, noted with the package
            ("淘宝", "com.taobao.taobao"),
        ):
            wanted = NewExperience("打开蓝牙", "点蓝牙那一行。", app, package=package)
            gone = experiences.add(session, wanted).experience_id
    for name, app in (("a", "settings"), ("b", ""), ("c", "系统"), ("d", "淘宝")):
        operator.post("/api/agent/actions", json={"name": name, "steps": [STEP], "app": app})

    listed = taken_out(operator, "?app=com.android.settings")
    told = operator.post(f"{ROUTE}/forget", json={"app": "系统设置"}).get_json()

    assert (len(listed["experiences"]), len(listed["actions"])) == (4, 3)
    assert told == {"experiences": 4, "actions": 3}
    assert [each["app"] for each in taken_out(operator)["experiences"]] == ["淘宝"]
    assert [each["name"] for each in taken_out(operator)["actions"]] == ["d"]
    assert [found.experience.experience_id for found in recall.recall(db, "打开蓝牙")] == [gone]
    for name in ("a", "b", "c"):  # nobody has their names any more
        assert actions.find(db, name) is None


def test_what_was_deleted_before_leaves_the_history_with_its_app(
    console: Console, operator: Browser
) -> None:
    one = str(operator.post("/api/agent/experiences", json=JOB).get_json()["id"])
    audit.keep(console.instance.db, one, "admin")
    operator.send("DELETE", f"/api/agent/experiences/{one}")

    operator.post(f"{ROUTE}/forget", json={"app": "taobao"})

    assert operator.get("/api/agent/experiences/audit/history").get_json()["items"] == []


@pytest.mark.parametrize("name", ["知乎", "nothing", "¥Ä"])
def test_an_app_that_nobody_remembers_has_nothing(operator: Browser, name: str) -> None:
    fill(operator)

    found = taken_out(operator, f"?app={name}")
    forgotten = operator.post(f"{ROUTE}/forget", json={"app": name})

    assert (found["experiences"], found["actions"]) == ([], [])
    assert forgotten.get_json() == {"experiences": 0, "actions": 0}


def test_no_name_is_no_app_to_be_forgotten(operator: Browser) -> None:
    fill(operator)

    answer = operator.post(f"{ROUTE}/forget", json={"app": "  "})

    assert (answer.status_code, answer.get_json()["error"]["path"]) == (400, "app")
    assert len(taken_out(operator)["experiences"]) == 2


def test_an_import_looks_at_the_library_once_for_many(console: Console, operator: Browser) -> None:
    many = [{**JOB, "task": f"在淘宝搜索第{n}样"} for n in range(library.PORTION)]
    file = {"experiences": [*many, many[0], JOB]}
    seen: list[str] = []

    with asked(console.instance.db, seen):
        brought = operator.post(f"{ROUTE}/import", json=file).get_json()
        again = operator.post(f"{ROUTE}/import", json=file).get_json()

    assert (brought["experiences"], brought["known"]) == (library.PORTION + 1, 1)
    assert (again["experiences"], again["known"]) == (0, library.PORTION + 2)
    looks = [text for text in seen if text.startswith("SELECT experiences.task")]
    assert len(looks) == 4  # two portions each


@contextmanager
def asked(db: Database, seen: list[str]) -> Iterator[None]:
    """Take down the statements that are sent meanwhile."""

    def note(_c: Any, _u: Any, text: str, _given: Any, _x: Any, _m: bool) -> None:
        seen.append(text)

    event.listen(db.engine, "before_cursor_execute", note)
    yield
    event.remove(db.engine, "before_cursor_execute", note)


def test_figures_say_what_is_there(viewer: Browser, operator: Browser) -> None:
    fill(operator)

    told = viewer.get(ROUTE).get_json()

    assert (told["experiences"], told["actions"], told["waiting"]) == (2, 2, 0)
    assert (told["hits"], told["steps_saved"], told["apps"]) == (0, 0, [])
