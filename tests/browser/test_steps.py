"""Step cards: pictures before and after in the enlarged view, and what an act was about."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, flaws, picture, speak
from tests.stack import Stack
from virtual_phone.testing import PhoneHandle

WAIT_MS = 30_000


@pytest.fixture(autouse=True)
def chinese(shared_stack: Stack) -> None:
    speak(shared_stack, "zh")


def say(page: Page, words: str) -> None:
    page.get_by_label("指令").fill(words)
    expect(page.locator("[type=submit]")).to_be_enabled()
    page.keyboard.press("Enter")


def test_one_walks_through_the_pictures_of_the_steps(
    window: OpenWindow, phone: PhoneHandle
) -> None:
    page = window()
    say(page, "打开设置，把 Wi-Fi 关掉")
    expect(page.locator(".md:not(.words)")).to_contain_text("已关闭", timeout=WAIT_MS)
    page.locator(".fold > summary").click()

    tap = page.locator(".step", has_text="de_tap").first
    tap.locator("summary").click()
    expect(tap.locator(".args")).to_contain_text("element")
    picture(page, "steps-unfolded")
    page.locator(".step .thumb").first.click()
    dialog = page.locator("dialog[open]")
    expect(dialog.locator("figcaption")).to_have_text(["之前", "之后"])
    first = dialog.locator("img").last.get_attribute("src")
    found = flaws(page)
    picture(page, "steps-enlarged")
    page.keyboard.press("ArrowRight")
    expect(dialog.locator(".place")).to_contain_text("2 /")
    second = dialog.locator("img").first.get_attribute("src")
    page.keyboard.press("Escape")

    expect(dialog).to_have_count(0)
    assert first == second, "an act that follows at once begins where the one before ended"
    assert found == []
