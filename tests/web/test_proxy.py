"""Behind a proxy: whose address counts, and whether the session's cookie is for https only."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from core.config import Config
from tests.web.conftest import PASSWORD, UNUSED_PORT, Browser
from web.app import console_of, create_app

FORWARDED = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
LOGIN = {"username": "admin", "password": PASSWORD}

Behind = Callable[[int], Flask]


@pytest.fixture
def behind(prepared: Path, tmp_path: Path) -> Iterator[Behind]:
    """Make a console that stands behind so many proxies."""
    made: list[Flask] = []

    def make(proxies: int) -> Flask:
        shutil.copytree(prepared, tmp_path / "behind")
        config = Config(
            phonedeck_data=tmp_path / "behind",
            phonedeck_mcp_port=UNUSED_PORT,
            phonedeck_proxies=proxies,
        )
        made.append(create_app(config))
        return made[0]

    yield make
    console_of(made[0]).close()


def logged_in(app: Flask, headers: dict[str, str]) -> tuple[str, str]:
    """Log in, and give the cookie and the address that the audit log kept."""
    client = app.test_client()
    answer = client.post("/api/auth/login", json=LOGIN, headers=headers)
    assert answer.status_code == 200, answer.text
    browser = Browser(client, answer.get_json()["csrf"])
    kept: dict[str, Any] = browser.get("/api/auth/audit").get_json()["items"][0]
    return answer.headers["Set-Cookie"], kept["address"]


def test_behind_a_proxy_the_visitors_address_and_https_count(behind: Behind) -> None:
    cookie, address = logged_in(behind(1), FORWARDED)

    assert address == "203.0.113.7"
    assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))


def test_what_a_visitor_adds_to_a_proxys_word_is_not_believed(behind: Behind) -> None:
    lies = {**FORWARDED, "X-Forwarded-For": "198.51.100.1, 203.0.113.7"}

    _, address = logged_in(behind(1), lies)

    assert address == "203.0.113.7"


def test_without_a_proxy_nobody_names_an_address_of_their_own(behind: Behind) -> None:
    cookie, address = logged_in(behind(0), FORWARDED)

    assert address == "127.0.0.1"
    assert "Secure" not in cookie.split("; ")


def test_wrong_logins_slow_down_one_visitor_and_not_all(behind: Behind) -> None:
    client = behind(1).test_client()

    def tried(address: str, name: str) -> int:
        body = {"username": name, "password": "guess"}
        headers = {**FORWARDED, "X-Forwarded-For": address}
        return client.post("/api/auth/login", json=body, headers=headers).status_code

    codes = [tried("203.0.113.7", f"nobody{n}") for n in range(11)]

    assert codes == [401] * 10 + [429]
    assert tried("203.0.113.8", "nobody") == 401
