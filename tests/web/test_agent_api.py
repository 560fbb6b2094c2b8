"""Runs and settings over HTTP; the MCP server is down here, so every run ends with words."""

import json
import threading
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from core.conversations import create
from core.devices import lease
from core.models import ConversationMessage, Run
from core.people import users
from core.runs import store
from core.runs.log import Entry
from tests.web.conftest import PASSWORD, Browser, log_in
from web import stream
from web.console import Console


def events(answer: TestResponse) -> list[tuple[int, str, dict[str, Any]]]:
    found = []
    for block in answer.get_data(as_text=True).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def run_to_its_end(operator: Browser, **body: Any) -> tuple[str, TestResponse]:
    started = operator.post("/api/agent/run", json={"prompt": "打开设置", "serial": "s1", **body})
    assert started.status_code == 202
    run_id = started.get_json()["run_id"]
    return run_id, operator.get(f"/api/agent/stream?run_id={run_id}", buffered=True)


def test_a_run_without_its_mcp_server_ends_with_clear_words(
    operator: Browser, console: Console
) -> None:
    run_id, stream = run_to_its_end(operator)

    ids, names, payloads = zip(*events(stream), strict=True)

    assert names[-1] == "error"
    assert payloads[-1]["code"] == "mcp_unreachable"
    assert payloads[-1]["hint"]
    assert list(ids) == sorted(set(ids))
    assert lease.all_held(console.instance.db) == {}
    shown = operator.get(f"/api/agent/runs/{run_id}").get_json()
    assert shown["status"] == "failed"


def test_a_reader_of_the_end_can_start_the_next_run(operator: Browser) -> None:
    for _ in range(3):
        _, stream = run_to_its_end(operator)
        assert events(stream)[-1][1] == "error"


def test_a_second_reader_and_a_late_one_get_the_same_log(operator: Browser) -> None:
    run_id, first = run_to_its_end(operator)
    whole = events(first)
    path = f"/api/agent/stream?run_id={run_id}"

    again = events(operator.get(path))
    rest = events(operator.get(path, headers={"Last-Event-ID": str(whole[0][0])}))
    ended = operator.get(path, headers={"Last-Event-ID": str(whole[-1][0])})
    odd = events(operator.get(path, headers={"Last-Event-ID": "nonsense"}))

    assert again == whole == odd
    assert rest == whole[1:]
    assert ended.status_code == 204


def test_a_stream_of_no_run_is_404_and_without_a_name_400(operator: Browser) -> None:
    assert operator.get("/api/agent/stream?run_id=nothing").status_code == 404
    assert operator.get("/api/agent/stream").status_code == 400


def test_history_is_filtered_and_refuses_what_it_does_not_know(operator: Browser) -> None:
    first, _ = run_to_its_end(operator)
    second, _ = run_to_its_end(operator)
    shown = operator.get(f"/api/agent/runs/{second}").get_json()
    since = shown["created"].replace("+", "%2B")

    def found(**only: str) -> list[str]:
        answer = operator.get("/api/agent/runs", query_string=only).get_json()
        return [run["run_id"] for run in answer["items"]]

    assert found(status="failed") == found(serial="s1") == [second, first]
    assert found(status="done") == found(serial="s2") == []
    assert found(conv_id=shown["conv_id"]) == [second]
    assert first not in found(since=since)
    beyond = "0001-01-01T00:00:00%2B10:00"
    for odd in ({"status": "odd"}, {"since": "yesterday"}, {"since": beyond}):
        refused = operator.get("/api/agent/runs", query_string=odd)
        assert refused.status_code == 400
        assert refused.get_json()["error"]["path"] == next(iter(odd))


