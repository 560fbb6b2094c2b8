"""People and one device's details: axe finds nothing, and people get their work done there."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import THEMES, OpenWindow, Theme, flaws_by_theme, speak
from tests.stack import PASSWORD, Stack
from virtual_phone.testing import PhoneHandle

Lang = Literal["zh", "en"]
PHONE_SIZE = (390, 844)
EVIL = "<img src=x onerror=alert(1)>"
PARTS = {"users": "select", "sessions": ".tag", "tokens": ".tag", "audit": "time"}


@pytest.fixture(scope="module")
def crowd(shared_stack: Stack) -> Iterator[Stack]:
    """Have users with ordinary and with hostile names, and a device that is named so."""
    serial = shared_stack.addresses[0]
    with shared_stack.client() as client:
        made = [
            client.post("/api/auth/users", json={"name": name, "role": role}).json()["id"]
            for name, role in (("王芳", "operator"), ("li", "viewer"), (EVIL, "viewer"))
        ]
        client.put(f"/api/devices/{serial}", json={"alias": "", "tags": ["机架 A", "<b>店铺</b>"]})
        yield shared_stack
        client.put(f"/api/devices/{serial}", json={"alias": "", "tags": []})
        for user_id in made:
            client.delete(f"/api/auth/users/{user_id}")


def check(page: Page, name: str, themes: tuple[Theme, ...] = THEMES) -> None:
    """Look at the page in each theme."""
    page.emulate_media(reduced_motion="reduce")  # else colours are caught on their way
    assert flaws_by_theme(page, name, themes) == []


def parts_of(page: Page) -> Iterator[str]:
    """Open each part of the people's page and wait for its rows."""
    for part, sign in PARTS.items():
        page.locator(f'.parts a[href="#/people/{part}"]').click()
        expect(page.locator(f"tbody {sign}").first).to_be_visible()
        yield part


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_an_examined_device_can_be_looked_after_by_everyone(
    crowd: Stack, window: OpenWindow, phone: PhoneHandle, lang: Lang
) -> None:
    speak(crowd, lang)

    page = window(f"/devices/{phone.address}")
    page.locator("aside section button").first.click()
    expect(page.locator("aside .well, aside section li").first).to_be_visible(timeout=20_000)
    check(page, f"device-{lang}")


def test_a_small_window_shows_rows_as_cards(
    crowd: Stack, window: OpenWindow, phone: PhoneHandle
) -> None:
    speak(crowd, "zh")
    page = window("/people", size=PHONE_SIZE)
    widths = []

    for part in parts_of(page):
        widths.append(page.evaluate("document.querySelector('main').scrollWidth"))
        check(page, f"small-{part}", themes=("light",))
    page.goto(f"/#/devices/{phone.address}")
    expect(page.locator("aside h2")).to_be_visible()
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    check(page, "small-device", themes=("dark",))

    assert max(widths) <= PHONE_SIZE[0]


def test_a_user_is_added_and_logs_in_and_is_removed(
    crowd: Stack, window: OpenWindow, browser: Browser
) -> None:
    speak(crowd, "en")
    page = window("/people/users")
    page.get_by_role("button", name="Add a user").click()
    page.get_by_label("User name").fill("li")
    page.locator("dialog").get_by_role("button", name="Add a user").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("taken")
    page.get_by_label("User name").fill("zhao")
    page.locator("dialog").get_by_role("button", name="Add a user").click()
    password = page.get_by_label("Password, shown this once").input_value()
    page.locator("dialog .end").get_by_role("button", name="Close").click()

    theirs = browser.new_context(base_url=crowd.url)
    login = {"username": "zhao", "password": password}
    logged_in = theirs.request.post("/api/auth/login", data=login).ok
    own = theirs.new_page()
    own.goto("/#/people")
    expect(own.locator(".parts a")).to_have_count(2)
    page.get_by_role("button", name="Actions for “zhao”").click()
    page.get_by_role("button", name="Remove the user").click()
    page.locator("dialog").get_by_role("button", name="Remove the user").click()
    expect(page.get_by_role("row", name="zhao")).to_have_count(0)

    assert logged_in
    assert theirs.request.get("/api/auth/me").status == 401
    theirs.close()


def test_a_token_is_shown_once_and_revoked(crowd: Stack, window: OpenWindow) -> None:
    speak(crowd, "en")
    page = window("/people/tokens")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name").fill("monitoring")
    page.locator("dialog").get_by_role("button", name="New token").click()
    secret = page.get_by_label("Token, shown this once").input_value()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)

    shown_later = secret in page.content()
    page.get_by_role("button", name="Revoke: monitoring").click()
    page.locator("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("row", name="monitoring")).to_have_count(0)

    assert secret.startswith("pdt_")
    assert not shown_later


def test_a_device_is_named_and_tagged_by_keyboard_alone(
    crowd: Stack, window: OpenWindow, phone: PhoneHandle
) -> None:
    speak(crowd, "en")
    page = window(f"/devices/{phone.address}")
    page.locator("aside h2").wait_for()

    page.get_by_label("Name", exact=True).fill("javascript:alert(1)")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type(f"rack B，{EVIL}")
    page.keyboard.press("Enter")
    expect(page.locator("article h2").first).to_have_text("javascript:alert(1)")
    tags = page.locator("article .tags .tag").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.locator("aside")).to_have_count(0)

    assert tags == ["rack B", EVIL]
    assert page.locator('a[href^="javascript:"], img[src="x"]').count() == 0


def test_a_changed_password_keeps_this_window_and_ends_the_others(
    crowd: Stack, browser: Browser
) -> None:
    with crowd.client() as client:
        body = {"name": "sun", "role": "viewer", "password": PASSWORD}
        user_id = client.post("/api/auth/users", json=body).json()["id"]
    login = {"username": "sun", "password": PASSWORD}
    here, there = (browser.new_context(base_url=crowd.url, locale="en-GB") for _ in range(2))
    assert all(each.request.post("/api/auth/login", data=login).ok for each in (here, there))
    page = here.new_page()
    page.goto("/#/people")

    page.get_by_role("button", name="Change password").click()
    page.get_by_label("Present password").fill("not this one")
    page.get_by_label("New password").fill("another long one")
    page.locator("dialog").get_by_role("button", name="Save").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("another one")
    page.get_by_label("Present password").fill(PASSWORD)
    page.locator("dialog").get_by_role("button", name="Save").click()
    expect(page.locator("dialog")).to_have_count(0)

    assert there.request.get("/api/auth/me").status == 401
    assert here.request.get("/api/auth/me").ok
    for each in (here, there):
        each.close()
    with crowd.client() as client:
        client.delete(f"/api/auth/users/{user_id}")
