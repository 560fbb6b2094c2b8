"""A run's questions, a phone lent to a person, and rules, over HTTP."""

from typing import Any

import pytest

from core.devices import lease
from core.devices.lease import Claim
from core.runs import questions, store
from core.runs.questions import Asking
from core.runs.record import RunRequest
from tests.web.conftest import Browser
from web.console import Console

PAY = Asking(
    kind="approval",
    title="付款",
    question="要付款吗？",
    options=(("approve", "允许"), ("deny", "拒绝"), ("always", "总是允许")),
    act="de_tap",
    scene='["com.shop", "pay", "付款", "d"]',
)


@pytest.fixture
def run_id(console: Console) -> str:
    """Give a run that another process carries, so that only its rows are looked at."""
    db = console.instance.db
    request = RunRequest("买茶", "s1", None, "chat", "phone", "offline", "auto", 40, "zh", "cli")
    record = store.begin(db, store.start(db, request, slots=1).run_id)
    assert record is not None
    return record.run_id


def ask(console: Console, run_id: str) -> str:
    return questions.ask(console.instance.db, run_id, PAY).question_id


def test_an_answer_is_taken_once(operator: Browser, console: Console, run_id: str) -> None:
    path = f"/api/agent/run/{run_id}/answer"
    body: dict[str, Any] = {"question_id": ask(console, run_id), "value": "deny"}

    first = operator.post(path, json=body)
    second = operator.post(path, json={**body, "value": "approve"})

    assert first.status_code == 200
    assert second.status_code == 409
    assert second.get_json()["error"]["code"] == "question_closed"
    assert questions.get(console.instance.db, body["question_id"]).value == "deny"


def test_what_cannot_be_answered_is_refused_in_the_order_of_refusals(
    operator: Browser, viewer: Browser, console: Console, run_id: str
) -> None:
    question = ask(console, run_id)
    good = {"question_id": question, "value": "approve"}

    refusals = [
        viewer.post(f"/api/agent/run/{run_id}/answer", json=good),
        operator.post("/api/agent/run/nosuch/answer", json=good),
        operator.post(f"/api/agent/run/{run_id}/answer", json={"question_id": question}),
        operator.post(f"/api/agent/run/{run_id}/answer", json={**good, "value": "sure"}),
        operator.post(f"/api/agent/run/{run_id}/answer", json={**good, "question_id": "x"}),
    ]

    assert [each.status_code for each in refusals] == [403, 404, 400, 400, 404]
    assert refusals[3].get_json()["error"]["path"] == "value"
    assert questions.get(console.instance.db, question).open


def test_a_phone_that_a_run_has_can_be_taken_over_and_given_back(
    operator: Browser, admin: Browser, console: Console, run_id: str
) -> None:
    db = console.instance.db

    taken = operator.post("/api/devices/s1/takeover", json={})
    other = admin.post("/api/devices/s1/takeover", json={})
    paused = operator.get("/api/agent/run").get_json()["run"]
    held = lease.all_held(db)["HW1"]
    given = operator.post("/api/devices/s1/release", json={})
    again = lease.all_held(db)["HW1"]

    assert (taken.status_code, other.status_code, given.status_code) == (200, 409, 200)
    assert (paused["status"], paused["question"]["kind"]) == ("paused", "takeover")
    assert held.holder == "human"
    assert (again.owner, again.holder) == (run_id, "agent")
    assert again.fence > held.fence
    assert store.get(db, run_id).status == "waiting"


def test_a_phone_of_a_task_is_not_taken_over(operator: Browser, console: Console) -> None:
    with console.instance.db.write() as session:
        lease.take(session, "HW1", Claim("task", "task-run", "每日签到"))

    refused = operator.post("/api/devices/s1/takeover", json={})

    assert refused.status_code == 409
    assert "每日签到" in refused.get_json()["error"]["message"]


def test_a_rule_is_kept_listed_and_taken_back(operator: Browser, viewer: Browser) -> None:
    rule = {"app": "com.shop", "kind": "pay", "label": "付款", "effect": "ask"}

    made = operator.post("/api/agent/rules", json=rule)
    operator.post("/api/agent/rules", json={**rule, "effect": "allow"})
    refused = viewer.post("/api/agent/rules", json=rule)
    listed = viewer.get("/api/agent/rules").get_json()["items"]
    removed = operator.send("DELETE", f"/api/agent/rules/{made.get_json()['id']}")

    assert (made.status_code, refused.status_code, removed.status_code) == (201, 403, 200)
    assert [(each["label"], each["effect"]) for each in listed] == [("付款", "allow")]
    assert operator.get("/api/agent/rules").get_json()["items"] == []
