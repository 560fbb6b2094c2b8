"""What an operator does, done in a browser and judged by the phone's own state."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import PHONES, OpenWindow, open_page, picture, say, speak, stop_all_runs
from tests.stack import PASSWORD, Stack, wait_for
from virtual_phone.testing import PhoneHandle

WIFI_OFF = "打开设置，把 Wi-Fi 关掉"
NEVER_ENDS = "等待 「永远不会出现的字」"

Browsers = Callable[..., BrowserContext]


@pytest.fixture(autouse=True)
def chinese(shared_stack: Stack) -> Iterator[None]:
    """Speak Chinese, and stop what a test leaves running."""
    speak(shared_stack, "zh")
    yield
    stop_all_runs(shared_stack)


def test_one_sentence_is_said_watched_and_answered(window: OpenWindow, phone: PhoneHandle) -> None:
    page = window()

    say(page, WIFI_OFF)
    expect(page.locator(".fold > summary")).to_contain_text("步", timeout=30_000)
    page.locator(".fold > summary").click()

    expect(page.locator(".steps").first).to_contain_text("de_tap")
    expect(page.locator(".md:not(.words)")).to_be_visible()
    assert phone.get("settings.wifi") is False


def test_a_reload_in_the_middle_shows_the_whole_run_and_esc_stops_it(
    window: OpenWindow, phone: PhoneHandle
) -> None:
    page = window()
    say(page, NEVER_ENDS)
    expect(page.locator(".step")).to_have_count(1)

    page.reload()
    expect(page.locator(".said .bubble")).to_have_text(NEVER_ENDS)
    expect(page.locator(".step")).to_have_count(1)
    expect(page.locator(".pill")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.locator(".note")).to_contain_text("已停止")
    expect(page.locator(".pill")).to_have_count(0)
    expect(page.locator(".run")).to_have_count(1)


def test_two_windows_stay_in_step_over_one_stream(
    open_browser: Browsers, phone: PhoneHandle
) -> None:
    context = open_browser()
    streams: list[str] = []
    context.on("request", lambda asked: "/api/events" in asked.url and streams.append(asked.url))
    first = open_page(context)
    expect(first.locator(PHONES)).to_have_count(1)
    say(first, NEVER_ENDS)
    expect(first.locator(".step")).to_have_count(1)
    before = len(streams)

    second = open_page(context, first.url.partition("#")[2])
    expect(second.locator(".step")).to_have_count(1)
    opened = len(streams) - before
    first.close()
    expect(second.locator(".pill")).to_be_visible()
    second.get_by_role("button", name="停止", exact=True).click()

    expect(second.locator(".note")).to_contain_text("已停止")
    assert opened == 0


def test_while_a_run_goes_on_another_conversation_cannot_send(
    window: OpenWindow, phone: PhoneHandle
) -> None:
    page = window()
    say(page, NEVER_ENDS)
    expect(page.locator(".pill")).to_be_visible()

    page.get_by_role("button", name="新会话").click()
    page.get_by_label("指令").fill(WIFI_OFF)

    expect(page.get_by_role("button", name="发送")).to_be_disabled()
    expect(page.locator(".obstacle")).to_contain_text("还在运行")


def test_a_touch_on_the_picture_reaches_the_phone(window: OpenWindow, phone: PhoneHandle) -> None:
    page = window()
    expect(page.locator(".screen img")).to_be_visible()

    page.get_by_role("button", name="接管").click()
    expect(page.get_by_role("button", name="交还")).to_be_visible()
    page.locator(".screen").click()
    wait_for(lambda: bool(phone.log()), "the touch")
    page.get_by_role("button", name="交还").click()

    expect(page.get_by_role("button", name="接管")).to_be_visible()


def test_a_lost_login_leads_to_the_door_and_back(window: OpenWindow, phone: PhoneHandle) -> None:
    page = window("/devices")
    expect(page.locator(".device")).to_have_count(1)

    page.context.clear_cookies()
    page.reload()
    page.get_by_label("密码").fill(PASSWORD)
    page.keyboard.press("Enter")

    expect(page.locator(".device")).to_have_count(1)
    assert page.url.endswith("#/devices")


@pytest.mark.parametrize("by", ["key", "button"])
def test_what_the_agent_may_not_do_alone_is_asked_and_answered_on_the_spot(
    window: OpenWindow, shared_stack: Stack, phone: PhoneHandle, by: str
) -> None:
    phone.start("com.android.settings")
    with shared_stack.client() as client:
        client.put("/api/agent/config", json={"agent_autonomy": "confirm_all"})
    page = window()
    try:
        say(page, "回到桌面")
        card = page.locator(".ask.open")
        expect(card).to_contain_text("每一步都要确认")
        expect(card).to_contain_text("还剩")
        expect(page.locator(".step.waiting")).to_contain_text("等你确认")
        expect(page.locator(".pill")).to_contain_text("等")
        picture(page, f"asked-{by}")
        page.locator(".stream").focus()
        if by == "key":
            page.keyboard.press("y")
        else:
            card.get_by_role("button", name="允许", exact=False).first.click()
        expect(page.locator(".ask")).to_contain_text("已回答：允许")
        expect(page.locator(".step.waiting")).to_have_count(0)
        expect(page.locator(".fold > summary")).to_be_visible(timeout=30_000)
    finally:
        with shared_stack.client() as client:
            client.put("/api/agent/config", json={"agent_autonomy": "confirm_risky"})

    assert phone.get("system.foreground") != "com.android.settings"


def test_a_person_takes_the_phone_out_of_a_run_and_gives_it_back(
    window: OpenWindow, shared_stack: Stack, phone: PhoneHandle
) -> None:
    page = window()
    say(page, NEVER_ENDS)
    expect(page.locator(".step")).to_have_count(1)

    page.locator(".right .take").click()
    expect(page.locator(".ask.open")).to_contain_text("接管了手机")
    expect(page.locator(".right .take")).to_contain_text("交还")
    picture(page, "taken-over")
    page.locator(".right .take").click()

    expect(page.locator(".ask")).to_contain_text("已回答：交还")
    with shared_stack.client() as client:
        wait_for(
            lambda: client.get("/api/agent/run").json()["run"]["status"] == "running",
            "the run to go on",
        )
