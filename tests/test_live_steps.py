"""Steps that a person has carried out on the live phone, through the console."""

import json
import time
from typing import Any

from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

WIFI: list[dict[str, Any]] = [
    {"type": "open_app", "app": "com.android.settings"},
    {"type": "click", "selector": {"textContains": "{{page}}"}},
]


def carried_out(stack: Stack, body: dict[str, Any]) -> list[dict[str, Any]]:
    with stack.client() as client:
        answer = client.post(f"/api/devices/{stack.addresses[0]}/steps", json=body)
        client.post(f"/api/devices/{stack.addresses[0]}/release")
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_steps_are_told_as_they_begin_and_end(shared_stack: Stack, phone: PhoneHandle) -> None:
    lines = carried_out(shared_stack, {"steps": WIFI, "inputs": {"page": "网络"}})

    assert [next(iter(line)) for line in lines] == [
        "began", "record", "began", "record", "verdict"
    ]  # fmt: skip
    assert [line["record"]["status"] for line in lines if "record" in line] == ["ok", "ok"]
    assert (lines[-1]["verdict"], lines[-1]["error"]) == ("success", None)
    assert phone.log()


def test_steps_go_on_from_the_one_that_is_named(shared_stack: Stack, phone: PhoneHandle) -> None:
    phone.start("com.android.settings")

    lines = carried_out(shared_stack, {"steps": WIFI, "inputs": {"page": "网络"}, "first": 1})

    assert [line["record"]["path"] for line in lines if "record" in line] == ["steps.1"]


def test_a_step_that_fails_says_why_at_its_place(shared_stack: Stack, phone: PhoneHandle) -> None:
    missing = {"type": "click", "selector": {"text": "no such thing"}, "timeout_s": 0.2}

    lines = carried_out(shared_stack, {"steps": [missing]})

    assert lines[-1]["verdict"] == "failed"
    assert (lines[-1]["error"]["code"], lines[-1]["error"]["path"]) == ("element_gone", "steps.0")
    assert "no such thing" in lines[-1]["error"]["message"]


def test_steps_that_do_not_fit_are_an_answer_with_their_place(
    shared_stack: Stack, phone: PhoneHandle
) -> None:
    body = {"steps": [{"type": "click"}]}
    with shared_stack.client() as client:
        answer = client.post(f"/api/devices/{shared_stack.addresses[0]}/steps", json=body)
        client.post(f"/api/devices/{shared_stack.addresses[0]}/release")

    assert answer.status_code == 400
    assert answer.json()["error"]["path"] == "steps.0.selector"


def test_a_page_that_leaves_ends_the_steps(shared_stack: Stack, phone: PhoneHandle) -> None:
    waits = [{"type": "wait", "seconds": 1}, {"type": "press_key", "key": "home"}]
    body = {"steps": [{"type": "repeat", "times": 100, "steps": waits}]}
    path = f"/api/devices/{shared_stack.addresses[0]}/steps"
    with shared_stack.client() as client:
        with client.stream("POST", path, json=body) as answer:
            next(answer.iter_lines())
        seen = quiet(phone)

        assert seen == len(phone.log())
        client.post(f"/api/devices/{shared_stack.addresses[0]}/release")


def quiet(phone: PhoneHandle) -> int:
    """Wait until nothing is done to the phone for longer than a round takes."""
    last = {"count": -1, "since": 0.0}

    def still() -> bool:
        now = len(phone.log())
        if now != last["count"]:
            last.update(count=now, since=time.monotonic())
        return time.monotonic() - last["since"] > 2.5

    wait_for(still, "a phone that nobody touches")
    return len(phone.log())