def test_a_run_is_done_again_by_whom_its_conversation_belongs_to(
    app: Flask, operator: Browser, viewer: Browser, console: Console
) -> None:
    run_id, _ = run_to_its_end(operator)
    users.create_user(console.instance.db, "other", PASSWORD, "operator")
    path = f"/api/agent/runs/{run_id}/again"

    again = operator.post(path, json={"how": "restart"})
    refusals = [
        viewer.post(path, json={"how": "restart"}),
        log_in(app, "other").post(path, json={"how": "restart"}),
        operator.post("/api/agent/runs/nosuch/again", json={"how": "restart"}),
        operator.post(path, json={"how": "somehow"}),
    ]

    assert again.status_code == 202
    assert (
        again.get_json()["conv_id"]
        == operator.get(f"/api/agent/runs/{run_id}").get_json()["conv_id"]
    )
    assert [each.status_code for each in refusals] == [403, 403, 404, 400]


def test_a_runs_log_is_read_in_pages_with_its_deltas_joined(
    operator: Browser, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, conv_id = console.instance.db, create(console.instance.db)["id"]
    with db.write() as session:
        session.add(Run(id="told", conv_id=conv_id, status="done", prompt="看"))
    told = [("看", "content"), ("到", "content"), ("想", "reasoning"), ("了", "content")]
    deltas = [json.dumps({"text": text, "kind": kind}) for text, kind in told]
    entries = [Entry(n, "delta", data) for n, data in enumerate(deltas, start=1)]
    store.store_events(db, "told", [*entries, Entry(9, "done", '{"answer":"看到了"}')])
    run_id = "told"
    whole = operator.get(f"/api/agent/runs/{run_id}/events").get_json()

    monkeypatch.setattr(stream, "PAGE", 2)
    pages, cursor = [], 0
    while cursor is not None:
        page = operator.get(f"/api/agent/runs/{run_id}/events?cursor={cursor}").get_json()
        pages.append(page["items"])
        cursor = page["next"]

    said = [each["data"]["text"] for each in whole["items"] if each["event"] == "delta"]
    in_pages = [each for page in pages for each in page if each["event"] == "delta"]
    assert said == ["看到", "想", "了"]
    assert whole["next"] is None
    assert "".join(each["data"]["text"] for each in in_pages) == "看到想了"
    assert pages[-1][-1]["id"] == whole["items"][-1]["id"]
    assert operator.get("/api/agent/runs/nosuch/events").status_code == 404


def test_a_run_that_broke_off_can_be_left_as_it_is(operator: Browser, console: Console) -> None:
    run_id, _ = run_to_its_end(operator)
    conv_id = operator.get(f"/api/agent/runs/{run_id}").get_json()["conv_id"]
    with console.instance.db.write() as session:
        row = session.query(ConversationMessage).filter_by(role="assistant").one()
        row.extra = {**row.extra, "again": ["restart"]}

    answer = operator.send("DELETE", f"/api/agent/runs/{run_id}/again")

    said = operator.get(f"/api/agent/conversations/{conv_id}").get_json()["messages"][-1]
    assert answer.status_code == 200
    assert "again" not in said
    assert said["error"]["code"] == "mcp_unreachable"


def test_no_device_is_said_before_anything_starts(operator: Browser) -> None:
    answer = operator.post("/api/agent/run", json={"prompt": "打开设置"})

    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "no_device"
    assert operator.get("/api/agent/run").get_json()["running"] is False


def test_the_default_device_serves_when_none_is_chosen(operator: Browser, admin: Browser) -> None:
    admin.put("/api/agent/config", json={"agent_default_serial": "s1"})

    answer = operator.post("/api/agent/run", json={"prompt": "打开设置"})

    assert answer.status_code == 202


def test_a_device_that_a_person_holds_is_refused_with_the_holder(
    operator: Browser, admin: Browser
) -> None:
    assert admin.post("/api/devices/s1/takeover").status_code == 200

    answer = operator.post("/api/agent/run", json={"prompt": "x", "serial": "s1"})

    assert answer.status_code == 409
    assert answer.get_json()["error"]["code"] == "device_busy"
    assert "admin" in answer.get_json()["error"]["message"]
    assert operator.post("/api/devices/s1/takeover").status_code == 409
    assert admin.post("/api/devices/s1/release").status_code == 200
    assert operator.post("/api/devices/s1/takeover").status_code == 200


def test_settings_are_partial_masked_and_say_which_field_is_wrong(admin: Browser) -> None:
    key = "sk-0123456789abcdefghij"
    admin.put("/api/agent/config", json={"agent_model": "m1", "agent_api_key": key})
    shown = admin.get("/api/agent/config").get_json()

    whole = admin.put("/api/agent/config", json=shown | {"agent_slots": 2})
    bad = admin.put("/api/agent/config", json={"agent_slots": "many"})
    unknown = admin.put("/api/agent/config", json={"agent_provider": "nobody"})

    again = admin.get("/api/agent/config").get_json()
    assert whole.status_code == 200
    assert again["agent_slots"] == 2
    assert key not in json.dumps(shown)
    assert (again["agent_model"], again["agent_api_key"]) == ("m1", shown["agent_api_key"])
    assert bad.get_json()["error"]["path"] == "agent_slots"
    assert unknown.get_json()["error"]["path"] == "agent_provider"


def test_conversations_are_listed_searched_read_renamed_and_deleted(operator: Browser) -> None:
    run_id, _ = run_to_its_end(operator)
    listed = operator.get("/api/agent/conversations").get_json()["items"]
    conv = f"/api/agent/conversations/{listed[0]['id']}"

    read = operator.get(conv).get_json()
    operator.send("PATCH", conv, json={"title": "第一次"})
    found = operator.get("/api/agent/conversations?q=第一").get_json()["items"]
    missed = operator.get("/api/agent/conversations?q=没有这个").get_json()["items"]
    exported = operator.get(f"{conv}/export").get_data(as_text=True)
    operator.send("DELETE", conv)

    assert [m["role"] for m in read["messages"]] == ["user", "assistant"]
    assert read["messages"][1]["run_id"] == run_id
    assert read["messages"][1]["error"]["code"] == "mcp_unreachable"
    assert [each["title"] for each in found] == ["第一次"]
    assert missed == []
    assert exported.startswith("# 第一次")
    assert operator.get(conv).status_code == 404


def test_one_stream_carries_runs_devices_and_state(operator: Browser, console: Console) -> None:
    run_id, _ = run_to_its_end(operator)

    answer = operator.get(f"/api/events?topics=runs,devices,run:{run_id}", buffered=False)
    messages: list[dict[str, Any]] = []
    for chunk in answer.response:
        text = chunk.decode() if isinstance(chunk, bytes) else chunk
        messages += [
            json.loads(line.removeprefix("data: "))
            for line in text.splitlines()
            if line.startswith("data: ")
        ]
        if {m["topic"] for m in messages} >= {"runs", "devices", f"run:{run_id}"}:
            break
    answer.close()

    assert any(m["event"] == "error" and m["topic"] == f"run:{run_id}" for m in messages)
    devices = next(m for m in messages if m["topic"] == "devices")
    assert [each["serial"] for each in devices["data"]["items"]] == ["s1", "s2"]


def test_a_quiet_reader_hears_a_sign_of_life_though_others_are_busy(
    operator: Browser, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_S", 0.2)
    stop = threading.Event()

    def ring_for_others() -> None:
        while not stop.wait(0.01):
            console.logs.bell.ring()

    busy = threading.Thread(target=ring_for_others)
    busy.start()
    answer = operator.get("/api/events?topics=none", buffered=False)
    try:
        heard = next(chunk for chunk in answer.response if chunk == stream.BEAT)
    finally:
        stop.set()
        busy.join(timeout=5)
        answer.close()

    assert heard


def test_more_streams_than_places_are_refused_with_a_time_to_retry(
    operator: Browser, console: Console
) -> None:
    while console.sse_places.acquire(blocking=False):
        pass

    answer = operator.get("/api/events?topics=runs")

    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert operator.get("/api/devices").status_code == 200


@pytest.mark.parametrize("path", ["/api/devices/s1/screenshot", "/api/devices/s1/live"])
def test_a_phone_behind_a_dead_server_is_an_error_with_words(operator: Browser, path: str) -> None:
    answer = operator.get(path)

    assert answer.status_code == 503
    assert answer.get_json()["error"]["code"] == "mcp_unreachable"
