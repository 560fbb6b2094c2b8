"""The live panel: where pictures come from, a turned phone, a protected screen."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONES, OpenWindow, Theme, flaws, picture, say, speak
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

Lang = Literal["zh", "en"]
SETTINGS = "com.android.settings"
REMEMBER_RINGS = """() => {
  window.rings = []
  new MutationObserver(() => {
    for (const ring of document.querySelectorAll('.mark.agent:not([data-seen])')) {
      ring.dataset.seen = '1'
      window.rings.push([ring.style.left, ring.style.top])
    }
  }).observe(document.querySelector('.screen'), { childList: true, subtree: true })
}"""


@pytest.fixture(autouse=True)
def free_again(shared_stack: Stack) -> Iterator[None]:
    """Give the phone back: a touch holds it for half a minute."""
    yield
    with shared_stack.client() as client:
        client.post(f"/api/devices/{shared_stack.addresses[0]}/release")


@pytest.mark.parametrize(("theme", "lang"), [("light", "zh"), ("dark", "en")])
def test_the_panel_says_where_its_pictures_come_from_and_how_many(
    shared_stack: Stack, phone: PhoneHandle, window: OpenWindow, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)
    phone.start(SETTINGS)

    page = window(theme=theme)
    meta = page.locator(".live .meta")

    expect(meta).to_contain_text(re.compile(r"\d+(\.\d+)? fps · 1080×2400"))
    expect(meta).to_contain_text("u2")
    picture(page, f"live-{theme}-{lang}")
    assert flaws(page) == []


@pytest.mark.parametrize(("theme", "lang"), [("light", "en"), ("dark", "zh")])
def test_a_turned_phone_is_touched_where_its_picture_is(
    shared_stack: Stack, phone: PhoneHandle, window: OpenWindow, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)
    phone.start(SETTINGS)
    page = window(theme=theme)
    expect(page.locator(".live .meta")).to_contain_text("1080×2400")

    phone.set("system.rotation", 1)
    expect(page.locator(".live .meta")).to_contain_text("2400×1080 · 90°")
    box = page.locator(".screen").bounding_box()
    assert box is not None
    picture(page, f"live-turned-{theme}-{lang}")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    wait_for(phone.log, "the touch", 10)
    touch = phone.log()[0]
    assert box["width"] > box["height"]
    assert (touch["x"], touch["y"]) == pytest.approx((1200, 540), abs=8)


@pytest.mark.parametrize(("theme", "lang"), [("light", "zh"), ("dark", "en")])
def test_a_protected_screen_is_a_notice_in_the_readers_language(
    shared_stack: Stack, phone: PhoneHandle, window: OpenWindow, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)
    phone.start(SETTINGS)
    phone.fault("secure")

    page = window(theme=theme)
    said = {"zh": "没有可显示的画面", "en": "No picture of"}[lang]
    card = {"zh": "应用不允许截图", "en": "The app allows no pictures"}[lang]

    expect(page.locator(".screen img")).to_have_attribute("alt", re.compile(said))
    expect(page.locator("[data-why=screen_secure]")).to_contain_text(card)
    picture(page, f"live-secure-{theme}-{lang}")
    assert flaws(page) == []


def test_a_dark_phone_is_woken_from_its_card(
    shared_stack: Stack, phone: PhoneHandle, window: OpenWindow
) -> None:
    speak(shared_stack, "zh")
    page = window()
    expect(page.locator(".live .meta")).to_contain_text("1080×2400")

    phone.set("system.screen_on", False)
    card = page.locator("[data-why=screen_off], [data-why=device_locked]")
    expect(card).to_be_visible(timeout=15_000)
    picture(page, "live-off")
    assert flaws(page) == []
    card.get_by_role("button", name="点亮屏幕").click()

    expect(card).to_have_count(0, timeout=15_000)
    expect(page.locator(".live .meta")).to_contain_text("还剩")
    assert phone.get("system.screen_on") is True


def test_the_place_that_an_agent_touched_is_ringed(
    shared_stack: Stack, phone: PhoneHandle, window: OpenWindow
) -> None:
    speak(shared_stack, "zh")
    phone.start(SETTINGS)
    page = window()
    page.locator(".screen").wait_for()
    page.evaluate(REMEMBER_RINGS)
    expect(page.locator(PHONES)).to_have_count(1)

    say(page, "打开设置，把 Wi-Fi 关掉")
    expect(page.locator(".fold > summary")).to_be_visible(timeout=30_000)

    rings = page.evaluate("rings")
    taps = [(each["x"] / 1080, each["y"] / 2400) for each in phone.log() if each["kind"] == "tap"]
    seen = [tuple(float(part.strip("% ")) / 100 for part in ring) for ring in rings]
    assert seen
    assert all(any(spot == pytest.approx(tap, abs=0.01) for tap in taps) for spot in seen)
