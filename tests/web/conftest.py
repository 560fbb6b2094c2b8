"""The console's application on a fresh instance, with one of each role logged in."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from core.config import Config
from core.models import Device
from core.people import users
from core.setup import ensure
from web.app import console_of, create_app
from web.console import Console

PASSWORD = "correct horse battery"
UNUSED_PORT = 1  # nothing listens there: the MCP server is down


@dataclass
class Browser:
    """A person's browser: a cookie, and the token that unsafe requests must show."""

    client: FlaskClient
    csrf: str

    def send(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {"X-CSRF-Token": self.csrf, **options.pop("headers", {})}
        return self.client.open(path, method=method, headers=headers, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.send("GET", path, **options)

    def post(self, path: str, **options: Any) -> TestResponse:
        return self.send("POST", path, **options)

    def put(self, path: str, **options: Any) -> TestResponse:
        return self.send("PUT", path, **options)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a data folder once, since hashing passwords takes its time."""
    data = tmp_path_factory.mktemp("prepared") / "data"
    instance = ensure(Config(phonedeck_data=data))
    for role in ("viewer", "operator", "admin"):
        users.create_user(instance.db, role, PASSWORD, role)
    with instance.db.write() as session:
        session.add(Device(serial="s1", hardware_serial="HW1", state="ready", model="Pixel 7"))
        session.add(Device(serial="s2", hardware_serial="HW2", state="offline"))
    instance.db.close()
    return data


@pytest.fixture
def app(prepared: Path, tmp_path: Path) -> Iterator[Flask]:
    shutil.copytree(prepared, tmp_path / "data")
    made = create_app(Config(phonedeck_data=tmp_path / "data", phonedeck_mcp_port=UNUSED_PORT))
    console_of(made).start()
    yield made
    console_of(made).close()


@pytest.fixture
def console(app: Flask) -> Console:
    return console_of(app)


@pytest.fixture
def stranger(app: Flask) -> FlaskClient:
    return app.test_client()


def log_in(app: Flask, name: str) -> Browser:
    client = app.test_client()
    answer = client.post("/api/auth/login", json={"username": name, "password": PASSWORD})
    return Browser(client, answer.get_json()["csrf"])


@pytest.fixture
def admin(app: Flask) -> Browser:
    return log_in(app, "admin")


@pytest.fixture
def operator(app: Flask) -> Browser:
    return log_in(app, "operator")


@pytest.fixture
def viewer(app: Flask) -> Browser:
    return log_in(app, "viewer")


@pytest.fixture
def viewer_token(viewer: Browser, admin: Browser) -> dict[str, str]:
    answer = admin.post("/api/auth/tokens", json={"name": "reader", "role": "viewer"})
    return {"Authorization": f"Bearer {answer.get_json()['token']}"}


@pytest.fixture
def operator_token(admin: Browser) -> dict[str, str]:
    answer = admin.post("/api/auth/tokens", json={"name": "ci", "role": "operator"})
    return {"Authorization": f"Bearer {answer.get_json()['token']}"}
