"""The settings page: everything of it can be used by everyone, and what is typed is not lost."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, Theme, flaws, picture, speak
from tests.stack import Stack

Lang = Literal["zh", "en"]
PARTS = ("model", "runs", "limits", "storage", "rules", "brains")
RULE = {"app": "com.example.shop", "kind": "order", "label": "提交订单", "effect": "allow"}
PRICES = {"qwen-vl-max": {"input": 1.6, "output": 4.0, "currency": "CNY"}}


@pytest.fixture
def rule(shared_stack: Stack) -> Iterator[dict[str, Any]]:
    """Keep a decision and a price for one test."""
    with shared_stack.client() as client:
        made = client.post("/api/agent/rules", json=RULE).json()
        client.put("/api/agent/config", json={"agent_prices": PRICES})
        yield made
        client.delete(f"/api/agent/rules/{made['id']}")
        client.put("/api/agent/config", json={"agent_prices": {}})


def settings(page: Page) -> Page:
    expect(page.locator(".part")).to_have_count(len(PARTS))
    expect(page.locator("#part-rules tbody tr")).to_have_count(1)
    expect(page.locator("#part-brains tbody tr").first).to_be_visible()
    expect(page.locator("#part-storage b")).not_to_have_text("…")
    return page


@pytest.mark.parametrize(("theme", "lang"), [("light", "en"), ("dark", "zh")])
def test_the_settings_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, rule: dict[str, Any], theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)

    page = settings(window("/settings", theme=theme))
    page.locator(".unsaved").wait_for(state="detached")
    page.locator("#part-limits input").first.fill("50000")
    expect(page.locator(".unsaved")).to_be_visible()
    page.locator(".settings nav button").first.click()
    picture(page, f"settings-{theme}-{lang}")
    assert flaws(page) == []
    page.locator(".settings nav button").nth(PARTS.index("storage")).click()
    expect(page.locator("#part-storage")).to_be_in_viewport()
    expect(page.locator("header.top")).to_be_in_viewport()
    picture(page, f"settings-more-{theme}-{lang}")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".unsaved")).to_be_in_viewport()
    picture(page, f"settings-small-{theme}-{lang}")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_typed_is_kept_while_one_looks_elsewhere_and_then_saved(
    shared_stack: Stack, window: OpenWindow, rule: dict[str, Any]
) -> None:
    speak(shared_stack, "zh")
    page = settings(window("/settings/runs"))

    page.get_by_label("每台就绪的手机一个").check()
    page.get_by_role("link", name="设备", exact=True).click()
    expect(page.locator(".device").first).to_be_visible()
    page.go_back()
    expect(page.locator(".unsaved")).to_contain_text("1 项")
    page.get_by_role("button", name="保存", exact=True).click()
    expect(page.locator(".unsaved")).to_have_count(0)
    page.get_by_role("button", name="收回").click()
    page.locator("dialog").get_by_role("button", name="收回").click()
    expect(page.locator("#part-rules")).to_contain_text("还没有规则")

    with shared_stack.client() as client:
        assert client.get("/api/agent/config").json()["agent_slots"] == 0
        assert client.get("/api/agent/rules").json()["items"] == []
        client.put("/api/agent/config", json={"agent_slots": 1})
