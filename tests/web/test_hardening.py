"""What a hostile page, file name, body or text can not do."""

import json
import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from core import artifacts
from core.models import Run
from tests.web.conftest import Browser
from web.console import Console

EVIL = ["<script>alert(1)</script>", '<img src=x onerror="alert(1)">', "javascript:alert(1)"]
ELSEWHERE = [
    "../instance.key",
    "..%2finstance.key",
    "%2e%2e%2f%2e%2e%2fpyproject.toml",
    "..%5cinstance.key",
    "....//instance.key",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "x%00.png",
]
HUNDRED_MB = 100 * 1024 * 1024


class Endless:
    """A body of any length that is never in memory whole; it counts what was read of it."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        size = min(self.left, 65_536 if size < 0 else size)
        self.left -= size
        self.given += size
        return b"x" * size


@pytest.mark.parametrize("path", ["/login", "/healthz", "/api/agent/run", "/api/nothing"])
def test_every_answer_says_what_a_browser_may_do_with_it(stranger: FlaskClient, path: str) -> None:
    headers = stranger.get(path).headers

    parts = headers["Content-Security-Policy"].split("; ")
    policy = dict(part.split(" ", 1) for part in parts)
    assert policy["default-src"] == "'none'"
    assert (policy["script-src"], policy["style-src"]) == ("'self'", "'self'")
    assert (policy["frame-ancestors"], policy["base-uri"]) == ("'none'", "'none'")
    assert "unsafe" not in str(policy)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_the_pages_carry_no_script_of_their_own(app: Flask) -> None:
    for name in ("shell.html", "login.html"):
        source = app.jinja_env.get_template(name).filename
        with open(str(source), encoding="utf-8") as file:
            text = file.read()

        assert text.count("<script") == text.count('<script type="module" src=')
        assert "style=" not in text
        assert " on" not in text.replace(" on ", "")


def test_a_name_leads_nowhere_else(operator: Browser) -> None:
    bases = ("/api/artifacts/", "/static/", "/static/dist/assets/")

    answers = {
        base + name: operator.get(base + name, follow_redirects=True)
        for base in bases
        for name in ELSEWHERE
    }

    assert {path: each.status_code for path, each in answers.items()} == dict.fromkeys(answers, 404)
    assert not [path for path, each in answers.items() if b"root:" in each.data]


def test_a_file_of_a_run_is_downloaded_and_a_picture_shown(
    console: Console, operator: Browser
) -> None:
    conv = operator.post("/api/agent/conversations", json={}).get_json()["id"]
    with console.instance.db.write() as session:
        run = Run(conv_id=conv, prompt="x", status="done")
        session.add(run)
        session.flush()
    page = artifacts.save(console.instance, run.id, EVIL[0].encode(), "text/html")
    drawing = artifacts.save(console.instance, run.id, b"<svg/>", "image/svg+xml")
    photo = artifacts.save(console.instance, run.id, b"jpeg", "image/jpeg")

    shown = {path: operator.get(path, buffered=True).headers for path in (page, drawing, photo)}

    kept = {path: headers.get("Content-Disposition", "") for path, headers in shown.items()}
    assert kept[page].startswith("attachment")
    assert kept[drawing].startswith("attachment")
    assert not kept[photo].startswith("attachment")
    assert {headers["Content-Security-Policy"].split(";")[0] for headers in shown.values()} == {
        "sandbox"
    }
    assert "private" in shown[photo]["Cache-Control"]


def test_a_hundred_megabytes_are_refused_in_words_and_not_read(operator: Browser) -> None:
    body = Endless(HUNDRED_MB)

    answer = operator.post(
        "/api/agent/run",
        content_type="application/json",
        headers={"Accept-Language": "en"},
        environ_overrides={"wsgi.input": body, "CONTENT_LENGTH": str(HUNDRED_MB)},
    )

    error = answer.get_json()["error"]
    assert (answer.status_code, error["code"]) == (413, "too_large")
    assert error["message"] == "The request is too large."
    assert body.given == 0


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
def test_no_route_reads_a_hundred_megabytes(app: Flask, admin: Browser, kind: str) -> None:
    read, answered = {}, set()
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}):
            body = Endless(HUNDRED_MB)
            answer = admin.send(
                method,
                re.sub(r"<[^>]+>", "s1", rule.rule),
                content_type=kind,
                environ_overrides={"wsgi.input": body, "CONTENT_LENGTH": str(HUNDRED_MB)},
            )
            answered.add(answer.status_code)
            read[method, rule.rule] = body.given

    assert answered <= {413, 404, 400}  # what a path names is looked for first, then the kind
    assert read == dict.fromkeys(read, 0)


def test_a_body_without_a_length_is_not_read_past_the_limit(operator: Browser) -> None:
    body = Endless(HUNDRED_MB)

    answer = operator.post(
        "/api/agent/run",
        content_type="application/json",
        environ_overrides={
            "wsgi.input": body,
            "wsgi.input_terminated": True,
            "HTTP_TRANSFER_ENCODING": "chunked",
        },
    )

    assert answer.status_code == 413
    assert body.given < HUNDRED_MB


@pytest.mark.parametrize("number", ["9" * 19, "9" * 30, "9" * 5_000])
def test_a_number_beyond_all_ids_is_no_fault_of_the_console(
    console: Console, admin: Browser, number: str
) -> None:
    conv = admin.post("/api/agent/conversations", json={}).get_json()["id"]
    with console.instance.db.write() as session:
        session.add(Run(id="r1", conv_id=conv, prompt="x", status="done"))
    console.stop_streams()
    queries = (
        f"/api/agent/conversations/{conv}?before={number}",
        f"/api/auth/audit?cursor={number}",
        f"/api/agent/runs/r1/events?cursor={number}",
    )

    refused = [admin.get(path).status_code for path in queries]
    follows = [
        admin.get(f"/api/events?topics=run:r1&cursor=r1:{number}"),
        admin.get("/api/agent/stream?run_id=r1", headers={"Last-Event-ID": number}),
    ]

    assert refused == [400, 400, 400]
    assert [answer.status_code for answer in follows] == [200, 200]


@pytest.mark.parametrize("text", EVIL)
def test_what_people_call_things_comes_back_as_the_text_it_is(
    operator: Browser, admin: Browser, text: str
) -> None:
    alias = text[:64]
    conv = operator.post("/api/agent/conversations", json={"title": text}).get_json()["id"]
    operator.put("/api/devices/s1", json={"alias": alias, "tags": [text[:32]]})
    admin.post("/api/auth/users", json={"name": text, "role": "viewer"})

    answers = [
        operator.get(f"/api/agent/conversations/{conv}"),
        operator.get("/api/devices"),
        admin.get("/api/auth/users"),
    ]
    export = operator.get(f"/api/agent/conversations/{conv}/export")

    assert {answer.content_type for answer in answers} == {"application/json"}
    found: list[Any] = [json.loads(answer.data) for answer in answers]
    assert found[0]["title"] == text
    assert alias in [each["alias"] for each in found[1]["items"]]
    assert text in [each["name"] for each in found[2]["items"]]
    assert export.content_type.startswith("text/markdown")
    assert export.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "guess"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/auth/users"), ("DELETE", "/api/devices/s1"), ("PUT", "/api/agent/config")],
)
def test_a_forged_request_is_refused_before_it_does_anything(
    admin: Browser, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = admin.send(method, path, json={}, headers=headers)

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "bad_csrf")
    assert "s1" in [each["serial"] for each in admin.get("/api/devices").get_json()["items"]]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil", "[::"]
)
def test_a_foreign_host_is_refused_even_with_a_session(operator: Browser, host: str) -> None:
    answer = operator.get("/api/devices", headers={"Host": host})

    assert answer.status_code in (400, 421)
    assert "s1" not in answer.text
