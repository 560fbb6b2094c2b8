"""The live panel: where pictures come from, a turned phone, a protected screen."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenWindow, Theme, flaws, picture, speak
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

Lang = Literal["zh", "en"]
SETTINGS = "com.android.settings"


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

    expect(page.locator(".screen img")).to_have_attribute("alt", re.compile(said))
    picture(page, f"live-secure-{theme}-{lang}")
    assert flaws(page) == []
