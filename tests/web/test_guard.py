"""Who may ask what, in the order of refusal that the contracts name."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import PASSWORD, Browser

OPEN = {
    ("POST", "/api/auth/login"),
    ("GET", "/login"),
    ("GET", "/"),  # sends strangers to the login page
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/static/<path:name>"),
}
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


def routes(app: Flask) -> list[tuple[str, str]]:
    return [
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def filled(rule: str) -> str:
    return re.sub(r"<[^>]+>", "x1", rule)


def test_no_route_answers_a_stranger_but_those_the_contracts_name(
    app: Flask, stranger: FlaskClient
) -> None:
    answered = {
        (method, rule)
        for method, rule in routes(app)
        if stranger.open(filled(rule), method=method).status_code != 401
    }

    # a static file of that name does not exist, which is an answer too
    assert answered - OPEN == set()
    assert stranger.get("/").headers["Location"] == "/login"


def test_a_viewers_token_may_not_change_anything(app: Flask, viewer_token: dict[str, str]) -> None:
    client = app.test_client()

    allowed = {
        (method, rule)
        for method, rule in routes(app)
        if method in UNSAFE
        and client.open(filled(rule), method=method, headers=viewer_token).status_code != 403
    }

    assert allowed == {("POST", "/api/auth/login"), ("POST", "/api/auth/logout")}


def test_a_viewer_reads_and_keeps_their_own_account(viewer: Browser) -> None:
    assert viewer.get("/api/devices").status_code == 200
    assert viewer.get("/api/agent/config").status_code == 200
    assert viewer.put("/api/auth/me", json={"lang": "en"}).status_code == 200
    assert viewer.get("/api/auth/me").get_json()["lang"] == "en"
    change = {"old_password": PASSWORD, "new_password": "another long one"}
    assert viewer.put("/api/auth/me", json=change).status_code == 200
    assert viewer.post("/api/agent/run", json={"prompt": "x"}).status_code == 403


def test_an_operator_drives_and_may_not_change_agent_settings(operator: Browser) -> None:
    assert operator.post("/api/agent/conversations", json={}).status_code == 201
    assert operator.put("/api/agent/config", json={"agent_model": "m"}).status_code == 403


def test_an_unsafe_request_of_a_browser_needs_its_token(operator: Browser) -> None:
    path = "/api/agent/conversations"

    bare = operator.client.post(path, json={})
    wrong = operator.post(path, json={}, headers={"X-CSRF-Token": "guess"})
    foreign = operator.post(path, json={}, headers={"Origin": "http://evil.example"})

    assert [answer.status_code for answer in (bare, wrong, foreign)] == [403, 403, 403]
    assert bare.get_json()["error"]["code"] == "bad_csrf"


def test_a_login_page_of_another_site_cannot_log_a_browser_in(stranger: FlaskClient) -> None:
    body = {"username": "admin", "password": PASSWORD}

    answer = stranger.post("/api/auth/login", json=body, headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 403


def test_a_strange_host_name_is_refused(stranger: FlaskClient) -> None:
    answer = stranger.get("/healthz", headers={"Host": "evil.example"})

    assert answer.status_code == 421
    assert stranger.get("/healthz", headers={"Host": "localhost:8000"}).status_code == 200


def test_wrong_logins_are_slowed_down_and_right_ones_are_not(stranger: FlaskClient) -> None:
    right = {"username": "admin", "password": PASSWORD}
    for _ in range(15):
        assert stranger.post("/api/auth/login", json=right).status_code == 200

    codes = [
        stranger.post(
            "/api/auth/login", json={"username": "admin", "password": "guess"}
        ).status_code
        for _ in range(11)
    ]

    assert codes == [401] * 10 + [429]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/api/agent/conversations/nothing", {"title": 7}, 404, "not_found"),
        ("/api/agent/run/nothing/message", {}, 404, "not_found"),
        ("/api/devices/nothing/input", {}, 404, "not_found"),
        ("/api/nothing", {}, 404, "no_route"),
        ("/api/agent/run", {}, 400, "invalid"),
        ("/api/agent/run", {"prompt": "x", "nonsense": 1}, 400, "invalid"),
        ("/api/agent/run", {"prompt": "x", "serial": "nobody"}, 400, "no_device"),
        ("/api/agent/run", {"prompt": "x", "conv_id": "nothing", "serial": "s1"}, 404, "not_found"),
        ("/api/agent/run", {"prompt": "x", "serial": "s2"}, 409, "device_offline"),
    ],
)
def test_refusals_come_in_the_order_of_the_contracts(
    operator: Browser, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    method = "PATCH" if "conversations/" in path else "POST"

    answer = operator.send(method, path, json=body)

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    "body", ["{", "[]", "null", "7", '"x"', '{"a":' * 30_000], ids=lambda body: body[:6]
)
def test_a_body_that_is_no_object_is_refused(operator: Browser, body: str) -> None:
    answer = operator.post(
        "/api/agent/conversations", data=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "invalid"


def test_a_form_is_refused_as_a_body(operator: Browser) -> None:
    assert operator.post("/api/agent/run", data={"prompt": "x"}).status_code == 400


def test_an_invalid_place_is_named(operator: Browser) -> None:
    error = operator.post("/api/agent/run", json={"prompt": ""}).get_json()["error"]

    assert error["path"] == "prompt"
    assert set(error) == {"code", "message", "hint", "path"}


def test_words_follow_the_user_then_the_browser_then_chinese(
    stranger: FlaskClient, operator: Browser
) -> None:
    def words(client: FlaskClient | Browser, header: str | None) -> str:
        headers = {"Accept-Language": header} if header else {}
        return str(client.get("/api/nothing", headers=headers).get_json()["error"]["message"])

    assert words(stranger, None) == "还没有登录。"
    assert words(stranger, "en-GB") == "You are not logged in."
    operator.put("/api/auth/me", json={"lang": "zh"})
    assert words(operator, "en-GB") == "这个地址什么也没有。"


def test_a_wrong_method_is_said_in_json(operator: Browser) -> None:
    answer = operator.send("DELETE", "/api/devices")

    assert answer.status_code == 405
    assert answer.get_json()["error"]["code"] == "method_not_allowed"
