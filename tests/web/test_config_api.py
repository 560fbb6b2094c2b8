"""The agent's settings over HTTP: prices, what is known of a model, and the test of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from mcp_agent.providers.openai_client import CLIENTS
from tests.core.test_retention import make_run
from tests.mcp_agent.test_openai_probe import able
from tests.policy_model import PolicyModel, Refusal
from tests.stack import wait_for
from tests.web.conftest import Browser
from web.console import Console

PRICE = {"input": 2.0, "output": 8.0, "cached": 0.5, "currency": "CNY"}


@pytest.fixture
def model() -> Iterator[PolicyModel]:
    with PolicyModel(able) as made:
        yield made
    CLIENTS.close()


def configured(admin: Browser, model: PolicyModel) -> None:
    admin.put("/api/agent/config", json={"agent_api_base": model.url, "agent_model": "m1"})


def test_prices_are_kept_and_given_back_as_they_were(admin: Browser) -> None:
    admin.put("/api/agent/config", json={"agent_prices": {"m1": PRICE}})

    shown = admin.get("/api/agent/config").get_json()
    again = admin.put("/api/agent/config", json=shown)

    assert shown["agent_prices"] == {"m1": PRICE}
    assert again.get_json()["agent_prices"] == {"m1": PRICE}


@pytest.mark.parametrize(
    ("price", "path"),
    [
        (PRICE | {"input": -1}, "agent_prices.m1.input"),
        (PRICE | {"currency": "yuan"}, "agent_prices.m1.currency"),
        (PRICE | {"per": 1}, "agent_prices.m1.per"),
        ({"input": 1, "currency": "CNY"}, "agent_prices.m1.output"),
    ],
)
def test_a_price_that_is_none_is_refused_with_its_place(
    admin: Browser, price: dict[str, object], path: str
) -> None:
    answer = admin.put("/api/agent/config", json={"agent_prices": {"m1": price}})

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == path


def test_the_test_finds_out_and_what_it_found_is_shown(admin: Browser, model: PolicyModel) -> None:
    configured(admin, model)

    tested = admin.post("/api/agent/config/test", json={}).get_json()
    profile = admin.get("/api/agent/config/profile").get_json()

    assert tested["ok"]
    assert tested["ms"] > 0
    assert {each["name"] for each in tested["findings"] if each["ok"]} == {
        "answers",
        "usage",
        "reasoning",
        "tools",
        "tool_choice",
        "vision",
    }
    assert (profile["model"], profile["vision"], profile["usage"]) == ("m1", True, True)


def test_the_test_tries_changes_that_are_not_saved(admin: Browser, model: PolicyModel) -> None:
    changes = {"agent_api_base": model.url, "agent_model": "m2", "agent_api_key": "sk-unsaved"}

    tested = admin.post("/api/agent/config/test", json=changes).get_json()

    assert (tested["ok"], tested["model"]) == (True, "m2")
    assert model.keys[0] == "sk-unsaved"
    assert admin.get("/api/agent/config").get_json()["agent_model"] == ""


@pytest.mark.parametrize(
    "base", ["https://a(b", "https://\u0101\u0301*e", "http://[::1", "https://x:99999999"]
)
def test_an_address_that_is_none_is_said_to_be_wrong(admin: Browser, base: str) -> None:
    changes = {"agent_api_base": base, "agent_model": "m", "agent_api_key": "k"}

    answer = admin.post("/api/agent/config/test", json=changes)

    assert answer.status_code == 200
    assert answer.get_json()["ok"] is False
    assert answer.get_json()["error"]["code"] in (
        "model_not_found",
        "model_unreachable",
        "model_unreadable",
    )


def test_a_test_that_fails_says_why_in_the_readers_language(admin: Browser) -> None:
    with PolicyModel(lambda request: Refusal(401)) as refusing:
        configured(admin, refusing)
        zh = {"Accept-Language": "zh"}
        tested = admin.post("/api/agent/config/test", json={}, headers=zh).get_json()

    assert not tested["ok"]
    assert tested["error"]["message"] == "模型 API 返回 401：API Key 无效或已过期。"


def test_how_many_pictures_are_kept_is_a_persons_choice_up_to_three(
    admin: Browser, operator: Browser, model: PolicyModel
) -> None:
    unset = admin.put("/api/agent/config/profile", json={"pictures_kept": 2})
    configured(admin, model)

    kept = admin.put("/api/agent/config/profile", json={"pictures_kept": 3})
    too_many = admin.put("/api/agent/config/profile", json={"pictures_kept": 4})
    not_hers = operator.put("/api/agent/config/profile", json={"pictures_kept": 1})

    assert unset.get_json()["error"]["code"] == "model_unset"
    assert kept.get_json()["pictures_kept"] == 3
    assert too_many.get_json()["error"]["path"] == "pictures_kept"
    assert not_hers.status_code == 403
    assert operator.get("/api/agent/config/profile").get_json()["pictures_kept"] == 3


def test_the_brains_say_whether_they_would_answer_without_being_asked_anything(
    admin: Browser, model: PolicyModel
) -> None:
    unset = brains(admin)["openai"]
    configured(admin, model)

    found = brains(admin)

    assert unset["error"]["code"] == "model_unset"
    assert {name: each["ok"] for name, each in found.items()} == {"openai": True, "offline": True}
    assert (found["openai"]["chosen"], found["offline"]["chosen"]) == (True, False)
    assert found["openai"]["caps"]["images_in"]
    assert model.requests == []


def test_what_is_kept_is_counted_and_a_full_disk_is_said(
    admin: Browser, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(console.instance, days_ago=1, size=3000)
    roomy = admin.get("/api/agent/config/storage").get_json()
    monkeypatch.setattr("core.artifacts.free_bytes", lambda instance: 1024)

    full = admin.get("/api/agent/config/storage").get_json()
    console.board.changed()

    assert (roomy["pictures"], roomy["low"]) == (1, False)
    assert roomy["used_bytes"] == 3000 + len('{"text":"I think."}')
    assert (full["free_bytes"], full["low"]) == (1024, True)
    wait_for(lambda: console.board.text("storage", "zh") == '{"low":true}', "the board")


def brains(admin: Browser) -> dict[str, Any]:
    items = admin.get("/api/agent/config/providers").get_json()["items"]
    return {each["name"]: each for each in items}


def test_the_offline_brain_needs_no_test(admin: Browser) -> None:
    tested = admin.post("/api/agent/config/test", json={"agent_provider": "offline"}).get_json()

    assert (tested["ok"], tested["provider"], tested["findings"]) == (True, "offline", [])
