"""The review of memories over HTTP: begun by hand or by the clock, decided by a person."""

from datetime import datetime, timedelta
from typing import Any

from core.clock import utc_now
from core.memory import audit, experiences
from core.memory.experiences import Went
from tests.stack import wait_for
from tests.web.conftest import Browser
from web.clock import Clock
from web.console import Console

ROUTE = "/api/agent/experiences"


def written(operator: Browser, task: str) -> str:
    body = {"task": task, "recipe": "打开应用，点签到。"}
    return str(operator.post(ROUTE, json=body).get_json()["id"])


def failing(console: Console, operator: Browser, task: str) -> str:
    one = written(operator, task)
    for _ in range(4):
        with console.instance.db.write() as session:
            experiences.credit(session, [one], Went(success=False))
    return one


def queued(browser: Browser) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = browser.get(f"{ROUTE}/audit/queue").get_json()["items"]
    return items


def test_a_review_by_hand_asks_a_person_who_deletes_or_keeps(
    console: Console, operator: Browser, viewer: Browser
) -> None:
    bad, odd = failing(console, operator, "淘宝签到领金币"), failing(console, operator, "打开蓝牙")
    begun = operator.post(f"{ROUTE}/audit")
    wait_for(lambda: not console.clock.auditing, "the review")

    state = viewer.get(f"{ROUTE}/audit").get_json()
    assert (begun.status_code, begun.get_json()["started"]) == (202, True)
    assert (state["waiting"], state["latest"] is None) == (2, False)
    assert state["due"] > utc_now().isoformat()[:10]
    assert viewer.post(f"{ROUTE}/{bad}/keep").status_code == 403
    listed = viewer.get(ROUTE).get_json()["items"]
    assert {each["id"]: each["review"]["action"] for each in listed} == dict.fromkeys(
        (bad, odd), "pending"
    )

    assert operator.send("DELETE", f"{ROUTE}/{bad}").status_code == 200
    assert operator.post(f"{ROUTE}/{odd}/keep").status_code == 200

    assert queued(operator) == []
    told = operator.get(f"{ROUTE}/audit/history").get_json()["items"]
    decided = {each["experience_id"]: (each["action"], each["decided_by"]) for each in told}
    assert decided == {bad: ("deleted", "operator"), odd: ("kept", "operator")}
    assert operator.post(f"{ROUTE}/{bad}/keep").status_code == 404


def test_the_nightly_review_runs_by_the_clock_on_the_wall(console: Console) -> None:
    due = console.clock.due()["audit"]

    assert (due.hour, due.minute) == (3, 47)
    assert due > utc_now()


def test_a_review_that_runs_is_not_doubled(console: Console, operator: Browser) -> None:
    failing(console, operator, "淘宝签到领金币")
    with console.clock._audit:
        begun = operator.post(f"{ROUTE}/audit").get_json()
        console.clock.audit()

    assert begun == {"started": False}
    assert queued(operator) == []


def test_a_review_counts_as_running_from_the_moment_it_is_asked_for(
    console: Console, operator: Browser
) -> None:
    failing(console, operator, "淘宝签到领金币")
    console.clock._scheduler.pause()

    begun = [operator.post(f"{ROUTE}/audit").get_json()["started"] for _ in range(2)]
    running = operator.get(f"{ROUTE}/audit").get_json()["running"]
    console.clock._scheduler.resume()
    wait_for(lambda: not console.clock.auditing, "the review")

    assert (begun, running) == ([True, False], True)
    assert len(queued(operator)) == 1


def test_nights_without_a_review_are_made_up_for_by_day(console: Console) -> None:
    never = asked_to_start(console)
    console.clock.make_up()
    lately = asked_to_start(console)
    audit.ended(console.instance.db, utc_now() - timedelta(days=2))
    long_ago = asked_to_start(console)

    assert ("audit-made-up" in never, "audit-made-up" in lately) == (True, False)
    assert timedelta() < long_ago["audit-made-up"] - utc_now() < timedelta(minutes=11)


def asked_to_start(console: Console) -> dict[str, datetime]:
    """Start a clock of its own, as the console does, and say what it is about to do."""
    clock = Clock(console.instance, console.phones, lambda: None)
    clock.start()
    due = clock.due()
    clock.stop()
    return due
