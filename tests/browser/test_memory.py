"""The memory's page: what was learned is found, judged, written and taken along."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import update

from core import setup
from core.config import Config
from core.memory import experiences, stale
from core.memory.experiences import Went
from core.models import Experience
from tests.browser.conftest import OpenWindow, flaws, flaws_by_theme, picture, speak
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

Lang = Literal["zh", "en"]
PHONE_SIZE = (390, 844)
EVIL = "<img src=x onerror=alert(1)>"
EXPERIENCES = "/api/agent/experiences"
DRIFTED = {
    "zh": "应用的界面变了：当时的 3 个界面，后来只遇到 0 个",
    "en": "The app is laid out anew: a run met 0 of its 3 screens",
}
SIGNS = {"experiences": ".ring", "actions": ".ring", "review": ".tag.warn", "history": ".tag"}
JOBS = (
    ("小红书站内搜索并列出前 N 条", "打开小红书，点搜索，输入词，读前几条标题。", "小红书", 9, 1),
    ("淘宝签到领金币", "从首页下滑找到「领淘金币」；点「签到」。", "淘宝", 1, 6),
    (f"打开 Wi-Fi 并连接 {EVIL}", "打开设置，点 Wi-Fi，选网络，输密码。", "设置", 4, 0),
)


def known(client: httpx2.Client) -> list[str]:
    items: list[dict[str, Any]] = client.get(EXPERIENCES).json()["items"]
    return [each["id"] for each in items]


@pytest.fixture
def remembered(shared_stack: Stack) -> Iterator[httpx2.Client]:
    """Have three experiences with their outcomes, of which one was reviewed badly; one action."""
    instance = setup.ensure(Config(phonedeck_data=shared_stack.data))
    action = {"name": "打开蓝牙", "aliases": ["bt"], "steps": [{"type": "open_app", "app": "设置"}]}
    speak(shared_stack, "zh")
    with shared_stack.client() as client:
        for task, recipe, app, successes, failures in JOBS:
            body = {"task": task, "recipe": recipe, "app": app}
            made = client.post(EXPERIENCES, json=body).json()["id"]
            with instance.db.write() as session:
                for success in [True] * successes + [False] * failures:
                    experiences.told(session, [made])
                    experiences.credit(session, [made], Went(success))
                saved = {
                    "steps": 12,
                    "steps_saved": successes * 7,
                    "tokens_saved": successes * 4100,
                }
                session.execute(update(Experience).where(Experience.id == made).values(saved))
        saved_action = client.post("/api/agent/actions", json=action).json()["id"]
        client.post(f"{EXPERIENCES}/audit")
        wait_for(lambda: client.get(f"{EXPERIENCES}/audit").json()["waiting"] == 1, "the review")
        with instance.db.write() as session:
            experiences.mark_stale(session, made, stale.kept("screens", met=0, count=3))
        yield client
        for each in known(client):
            client.delete(f"{EXPERIENCES}/{each}")
        client.delete(f"/api/agent/actions/{saved_action}")
    instance.db.close()


def open_part(page: Page, part: str) -> None:
    page.locator(f'.parts a[href="#/memory/{part}"]').click()
    expect(page.locator(f"tbody {SIGNS[part]}").first).to_be_visible()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_everyone_can_read_what_is_remembered(
    shared_stack: Stack, remembered: httpx2.Client, window: OpenWindow, lang: Lang
) -> None:
    speak(shared_stack, lang)
    found = []

    page = window("/memory")
    page.emulate_media(reduced_motion="reduce")  # else colours are caught on their way
    for part in SIGNS:
        open_part(page, part)
        if part in ("experiences", "actions"):
            page.locator("tbody button.name").first.click()
            expect(page.locator("aside h2")).to_be_visible()
        if part == "experiences":
            expect(page.locator("aside p.warn")).to_have_text(DRIFTED[lang])
        found += flaws_by_theme(page, f"memory-{part}-{lang}")

    assert found == []


def test_a_person_settles_what_waits_with_two_keys(
    remembered: httpx2.Client, window: OpenWindow
) -> None:
    page = window("/memory/review")
    expect(page.locator("aside h2")).to_have_text("淘宝签到领金币")

    page.keyboard.press("k")

    expect(page.locator(".none")).to_be_visible()
    kept = remembered.get(f"{EXPERIENCES}/audit/history").json()["items"]
    assert "kept" in {each["action"] for each in kept}
    assert len(known(remembered)) == 3


def test_an_experience_is_found_said_anew_and_forgotten(
    remembered: httpx2.Client, window: OpenWindow
) -> None:
    page = window("/memory")
    page.locator('input[type="search"]').fill("小红书")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator("tbody button.name").click()
    page.locator("aside .btn:not(.stop, .close)").last.click()
    page.locator("dialog textarea").fill("先点放大镜，再输入词。")
    page.locator('dialog button[type="submit"]').click()
    expect(page.locator("aside .recipe")).to_have_text("先点放大镜，再输入词。")

    page.locator("aside .btn.stop").click()
    page.locator("dialog .btn.stop").click()

    expect(page.locator(".card.none")).to_be_visible()
    assert len(known(remembered)) == 2


def test_wrong_steps_are_refused_at_their_place_and_nothing_typed_is_lost(
    remembered: httpx2.Client, window: OpenWindow
) -> None:
    wrong = [{"type": "open_app", "app": "a"}, {"type": "click_xy", "x": 1, "y": 1}]
    page = window("/memory/actions")
    page.locator(".bar .btn").first.click()
    page.locator("dialog .field").first.fill("点一下")
    page.locator("dialog").get_by_role("button", name="JSON").click()
    page.locator("dialog textarea").fill(json.dumps(wrong))
    picture(page, "memory-action-form")

    page.locator('dialog button[type="submit"]').click()

    expect(page.locator("dialog .error")).to_contain_text("steps.1")
    assert json.loads(page.locator("dialog textarea").input_value()) == wrong
    assert page.locator("dialog .field").first.input_value() == "点一下"


def test_an_action_is_tried_on_a_phone_in_ones_hands(
    remembered: httpx2.Client, window: OpenWindow, phone: PhoneHandle
) -> None:
    page = window("/memory/actions")
    page.locator("tbody button.name").first.click()

    page.locator("aside .try .btn").click()

    expect(page.locator("aside .steps .good")).to_have_count(1, timeout=15_000)
    picture(page, "memory-action-tried")
    assert phone.get("system.foreground") == "com.android.settings"
    for item in remembered.get("/api/devices").json()["items"]:
        remembered.post(f"/api/devices/{item['serial']}/release")


def test_the_memory_is_taken_out_as_a_file_and_comes_back(
    remembered: httpx2.Client, window: OpenWindow, tmp_path: Path
) -> None:
    page = window("/memory")
    page.locator(".head .btn.icon").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="导出").click()
    file = tmp_path / "memory.json"
    taken.value.save_as(file)
    for each in known(remembered):
        remembered.delete(f"{EXPERIENCES}/{each}")

    page.locator('input[type="file"]').set_input_files(file)

    expect(page.get_by_text("新增 3 条经验")).to_be_visible()
    assert len(known(remembered)) == 3


def test_a_small_window_shows_a_memory_over_the_list(
    remembered: httpx2.Client, window: OpenWindow
) -> None:
    page = window("/memory", size=PHONE_SIZE)
    page.locator("tbody button.name").first.click()
    expect(page.locator("aside h2")).to_be_visible()

    picture(page, "memory-phone")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.locator("aside .close").click()

    expect(page.locator("aside")).to_have_count(0)
    assert wide <= PHONE_SIZE[0]
    assert flaws(page) == []
