"""Odd requests made from the API's own description: every answer is one that it describes.

The phones and models that such requests name are refused by closed ports on this machine. The
long run takes a seed of its own, which a failure prints.
"""

import random
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import schemathesis
from flask import Flask
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as conformance

from core.models import Run
from tests.web.conftest import Browser
from web.console import Console

CHECKS = [
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
]
OPEN_SETTINGS = {"type": "open_app", "app": "设置"}
CLOSED = "http://127.0.0.1:9"
QUICK, LONG = 4, 150
# a page of the console, not of its API, or the end of the login that asks
LEFT_OUT = r"^(?!/api/)|^/api/auth/logout$"
MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]

Ids = dict[str, str]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send whatever would leave this machine to a port where nobody listens."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, CLOSED)
        monkeypatch.setenv(name.lower(), CLOSED)


@pytest.fixture
def things(console: Console, admin: Browser) -> Ids:
    """Make one thing of each kind that a path can name."""

    def made(path: str, **body: Any) -> str:
        return str(admin.post(path, json=body).get_json()["id"])

    conv = made("/api/agent/conversations", title="x")
    with console.instance.db.write() as session:
        run = Run(conv_id=conv, prompt="x", status="done")
        session.add(run)
        session.flush()
        run_id = run.id
    return {
        "conv_id": conv,
        "run_id": run_id,
        "serial": "s1",
        "action_id": made("/api/agent/actions", name="去设置", steps=[OPEN_SETTINGS]),
        "user_id": made("/api/auth/users", name="li", role="viewer"),
        "rule_id": made("/api/agent/rules", app="com.example", effect="ask"),
    }


@pytest.fixture
def ask(
    app: Flask, admin: Browser, console: Console, things: Ids, no_network: None
) -> Callable[[Any, int, int], None]:
    """Ask one operation as an administrator, as often as wanted, from a seed."""
    answer = admin.post("/api/auth/tokens", json={"name": "fuzz", "role": "admin"})
    headers = {"Authorization": f"Bearer {answer.get_json()['token']}"}
    console.stop_streams()  # a stream answers and ends

    def once(case: Any) -> None:
        case.path_parameters = with_known(case.path_parameters, things)
        if isinstance(case.body, dict):
            case.body = with_known(case.body, things)
        case.call_and_validate(app=app, headers=headers, checks=CHECKS)

    def often(operation: Any, times: int, seed: int) -> None:
        cases = hypothesis.strategies.one_of([operation.as_strategy(mode) for mode in MODES])
        asked = hypothesis.settings(
            max_examples=times,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )(hypothesis.given(cases)(once))
        hypothesis.seed(seed)(asked)()

    return often


def with_known(made_up: dict[str, Any], things: Ids) -> dict[str, Any]:
    """Name what exists in two of three requests; in the others what was made up stays."""
    chosen = {name for name in things if len(str(made_up.get(name, ""))) % 3}
    return {**made_up, **{name: things[name] for name in chosen & set(made_up)}}


def described(app: Flask, admin: Browser) -> list[Any]:
    raw = admin.get("/openapi.json").get_json()
    schema = schemathesis.openapi.from_dict(raw).exclude(path_regex=LEFT_OUT)
    read = list(schema.get_all_operations())
    assert all(isinstance(each, Ok) for each in read), read
    found = [each.ok() for each in read if isinstance(each, Ok)]
    return sorted(found, key=lambda each: each.method == "delete")  # what is asked for is there


@pytest.mark.timeout(240)
def test_no_odd_request_is_answered_with_what_is_not_described(
    app: Flask, admin: Browser, ask: Callable[[Any, int, int], None]
) -> None:
    operations = described(app, admin)

    for operation in operations:
        ask(operation, QUICK, 5)

    assert len(operations) > 50


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_no_odd_request_of_many_is_answered_with_what_is_not_described(
    app: Flask, admin: Browser, ask: Callable[[Any, int, int], None]
) -> None:
    seed = random.SystemRandom().randrange(2**32)

    for operation in described(app, admin):
        try:
            ask(operation, LONG, seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
