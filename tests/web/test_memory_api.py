"""The action library over HTTP, and how wrong steps are answered."""

from typing import Any

import pytest

from core.errors import ElementGone
from core.memory import actions, experiences, stale
from tests.web.conftest import Browser
from web.console import Console

CLICK = {"type": "click", "selector": {"text": "蓝牙"}}
ROUTE = "/api/agent/actions"


def save(browser: Browser, name: str, **more: Any) -> dict[str, Any]:
    answer = browser.post(ROUTE, json={"name": name, "steps": [CLICK], **more})
    assert answer.status_code == 201
    made: dict[str, Any] = answer.get_json()
    return made


def test_an_action_is_saved_read_changed_and_forgotten(operator: Browser) -> None:
    made = save(operator, "打开蓝牙", aliases=["bt"], app="com.android.settings")
    route = f"{ROUTE}/{made['id']}"

    read = operator.get(route).get_json()
    changed = operator.put(route, json={"name": "蓝牙", "steps": [CLICK, CLICK]}).get_json()
    listed = operator.get(f"{ROUTE}?q=蓝").get_json()["items"]
    removed = operator.send("DELETE", route)

    assert read == made
    assert (read["aliases"], read["steps"], read["uses"]) == (["bt"], [CLICK], 0)
    assert (changed["name"], changed["aliases"], len(changed["steps"])) == ("蓝牙", [], 2)
    assert [item["id"] for item in listed] == [made["id"]]
    assert (removed.status_code, operator.get(route).status_code) == (200, 404)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"steps": [CLICK]}, "name"),
        ({"name": "a"}, "steps"),
        ({"name": "a", "steps": {}}, "steps"),
        ({"name": "a", "steps": ["click"]}, "steps.0"),
        ({"name": "a", "steps": [CLICK, {"type": "click"}]}, "steps.1.selector"),
        ({"name": "a", "steps": [CLICK, {"type": "click_xy", "x": 1, "y": 1}]}, "steps.1.type"),
        ({"name": "a", "steps": [CLICK], "alias": []}, "alias"),
        ({"name": "a" * 101, "steps": [CLICK]}, "name"),
        ({"name": "go home", "steps": [CLICK]}, "name"),
        ({"name": "a", "aliases": ["b", "打开设置"], "steps": [CLICK]}, "aliases.1"),
        ({"name": "OK", "steps": [CLICK]}, "name"),
    ],
)
def test_a_wrong_place_is_named(operator: Browser, body: dict[str, Any], path: str) -> None:
    answer = operator.post(ROUTE, json=body)

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == path


def test_a_name_that_is_taken_is_a_conflict_and_an_unknown_id_comes_first(
    operator: Browser,
) -> None:
    save(operator, "a")

    taken = operator.post(ROUTE, json={"name": "A", "steps": [CLICK]})
    unknown = operator.put(f"{ROUTE}/nothing", json={"name": ""})

    assert (taken.status_code, taken.get_json()["error"]["code"]) == (409, "name_taken")
    assert unknown.status_code == 404


def test_a_viewer_reads_actions_and_changes_none(operator: Browser, viewer: Browser) -> None:
    made = save(operator, "a")
    route = f"{ROUTE}/{made['id']}"

    assert viewer.get(ROUTE).get_json()["items"] == [made]
    assert viewer.post(ROUTE, json={"name": "b", "steps": [CLICK]}).status_code == 403
    assert viewer.put(route, json={"name": "b", "steps": [CLICK]}).status_code == 403
    assert viewer.send("DELETE", route).status_code == 403


def test_the_types_of_steps_are_described(viewer: Browser) -> None:
    answer = viewer.get("/api/agent/steps").get_json()

    assert answer["never_in_actions"] == ["click_xy", "keep_screen"]
    assert answer["schema"]["$defs"]["click"]["required"] == ["type", "selector"]


def test_an_experience_is_written_read_found_changed_and_forgotten(operator: Browser) -> None:
    route = "/api/agent/experiences"
    given = {"task": "在小红书搜索咖啡", "recipe": "打开小红书，点搜索，输入词。", "app": "小红书"}

    made = operator.post(route, json=given).get_json()
    one = f"{route}/{made['id']}"
    changed = operator.put(one, json={**given, "recipe": "打开小红书，点放大镜。"}).get_json()
    found = [
        [item["id"] for item in operator.get(f"{route}?{query}").get_json()["items"]]
        for query in ("q=搜索咖啡", "q=小红书", "app=小红书", "q=红茶", "app=京东")
    ]
    removed = operator.send("DELETE", one)

    assert (made["hits"], made["confidence"], made["lang"], made["stale"]) == (0, 0.5, "zh", "")
    assert changed["recipe"] == "打开小红书，点放大镜。"
    assert found == [[made["id"]], [made["id"]], [made["id"]], [], []]
    assert (removed.status_code, operator.get(one).status_code) == (200, 404)


def test_why_a_memory_is_a_hint_is_said_in_the_readers_language(
    console: Console, operator: Browser
) -> None:
    db = console.instance.db
    action = save(operator, "领金币")
    given = {"task": "淘宝签到领金币", "recipe": "打开淘宝，点领金币。"}
    kept = operator.post("/api/agent/experiences", json=given).get_json()
    gone = ElementGone(wanted="“领金币”", nearest="")
    actions.replayed(db, actions.get(db, action["id"]), stale.failed(gone))
    with db.write() as session:
        why = stale.kept("screens", met=0, count=2)
        experiences.mark_stale(session, kept["id"], why)

    def said(lang: str) -> list[str]:
        routes = (f"{ROUTE}/{action['id']}", f"/api/agent/experiences/{kept['id']}")
        headers = {"Accept-Language": lang}
        return [operator.get(each, headers=headers).get_json()["stale"] for each in routes]

    assert said("zh") == [
        "当前画面上没有 “领金币”。",
        "应用的界面变了：当时的 2 个界面，后来只遇到 0 个",
    ]
    assert said("en") == [
        "There is no “领金币” on the screen now.",
        "The app is laid out anew: a run met 0 of its 2 screens",
    ]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"recipe": "点搜索"}, "task"),
        ({"task": "…！", "recipe": "点搜索"}, "task"),
        ({"task": "搜索", "recipe": "  "}, "recipe"),
        ({"task": "搜索", "recipe": "点搜索", "hits": 3}, "hits"),
    ],
)
def test_an_experience_that_says_nothing_is_refused(
    operator: Browser, body: dict[str, Any], path: str
) -> None:
    answer = operator.post("/api/agent/experiences", json=body)

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == path
