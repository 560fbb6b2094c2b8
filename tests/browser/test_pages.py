"""Every page in both themes and languages: axe finds nothing, and a picture is kept."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenWindow, Theme, flaws, picture, speak
from tests.stack import Stack, follow
from virtual_phone.testing import PhoneHandle

Lang = Literal["zh", "en"]
SETTINGS = {"zh": "配置", "en": "Settings"}
PHONE_SIZE = (390, 844)

pytestmark = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture(scope="module")
def talk(shared_stack: Stack) -> str:
    """Hold a conversation with one finished run and return its id."""
    with shared_stack.client() as client:
        body = {"prompt": "打开设置，把 Wi-Fi 关掉", "serial": shared_stack.addresses[0]}
        started: dict[str, Any] = client.post("/api/agent/run", json=body).json()
        list(follow(client, started["run_id"]))
    return str(started["conv_id"])


def check(page: Page, name: str) -> None:
    picture(page, name)
    assert flaws(page) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_chat_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, talk: str, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)

    page = window(f"/chat/{talk}", theme=theme)
    page.locator(".fold > summary").click()
    expect(page.locator(".step").first).to_be_visible()
    expect(page.locator(".screen img")).to_be_visible()

    check(page, f"chat-{theme}-{lang}")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_new_conversation_and_the_settings_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)

    page = window("/", theme=theme)
    expect(page.locator(".examples button")).to_have_count(3)
    check(page, f"new-{theme}-{lang}")
    page.get_by_role("button", name=SETTINGS[lang]).first.click()
    expect(page.locator("dialog form")).to_be_visible()

    check(page, f"settings-{theme}-{lang}")
    dialog = page.locator("dialog")
    dialog.locator("input.mono").first.fill("some-model")
    dialog.locator("summary").click()
    expect(dialog.locator("fieldset")).to_have_count(3)
    dialog.locator("fieldset").last.scroll_into_view_if_needed()
    check(page, f"limits-{theme}-{lang}")
    page.set_viewport_size({"width": PHONE_SIZE[0], "height": PHONE_SIZE[1]})
    picture(page, f"limits-small-{theme}-{lang}")

    assert dialog.evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_devices_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, theme: Theme, lang: Lang
) -> None:
    speak(shared_stack, lang)

    page = window("/devices", theme=theme)
    expect(page.locator(".device .shot img")).to_be_visible()

    check(page, f"devices-{theme}-{lang}")


def test_a_small_window_shows_one_column(
    shared_stack: Stack, window: OpenWindow, talk: str, theme: Theme
) -> None:
    speak(shared_stack, "zh")

    page = window(f"/chat/{talk}", theme=theme, size=PHONE_SIZE)
    expect(page.locator(".fold")).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    check(page, f"small-{theme}")
    page.get_by_role("button", name="会话", exact=True).click()
    expect(page.locator(".conv").first).to_be_in_viewport()

    assert width <= PHONE_SIZE[0]


def test_the_login_can_be_used_by_everyone(
    shared_stack: Stack, browser: Browser, theme: Theme
) -> None:
    context = browser.new_context(base_url=shared_stack.url, color_scheme=theme, locale="zh-CN")
    page = context.new_page()

    page.goto("/login")
    page.get_by_label("密码").fill("not this one")
    page.get_by_role("button", name="登录", exact=True).click()
    expect(page.locator(".error")).to_contain_text("bad_login")

    check(page, f"login-{theme}")
    context.close()
