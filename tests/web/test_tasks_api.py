"""Tasks over HTTP: kept, started, compared, exported, and refused in words."""

import json
from typing import Any

import pytest

from tests.web.conftest import Browser
from web.console import Console

ROUTE = "/api/tasks"
CLICK = {"type": "click", "selector": {"text": "签到"}}
TYPE = {"type": "input_text", "text": "{{words}}"}
TASK = {"name": "签到", "steps": [CLICK], "targets": {"serials": ["s1"]}}


def save(browser: Browser, **more: Any) -> dict[str, Any]:
    answer = browser.post(ROUTE, json={**TASK, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.get_json()
    return made


def start(browser: Browser, task: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = browser.post(f"{ROUTE}/{task['task_id']}/run", json=body)
    assert answer.status_code == 202, answer.text
    made: dict[str, Any] = answer.get_json()
    return made


def test_a_task_is_saved_listed_changed_and_deleted(operator: Browser) -> None:
    made = save(operator, schedule={"cron": "0 8 * * *", "zone": "Asia/Shanghai"})
    route = f"{ROUTE}/{made['task_id']}"

    listed = operator.get(f"{ROUTE}?q=签").get_json()["items"]
    changed = operator.put(route, json={**TASK, "name": "打卡", "revision": 1}).get_json()
    removed = operator.send("DELETE", route)

    assert [item["task_id"] for item in listed] == [made["task_id"]]
    assert (len(made["next"]), made["updated_by"], made["last"]) == (3, "operator", None)
    assert (changed["name"], changed["revision"], changed["next"]) == ("打卡", 2, [])
    assert (removed.status_code, operator.get(route).status_code) == (200, 404)


def test_two_editors_are_told_of_each_other(operator: Browser, admin: Browser) -> None:
    made = save(operator)
    route = f"{ROUTE}/{made['task_id']}"
    admin.put(route, json={**TASK, "name": "b", "revision": 1})

    answer = operator.put(
        route, json={**TASK, "name": "c", "revision": 1}, headers={"Accept-Language": "en"}
    )

    error = answer.get_json()["error"]
    assert (answer.status_code, error["code"]) == (409, "task_changed")
    assert error["message"].startswith("admin saved this task")
    assert operator.get(route).get_json()["name"] == "b"


def test_what_json_can_say_and_nothing_else_is_refused_at_its_place(operator: Browser) -> None:
    places = {
        '"rows": [{"page": NaN}]': "rows.0.page",
        '"inputs": {"page": 1e999}': "inputs.page",
        '"inputs": {"page": "\\ud83d"}': "inputs.page",
        '"name": "\\ud800"': "name",
        '"inputs": {"\\ud800": 1}': "inputs",
        '"schedule": {"at": "9999-12-31T23:59:59-14:00"}': "schedule.at",
        '"schedule": {"at": "0001-01-01T00:00:00+14:00"}': "schedule.at",
    }

    answers = {
        text: operator.post(
            ROUTE, data=f"{json.dumps(TASK)[:-1]}, {text}}}", content_type="application/json"
        )
        for text in places
    }

    assert {text: each.get_json()["error"].get("path") for text, each in answers.items()} == places
    assert {each.status_code for each in answers.values()} == {400}
    assert operator.get(ROUTE).get_json()["items"] == []


def test_a_number_that_no_revision_has_is_not_looked_for(operator: Browser) -> None:
    route = f"{ROUTE}/{save(operator)['task_id']}/revisions"
    large = "9" * 30

    answers = [
        operator.get(f"{route}{rest}").status_code
        for rest in (f"/{large}", f"/1/diff?against={large}", f"?cursor={large}", "?cursor=x")
    ]

    assert answers == [404, 404, 400, 400]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"steps": [{"type": "click"}]}, "steps.0.selector"),
        ({"steps": []}, "steps"),
        ({"name": " "}, "name"),
        ({"targets": {}}, "targets"),
        ({"targets": {"any": True, "tags": ["a"]}}, "targets"),
        ({"schedule": {"cron": "nonsense"}}, "schedule.cron"),
        ({"schedule": {"cron": "@daily", "zone": "Mars"}}, "schedule.zone"),
        ({"policy": {"retries": 99}}, "policy.retries"),
        ({"unknown": 1}, "unknown"),
        ({"steps": [TYPE], "schedule": {"every_s": 60}}, "inputs.words"),
    ],
)
def test_a_wrong_place_is_named(operator: Browser, body: dict[str, Any], path: str) -> None:
    answer = operator.post(ROUTE, json={**TASK, **body})

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == path


def test_a_change_is_shown_place_by_place_and_can_be_put_back(operator: Browser) -> None:
    made = save(operator)
    route = f"{ROUTE}/{made['task_id']}"
    operator.put(route, json={**TASK, "steps": [CLICK, CLICK], "revision": 1, "note": "twice"})

    shown = operator.get(f"{route}/revisions/2/diff").get_json()
    listed = operator.get(f"{route}/revisions").get_json()["items"]
    back = operator.post(f"{route}/revisions/1/rollback", json={"revision": 2}).get_json()

    assert [(each["path"], each["kind"]) for each in shown["items"]] == [("steps.1", "added")]
    assert [(each["revision"], each["note"]) for each in listed] == [(2, "twice"), (1, "")]
    assert (back["revision"], back["steps"]) == (3, [CLICK])


