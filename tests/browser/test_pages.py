"""Every page in both themes and languages: axe finds nothing, keys reach all, 390 px are enough.

A picture of each is kept for people to look at.
"""

import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import THEMES, OpenWindow, Theme, flaws_by_theme, picture, speak
from tests.browser.walk import CUT, unreached, walk
from tests.stack import PASSWORD, ROOT, Stack, follow

Lang = Literal["zh", "en"]
LARGE, PHONE_SIZE = (1440, 900), (390, 844)
#: Buttons that are shown and cannot be pressed.
DEAD = """[...document.querySelectorAll('button:disabled')]
  .filter(node => node.checkVisibility()).map(node => node.outerHTML.slice(0, 160))"""
STYLES = ROOT / "static/dist/assets"


@pytest.fixture(scope="module")
def talk(shared_stack: Stack) -> str:
    """Hold a conversation with one finished run and return its id."""
    with shared_stack.client() as client:
        body = {"prompt": "打开设置，把 Wi-Fi 关掉", "serial": shared_stack.addresses[0]}
        started: dict[str, Any] = client.post("/api/agent/run", json=body).json()
        list(follow(client, started["run_id"]))
    return str(started["conv_id"])


@pytest.fixture
def places(shared_stack: Stack, talk: str) -> dict[str, list[str]]:
    """Say where each view shows a seeded thing, if no link of its own leads there."""
    return {
        "chat": ["/", f"/chat/{talk}"],
        "people": ["/people/users"],
        "devices": ["/devices", f"/devices/{shared_stack.addresses[0]}"],
    }


def seeded(page: Page, place: str) -> None:
    """Wait for what was seeded, so that a page is never looked at while it is empty."""
    if place.startswith("/chat/"):
        expect(page.locator(".screen img")).to_be_visible()
        page.locator(".fold > summary").first.click()
        expect(page.locator(".step").first).to_be_visible()
    elif place.startswith("/devices"):
        expect(page.locator(".device .shot img")).to_be_visible()
    elif place.startswith("/people"):
        expect(page.locator("tbody td").first).to_be_visible()


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def test_a_theme_changes_colours_and_nothing_else() -> None:
    styles = "".join(file.read_text(encoding="utf-8") for file in STYLES.glob("*.css"))

    themed = re.findall(r"[^{}]*data-theme[^{}]*{([^{}]*)}", styles)

    assert sorted(themed) == ["color-scheme:dark", "color-scheme:light"]
    assert "prefers-color-scheme" not in styles


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_page_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, places: dict[str, list[str]], lang: Lang
) -> None:
    speak(shared_stack, lang)
    page = window("/")
    page.emulate_media(reduced_motion="reduce")  # else colours are caught on their way
    found, seen = [], []

    for place in walk(page, places):
        seeded(page, place)
        name = "-".join(place.strip("/").split("/")[:2]).replace(":", "_") or "new"
        seen.append(place)
        found += flaws_by_theme(page, f"{name}-{lang}")
        resize(page, PHONE_SIZE)
        picture(page, f"small-{name}-{lang}")
        found += [f"{name} is cut at 390 px: {each}" for each in page.evaluate(CUT)]
        resize(page, LARGE)

    assert found == []
    assert len(seen) >= 7


def test_every_control_is_reached_by_keys(
    shared_stack: Stack, window: OpenWindow, places: dict[str, list[str]]
) -> None:
    page = window("/")
    missed = {}

    for place in walk(page, places):
        seeded(page, place)
        missed[place] = unreached(page)

    assert [each for each in missed.items() if each[1]] == []


def test_who_may_only_look_finds_no_dead_button(
    shared_stack: Stack, window: OpenWindow, places: dict[str, list[str]]
) -> None:
    with shared_stack.client() as client:
        body = {"name": "vera", "role": "viewer", "password": PASSWORD}
        made = client.post("/api/auth/users", json=body).json()
    page = window("/", user="vera")
    dead = {}

    for place in walk(page, {**places, "people": ["/people/sessions"]}):
        dead[place] = page.evaluate(DEAD)
    with shared_stack.client() as client:
        client.delete(f"/api/auth/users/{made['id']}")

    assert len(dead) >= 7
    assert [each for each in dead.items() if each[1]] == []


def test_a_small_window_names_its_page_and_leads_to_the_others(
    shared_stack: Stack, window: OpenWindow
) -> None:
    speak(shared_stack, "zh")
    page = window("/devices", size=PHONE_SIZE)
    menu = page.get_by_role("button", name="主导航")
    expect(menu).to_have_text("设备")

    menu.click()
    entries = page.locator("[popover]:popover-open a")
    expect(entries.first).to_be_focused()
    picture(page, "small-menu")
    assert flaws_by_theme(page, "small menu") == []
    entries.filter(has_text="人员").click()

    expect(menu).to_have_text("人员")
    expect(page).to_have_url(re.compile("#/people"))


@pytest.mark.parametrize("theme", THEMES)
def test_a_small_window_shows_one_column(
    shared_stack: Stack, window: OpenWindow, talk: str, theme: Theme
) -> None:
    speak(shared_stack, "zh")

    page = window(f"/chat/{talk}", theme=theme, size=PHONE_SIZE)
    expect(page.locator(".fold")).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert flaws_by_theme(page, "small", (theme,)) == []
    page.get_by_role("button", name="会话", exact=True).click()
    expect(page.locator(".conv").first).to_be_in_viewport()

    assert width <= PHONE_SIZE[0]


@pytest.mark.parametrize("theme", THEMES)
def test_the_login_can_be_used_by_everyone(
    shared_stack: Stack, browser: Browser, theme: Theme
) -> None:
    context = browser.new_context(base_url=shared_stack.url, color_scheme=theme, locale="zh-CN")
    page = context.new_page()

    page.goto("/login")
    page.get_by_label("密码").fill("not this one")
    page.get_by_role("button", name="登录", exact=True).click()
    expect(page.locator(".error")).to_contain_text("bad_login")

    assert flaws_by_theme(page, "login", (theme,)) == []
    context.close()
