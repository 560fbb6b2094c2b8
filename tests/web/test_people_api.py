"""Users, sessions, tokens and the audit log over HTTP."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from core import conversations
from tests.web.conftest import PASSWORD, Browser, log_in
from web.console import Console

Items = list[dict[str, Any]]


def items(browser: Browser, path: str) -> Items:
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    found: Items = answer.get_json()["items"]
    return found


def user(admin: Browser, name: str) -> dict[str, Any]:
    return next(each for each in items(admin, "/api/auth/users") if each["name"] == name)


def test_an_admin_adds_a_user_who_logs_in_with_the_password_shown_once(
    app: Flask, admin: Browser
) -> None:
    made = admin.post("/api/auth/users", json={"name": "王芳", "role": "operator"})
    body = made.get_json()

    login = {"username": "王芳", "password": body["password"]}
    answer = app.test_client().post("/api/auth/login", json=login)

    assert made.status_code == 201
    assert answer.get_json()["role"] == "operator"
    found = user(admin, "王芳")
    assert "password" not in found
    assert (found["id"], found["sessions"], found["tokens"]) == (body["id"], 1, 0)


@pytest.mark.parametrize(
    ("body", "status", "code", "path"),
    [
        ({"name": "viewer", "role": "viewer"}, 409, "name_taken", "name"),
        ({"name": " x", "role": "viewer"}, 400, "invalid", "name"),
        ({"name": "a\u202eb", "role": "viewer"}, 400, "invalid", "name"),
        ({"name": "x", "role": "king"}, 400, "invalid", "role"),
        ({"name": "x", "role": "viewer", "password": "short"}, 400, "invalid", "password"),
    ],
)
def test_a_user_that_cannot_be_is_refused_with_the_place(
    admin: Browser, body: dict[str, Any], status: int, code: str, path: str
) -> None:
    answer = admin.post("/api/auth/users", json=body)

    error = answer.get_json()["error"]
    assert (answer.status_code, error["code"], error["path"]) == (status, code, path)


def test_the_last_admin_is_neither_demoted_nor_removed(admin: Browser) -> None:
    me = f"/api/auth/users/{user(admin, 'admin')['id']}"

    answers = [admin.put(me, json={"role": "viewer"}), admin.send("DELETE", me)]

    assert [each.status_code for each in answers] == [409, 409]
    assert answers[0].get_json()["error"]["code"] == "last_admin"
    assert admin.get("/api/auth/users").status_code == 200


def test_a_reset_password_lets_the_new_one_in_and_the_old_sessions_out(
    app: Flask, admin: Browser, operator: Browser
) -> None:
    path = f"/api/auth/users/{user(admin, 'operator')['id']}"

    password = admin.put(path, json={"reset_password": True}).get_json()["password"]

    login = {"username": "operator", "password": password}
    assert operator.get("/api/auth/me").status_code == 401
    assert app.test_client().post("/api/auth/login", json=login).status_code == 200


def test_a_role_counts_from_the_next_request_on(admin: Browser, operator: Browser) -> None:
    path = f"/api/auth/users/{user(admin, 'operator')['id']}"

    admin.put(path, json={"role": "viewer"})

    assert operator.post("/api/agent/conversations", json={}).status_code == 403


def test_each_sees_their_own_sessions_and_an_admin_all(
    app: Flask, admin: Browser, viewer: Browser
) -> None:
    other = log_in(app, "viewer")
    mine = items(viewer, "/api/auth/sessions")
    (theirs,) = [each for each in items(admin, "/api/auth/sessions") if each["current"]]

    foreign = viewer.send("DELETE", f"/api/auth/sessions/{theirs['id']}")
    (elsewhere,) = [each for each in mine if not each["current"]]
    ended = viewer.send("DELETE", f"/api/auth/sessions/{elsewhere['id']}")

    assert {each["user"] for each in mine} == {"viewer"}
    assert (foreign.status_code, ended.status_code) == (404, 200)
    assert other.get("/api/auth/me").status_code == 401
    assert viewer.get("/api/auth/me").status_code == 200


def test_an_admin_ends_anybodys_session(admin: Browser, viewer: Browser) -> None:
    (theirs,) = [each for each in items(admin, "/api/auth/sessions") if each["user"] == "viewer"]

    assert admin.send("DELETE", f"/api/auth/sessions/{theirs['id']}").status_code == 200

    assert viewer.get("/api/auth/me").status_code == 401


def test_tokens_are_listed_with_their_last_use_and_revoked(app: Flask, operator: Browser) -> None:
    body = {"name": "ci", "role": "operator"}
    secret = operator.post("/api/auth/tokens", json=body).get_json()["token"]
    program = app.test_client()
    headers = {"Authorization": f"Bearer {secret}"}

    (before,) = items(operator, "/api/auth/tokens")
    used = program.get("/api/devices", headers=headers).status_code
    (after,) = items(operator, "/api/auth/tokens")
    operator.send("DELETE", f"/api/auth/tokens/{after['id']}")

    assert (before["used"], used) == (None, 200)
    assert after["used"] is not None
    assert secret not in str(after)
    assert program.get("/api/devices", headers=headers).status_code == 401


def test_a_changed_password_ends_the_other_sessions(app: Flask, operator: Browser) -> None:
    other = log_in(app, "operator")
    body = {"old_password": PASSWORD, "new_password": "another long one"}

    assert operator.put("/api/auth/me", json=body).status_code == 200

    assert operator.get("/api/auth/me").status_code == 200
    assert other.get("/api/auth/me").status_code == 401


def test_a_wrong_present_password_keeps_one_in_and_is_slowed_down(operator: Browser) -> None:
    body = {"old_password": "guess", "new_password": "another long one"}

    answers = [operator.put("/api/auth/me", json=body) for _ in range(11)]

    error = answers[0].get_json()["error"]
    assert [each.status_code for each in answers] == [400] * 10 + [429]
    assert (error["code"], error["path"]) == ("wrong_password", "old_password")
    assert operator.get("/api/auth/me").status_code == 200


def test_what_is_changed_is_written_down_without_its_body(
    app: Flask, admin: Browser, viewer: Browser, operator_token: dict[str, str]
) -> None:
    viewer.post("/api/agent/conversations", json={"title": "the body of the request"})
    headers = {**operator_token}
    app.test_client().post("/api/agent/conversations", json={"title": "secret"}, headers=headers)

    found = items(admin, "/api/auth/audit")

    by_program, refused = found[0], found[1]
    assert (by_program["who"], by_program["token"], by_program["status"]) == ("admin", "ci", 201)
    assert (refused["who"], refused["status"]) == ("viewer", 403)
    assert refused["action"] == "conversations.create"
    assert refused["target"] == "/api/agent/conversations"
    assert refused["address"] == "127.0.0.1"
    assert "secret" not in str(found)
    assert "the body" not in str(found)


def test_logins_are_written_down_and_a_strangers_noise_is_not(
    stranger: FlaskClient, admin: Browser
) -> None:
    stranger.post("/api/auth/login", json={"username": "viewer", "password": "guess"})
    stranger.post("/api/auth/login", json={"username": PASSWORD, "password": "x"})
    stranger.post("/api/devices/connect", json={"address": "10.0.0.1:5555"})

    found = items(admin, "/api/auth/audit")

    assert [(each["who"], each["action"], each["status"]) for each in found] == [
        ("viewer", "auth.log_in", 401),
        ("admin", "auth.log_in", 200),
    ]


def test_the_audit_log_is_filtered_and_for_admins_only(
    admin: Browser, operator: Browser, viewer: Browser
) -> None:
    operator.post("/api/agent/conversations", json={})

    by_name = items(admin, "/api/auth/audit?who=operator&what=conversations")

    assert [each["action"] for each in by_name] == ["conversations.create"]
    assert operator.get("/api/auth/audit").status_code == 403
    assert viewer.get("/api/auth/users").status_code == 403


def test_too_many_wrong_logins_say_how_long_to_wait(stranger: FlaskClient, app: Flask) -> None:
    wrong = {"username": "admin", "password": "guess"}
    for _ in range(10):
        stranger.post("/api/auth/login", json=wrong)

    answer = stranger.post("/api/auth/login", json=wrong, headers={"Accept-Language": "en"})

    wait_s = int(answer.headers["Retry-After"])
    assert answer.status_code == 429
    assert 0 < wait_s <= 61  # the limit ends within a second
    assert f"in {wait_s} seconds" in answer.get_json()["error"]["hint"]


def test_a_name_is_slowed_down_wherever_the_guesses_come_from(app: Flask) -> None:
    wrong = {"username": "admin", "password": "guess"}

    def guess(n: int) -> int:
        client = app.test_client()
        address = {"REMOTE_ADDR": f"10.0.{n % 7}.1"}
        return client.post("/api/auth/login", json=wrong, environ_overrides=address).status_code

    codes = [guess(n) for n in range(21)]

    assert codes == [401] * 20 + [429]


def test_only_its_owner_and_admins_change_a_conversation(
    app: Flask, console: Console, admin: Browser, operator: Browser, viewer: Browser
) -> None:
    admin.post("/api/auth/users", json={"name": "li", "role": "operator", "password": PASSWORD})
    other = log_in(app, "li")
    conv = operator.post("/api/agent/conversations", json={"title": "mine"}).get_json()
    path = f"/api/agent/conversations/{conv['id']}"

    refused = [
        other.send("PATCH", path, json={"title": "x"}),
        other.send("DELETE", path),
        other.post("/api/agent/run", json={"prompt": "x", "serial": "s1", "conv_id": conv["id"]}),
    ]
    theirs = [operator.send("PATCH", path, json={"title": "y"}), admin.send("DELETE", path)]

    assert conv["owner"] == "operator"
    assert [each.status_code for each in refused] == [403, 403, 403]
    assert refused[0].get_json()["error"]["code"] == "not_yours"
    assert [each.status_code for each in theirs] == [200, 200]


def test_every_role_reads_every_conversation_and_nobodys_is_everybodys(
    console: Console, operator: Browser, viewer: Browser
) -> None:
    conv = conversations.create(console.instance.db, "from before")
    path = f"/api/agent/conversations/{conv['id']}"

    assert viewer.get(path).get_json()["owner"] is None
    assert operator.send("PATCH", path, json={"title": "x"}).status_code == 200


def test_the_conversation_of_a_run_belongs_to_whoever_started_it(operator: Browser) -> None:
    body = {"prompt": "打开设置", "serial": "s1"}

    conv_id = operator.post("/api/agent/run", json=body).get_json()["conv_id"]

    assert operator.get(f"/api/agent/conversations/{conv_id}").get_json()["owner"] == "operator"