def test_rows_are_dealt_out_to_phones_and_laid_out_as_a_matrix(operator: Browser) -> None:
    rows = [{"words": "a"}, {"words": "b"}, {"words": "c"}]
    made = save(operator, steps=[TYPE], rows=rows, targets={"serials": ["s2", "HW2"]})

    started = start(operator, made)

    group = f"{ROUTE}/{made['task_id']}/groups/{started['group_id']}"
    matrix = operator.get(group).get_json()
    assert len(started["run_ids"]) == 3
    assert [(cell["serial"], cell["row"]) for cell in matrix["cells"]] == [
        ("s2", 0),
        ("s2", 1),
        ("s2", 2),
    ]
    detail = operator.get(f"/api/runs/{started['run_ids'][1]}").get_json()
    assert (detail["status"], detail["inputs"], detail["steps"]) == ("queued", {"words": "b"}, [])


def test_every_row_goes_to_every_phone_where_that_is_wished(operator: Browser) -> None:
    rows = [{"words": "a"}, {"words": "b"}]
    targets = {"serials": ["s1", "s2"], "each": True}
    made = save(operator, steps=[TYPE], rows=rows, targets=targets)

    started = start(operator, made)

    assert len(started["run_ids"]) == 4


def test_runs_that_wait_are_stopped_one_or_all(operator: Browser) -> None:
    made = save(operator, targets={"serials": ["s2"]})
    first, second = start(operator, made), start(operator, made)
    one = first["run_ids"][0]

    operator.post(f"/api/runs/{one}/stop")
    operator.post(f"{ROUTE}/{made['task_id']}/groups/{second['group_id']}/stop")

    listed = operator.get(f"/api/runs?task_id={made['task_id']}&status=stopped,failed").get_json()
    assert {item["run_id"] for item in listed["items"]} == {one, *second["run_ids"]}


def test_a_deleted_task_takes_its_waiting_runs_with_it_and_leaves_its_history(
    operator: Browser,
) -> None:
    made = save(operator, targets={"serials": ["s2"]})
    [run_id] = start(operator, made)["run_ids"]

    operator.send("DELETE", f"{ROUTE}/{made['task_id']}")

    run = operator.get(f"/api/runs/{run_id}").get_json()
    assert (run["status"], run["name"]) == ("stopped", "签到")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "inputs.words"),
        ({"inputs": {"words": "a"}, "first": 9}, "first"),
        ({"inputs": {"words": "a"}, "serials": ["nobody"]}, "targets.serials.0"),
        ({"rows": [{"words": "a"}, {"other": "b"}]}, "rows.1.words"),
        ({"steps": []}, "steps"),
    ],
)
def test_a_start_that_cannot_be_is_refused(
    operator: Browser, body: dict[str, Any], path: str
) -> None:
    made = save(operator, steps=[TYPE], inputs={"words": None})

    answer = operator.post(f"{ROUTE}/{made['task_id']}/run", json=body)

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == path


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_task_is_exported_and_imported(operator: Browser, form: str) -> None:
    made = save(operator, inputs={"words": "你好"}, schedule={"every_s": 60})

    answer = operator.get(f"{ROUTE}/{made['task_id']}/export?format={form}")
    again = operator.post(f"{ROUTE}/import", json={"text": answer.text})

    assert again.status_code == 201
    kept = ("name", "steps", "inputs", "schedule", "policy")
    assert {key: again.get_json()[key] for key in kept} == {key: made[key] for key in kept}
    assert f".{form}" in answer.headers["Content-Disposition"]


def test_a_form_asks_when_a_schedule_would_be_due(viewer: Browser) -> None:
    good = viewer.get(f"{ROUTE}/next?cron=0 8 * * *&zone=Asia/Shanghai")
    bad = viewer.get(f"{ROUTE}/next?cron=0 8 * *")

    assert [each[11:16] for each in good.get_json()["items"]] == ["00:00"] * 3
    assert bad.get_json()["error"]["path"] == "schedule.cron"


def test_a_viewer_reads_tasks_and_starts_none(operator: Browser, viewer: Browser) -> None:
    made = save(operator)

    assert viewer.get(f"{ROUTE}/{made['task_id']}").status_code == 200
    assert viewer.post(f"{ROUTE}/{made['task_id']}/run", json={}).status_code == 403
    assert viewer.post(ROUTE, json=TASK).status_code == 403


def test_whoever_watches_is_shown_what_waits_and_one_run_whole(
    operator: Browser, console: Console
) -> None:
    made = save(operator, targets={"serials": ["s2"]})
    [run_id] = start(operator, made)["run_ids"]

    whole = console.board.text(f"task_run:{run_id}", "en")
    unknown = console.board.text("task_run:nothing", "en")
    line = console.board.text("tasks", "en")

    assert json.loads(whole or "")["status"] == "queued"
    assert [item["run_id"] for item in json.loads(line or "")["items"]] == [run_id]
    assert unknown is None


def test_the_rules_for_unasked_windows_are_changed_and_put_back(
    operator: Browser, viewer: Browser
) -> None:
    rule = {"name": "vote", "press": "以后再说|later", "over": "", "says": "评分"}
    route = f"{ROUTE}/nags"
    delivered = viewer.get(route).get_json()

    changed = operator.put(route, json={"items": [rule]}).get_json()
    wrong = operator.put(route, json={"items": [rule, {**rule, "says": "("}]})
    blank = operator.put(route, json={"items": [{**rule, "press": ".*"}]})
    back = operator.send("DELETE", route).get_json()

    assert (changed, delivered["usual"]) == ({"items": [rule], "usual": False}, True)
    assert wrong.get_json()["error"]["path"] == "items.1.says"
    assert blank.get_json()["error"]["path"] == "items.0.press"
    assert back == delivered
