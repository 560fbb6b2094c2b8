"""The console is killed in the middle of an approval and comes back; the page loses nothing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import open_page, picture, speak
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from tests.stack import PASSWORD, Stack
from virtual_phone.testing import PhoneHandle

WAIT_MS = 30_000


def goes_home(request: Request) -> Reply:
    """Look, then ask for something that has to be allowed."""
    if not tool_texts(request):
        return Reply("我先看一下屏幕。", "先看，再回到桌面。", (Call("de_ui_tree"),))
    return Reply(calls=(Call("de_press_key", {"key": "home"}),))


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """Open a page of the console that can be killed, over a model that asks to be allowed."""
    with PolicyModel(goes_home) as model, stack.client() as client:
        settings = {
            "agent_provider": "openai",
            "agent_api_base": model.url,
            "agent_model": "policy",
            "agent_api_key": "sk-test-0123456789abcdef",
            "agent_autonomy": "confirm_all",
        }
        assert client.put("/api/agent/config", json=settings).is_success
        speak(stack, "zh")
        context = browser.new_context(
            base_url=stack.url, locale="zh-CN", viewport={"width": 1440, "height": 900}
        )
        login = {"username": "admin", "password": PASSWORD}
        assert context.request.post("/api/auth/login", data=login).ok
        yield open_page(context)
        context.close()


def test_a_console_killed_while_it_asks_comes_back_with_everything_that_was_done(
    page: Page, stack: Stack, phone: PhoneHandle
) -> None:
    page.get_by_label("指令").fill("看一看，然后回到桌面")
    expect(page.locator(".composer [type=submit]")).to_be_enabled()
    page.keyboard.press("Enter")
    card = page.locator(".ask")
    expect(card).to_contain_text("还剩")

    page.reload()
    second = open_page(page.context, page.url.partition("#")[2])
    for window in (page, second):
        expect(window.locator(".ask.open")).to_contain_text("还剩")
        expect(window.locator(".step")).to_have_count(2)
        expect(window.locator(".step.waiting")).to_have_count(1)
    stack.kill("web")
    expect(page.locator("[data-link=reconnecting]")).to_be_visible(timeout=WAIT_MS)
    picture(page, "console-gone")
    stack.start_web()

    expect(page.locator(".error")).to_contain_text("interrupted", timeout=WAIT_MS)
    page.reload()
    expect(page.locator(".fold .step")).to_have_count(2)
    expect(page.locator(".step").first).to_contain_text("de_ui_tree")
    expect(card).to_contain_text("控制台重启了，这次询问随之作废")
    expect(page.locator(".choices button")).to_have_text(["接着做", "重新开始", "不再继续"])
    expect(page.locator(".said .bubble")).to_have_text("看一看，然后回到桌面")
    picture(page, "interrupted")
    page.get_by_role("button", name="接着做").click()
    expect(page.locator(".ask.open")).to_contain_text("还剩", timeout=WAIT_MS)
    page.get_by_role("button", name="停止", exact=True).click()
    expect(page.locator(".note")).to_contain_text("已停止")
