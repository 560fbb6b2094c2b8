"""What the console answers when its disk is full."""

import pytest

from core.people import audit
from tests.full_disk import FullDisk, room_for_none
from tests.stack import wait_for
from tests.web.conftest import Browser
from web.console import Console


def test_on_a_full_disk_all_can_be_read_and_a_change_is_refused_with_what_to_do(
    operator: Browser, console: Console
) -> None:
    with room_for_none(console.instance.db):
        read = operator.get("/api/agent/conversations")
        refused = operator.post("/api/agent/conversations", json={"title": "a"})
        english = operator.post(
            "/api/agent/conversations", json={}, headers={"Accept-Language": "en"}
        )
    later = operator.post("/api/agent/conversations", json={"title": "a"})

    assert (read.status_code, refused.status_code, later.status_code) == (200, 507, 201)
    assert refused.get_json()["error"]["code"] == "disk_full"
    assert "清出空间" in refused.get_json()["error"]["hint"]
    assert "Free some space" in english.get_json()["error"]["hint"]


def test_a_deed_that_could_not_be_written_down_is_told_to_the_log(
    operator: Browser, console: Console, caplog: pytest.LogCaptureFixture
) -> None:
    with room_for_none(console.instance.db):
        answer = operator.post("/api/agent/run/nothing/stop")

    assert answer.status_code == 404
    [line] = [line for line in caplog.messages if line.startswith("not written down")]
    assert "agent.stop" in line
    listed = [each["target"] for each in audit.listing(console.instance.db)["items"]]
    assert "/api/agent/run/nothing/stop" not in listed


def test_a_review_that_breaks_off_for_want_of_room_says_so_until_one_does_not(
    operator: Browser, console: Console
) -> None:
    route = "/api/agent/experiences"
    operator.post(route, json={"task": "打开蓝牙", "recipe": "打开设置，点蓝牙。"})
    states = []
    for full in (True, False):
        disk = FullDisk(console.instance.db)
        disk.is_full = full
        operator.post(f"{route}/audit")
        wait_for(lambda: not console.clock.auditing, "the review")
        disk.forget()
        states.append(operator.get(f"{route}/audit").get_json())

    assert (states[0]["failed"]["code"], states[0]["latest"]) == ("disk_full", None)
    assert "清出空间" in states[0]["failed"]["hint"]
    assert (states[1]["failed"], states[1]["latest"] is None) == (None, False)
