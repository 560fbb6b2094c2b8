"""Every route of ``/openapi.json`` for every role, by browser and by token."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import Browser, log_in

Route = tuple[str, str]
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
LOGIN, LOGOUT = ("POST", "/api/auth/login"), ("POST", "/api/auth/logout")
# open by a secret of their own, see CONTRACTS 2
HOOK = ("POST", "/api/hooks/{name}")
OWN_ACCOUNT = {
    ("PUT", "/api/auth/me"),
    ("DELETE", "/api/auth/sessions/{session_id}"),
    ("DELETE", "/api/auth/tokens/{token_id}"),
}
# users, the audit log and the agent's settings, see CONTRACTS 2; the settings may be read
FOR_ADMINS = ("/api/auth/users", "/api/auth/audit")
CHANGED_BY_ADMINS = ("/api/agent/config",)
# what a stream answers does not end
STREAMS = {
    ("GET", "/api/agent/stream"),
    ("GET", "/api/events"),
    ("GET", "/api/devices/{serial}/live"),
}


@dataclass(frozen=True)
class Caller:
    """A role with one way of asking."""

    role: str
    client: FlaskClient
    headers: dict[str, str]

    def may(self, route: Route) -> bool:
        """Say whether it gets anything but 403: a 404 or a 400 is past the guard."""
        method, path = route
        address = re.sub(r"\{[^}]+\}", "x1", path)
        answer = self.client.open(address, method=method, headers=self.headers)
        assert answer.status_code != 500, answer.text
        return answer.status_code not in (401, 403)


@pytest.fixture
def described(admin: Browser) -> set[Route]:
    paths: dict[str, dict[str, Any]] = admin.get("/openapi.json").get_json()["paths"]
    return {(method.upper(), path) for path, found in paths.items() for method in found}


@pytest.fixture(params=["viewer", "operator", "admin"])
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def person(app: Flask, role: str) -> Caller:
    made = log_in(app, role)
    return Caller(role, made.client, {"X-CSRF-Token": made.csrf})


@pytest.fixture
def program(app: Flask, admin: Browser, role: str) -> Iterator[Caller]:
    answer = admin.post("/api/auth/tokens", json={"name": role, "role": role})
    yield Caller(role, app.test_client(), {"Authorization": f"Bearer {answer.get_json()['token']}"})


def for_admins(route: Route) -> bool:
    method, path = route
    return path.startswith(FOR_ADMINS) or (method in UNSAFE and path.startswith(CHANGED_BY_ADMINS))


def allowed(role: str, routes: set[Route]) -> set[Route]:
    if role == "admin":
        return routes
    beneath = {each for each in routes if not for_admins(each)}
    if role == "operator":
        return beneath
    return {each for each in beneath if each[0] not in UNSAFE or each in {LOGIN, LOGOUT, HOOK}}


def asked(caller: Caller, routes: set[Route]) -> set[Route]:
    # logging out ends the session that asks, so it comes last
    ordered = sorted(routes, key=lambda each: (each == LOGOUT, each))
    return {each for each in ordered if caller.may(each)}


def test_every_unsafe_route_is_described(app: Flask, described: set[Route]) -> None:
    real = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & UNSAFE
    }

    assert real - described == set()
    assert OWN_ACCOUNT | {LOGIN, LOGOUT} <= described
    assert {path for _, path in filter(for_admins, described)} >= {*FOR_ADMINS, *CHANGED_BY_ADMINS}


def test_a_browser_does_what_its_role_allows(person: Caller, described: set[Route]) -> None:
    routes = described - STREAMS

    # a login with an empty body is refused as invalid, and so past the guard
    assert asked(person, routes) == allowed(person.role, routes) | OWN_ACCOUNT


def test_a_program_does_what_its_token_allows(program: Caller, described: set[Route]) -> None:
    routes = described - STREAMS

    assert asked(program, routes) == allowed(program.role, routes)


def test_a_token_is_not_above_what_its_owner_is_now(app: Flask, admin: Browser) -> None:
    body = {"name": "li", "role": "operator", "password": "correct horse battery"}
    user_id = admin.post("/api/auth/users", json=body).get_json()["id"]
    token = log_in(app, "li").post("/api/auth/tokens", json={"name": "ci", "role": "operator"})
    headers = {"Authorization": f"Bearer {token.get_json()['token']}"}

    admin.put(f"/api/auth/users/{user_id}", json={"role": "viewer"})

    answer = app.test_client().post("/api/agent/conversations", json={}, headers=headers)
    assert answer.status_code == 403
