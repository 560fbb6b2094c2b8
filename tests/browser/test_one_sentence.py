"""One sentence in the browser moves the phone: without a model, and with one behind HTTP."""

import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, picture, say, speak
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

SENTENCE = "打开设置，把 Wi-Fi 关掉"
WAIT_MS = 30_000
SWITCH = re.compile(r'switch "(Wi-Fi)[^"]*" (on|off)')

# how far the picture beside the chat is from the phone's own, as the mean of a small raster
DISTANCE = """async (serial) => {
  const raster = (image) => {
    const canvas = new OffscreenCanvas(27, 60)
    const pen = canvas.getContext('2d')
    pen.drawImage(image, 0, 0, 27, 60)
    return pen.getImageData(0, 0, 27, 60).data
  }
  const answer = await fetch(`/api/devices/${serial}/screenshot`)
  const now = raster(await createImageBitmap(await answer.blob()))
  const image = document.querySelector('.screen img')
  if (!image) return 255
  const shown = raster(image)
  return now.reduce((sum, value, at) => sum + Math.abs(value - shown[at]), 0) / now.length
}"""


@pytest.fixture(autouse=True)
def chinese(shared_stack: Stack) -> Iterator[None]:
    """Speak Chinese, and leave no model configured behind."""
    speak(shared_stack, "zh")
    yield
    with shared_stack.client() as client:
        client.put("/api/agent/config", json={"agent_provider": "", "agent_model": ""})


def expect_live_picture(page: Page, serial: str) -> None:
    wait_for(lambda: page.evaluate(DISTANCE, serial) < 8, "the live picture")


def see_a_thumbnail(page: Page) -> None:
    thumb = page.locator(".step .thumb img").first
    wait_for(lambda: thumb.evaluate("image => image.naturalWidth") > 0, "a thumbnail")


def turn_wifi_off(request: Request) -> Reply:
    """Do what a careful model would: read the screen, act on what it says, report what it saw."""
    seen = tool_texts(request)
    if not seen:
        return Reply(
            reasoning="先打开设置，再找 Wi-Fi。", calls=(Call("de_open_app", {"app": "设置"}),)
        )
    switch = SWITCH.findall(seen[-1])
    if switch and switch[-1][1] == "on":
        return Reply(calls=(Call("de_tap_text", {"text": "Wi-Fi"}), Call("de_ui_tree")))
    if switch:
        name, state = switch[-1]
        return Reply(content=f"完成了。\n\n| 开关 | 现在 |\n|---|---|\n| {name} | {state} |\n")
    if "网络和互联网" in seen[-1]:
        return Reply(calls=(Call("de_tap_text", {"text": "网络和互联网"}), Call("de_ui_tree")))
    return Reply(calls=(Call("de_ui_tree"),))


def test_without_a_model_the_sentence_is_done_watched_and_answered(
    window: OpenWindow, phone: PhoneHandle, shared_stack: Stack
) -> None:
    page = window()
    page.locator(".screen img").wait_for()
    assert phone.get("settings.wifi") is True

    say(page, SENTENCE)
    expect(page.locator(".md:not(.words)")).to_contain_text("已关闭", timeout=WAIT_MS)
    page.locator(".fold > summary").click()

    see_a_thumbnail(page)
    expect(page.locator(".step.ok").first).to_be_visible()
    expect(page.locator(".step.failed")).to_have_count(0)
    expect(page.locator(".pill")).to_have_count(0)
    expect_live_picture(page, shared_stack.addresses[0])
    assert phone.get("settings.wifi") is False
    picture(page, "one-sentence-offline")


def test_with_a_model_reasoning_steps_table_and_tokens_are_shown(
    window: OpenWindow, phone: PhoneHandle, shared_stack: Stack
) -> None:
    go_on = threading.Event()

    def in_two_parts(request: Request) -> Reply:
        if tool_texts(request):
            assert go_on.wait(timeout=40)  # so that the page can be looked at in the middle
        return turn_wifi_off(request)

    with PolicyModel(in_two_parts) as model, shared_stack.client() as client:
        settings = {
            "agent_provider": "openai",
            "agent_api_base": model.url,
            "agent_model": "policy",
            "agent_api_key": "sk-test-0123456789abcdef",
        }
        assert client.put("/api/agent/config", json=settings).status_code == 200
        page = window()
        say(page, SENTENCE)
        try:
            see_a_thumbnail(page)
            expect(page.locator(".step code").first).to_contain_text("de_open_app")
            expect(page.locator(".think")).to_contain_text("先打开设置")
            expect(page.locator(".pill")).to_be_visible()
            expect_live_picture(page, shared_stack.addresses[0])
            picture(page, "one-sentence-in-the-middle")
        finally:
            go_on.set()
        expect(page.locator(".md table")).to_contain_text("Wi-Fi", timeout=WAIT_MS)

        expect(page.locator(".md table")).to_contain_text("off")
        expect(page.locator(".foot")).to_contain_text("tokens")
        # what is learned of the run is asked after its end, without tools
        calls = sum("tools" in request for request in model.requests)
        expect(page.locator(".foot")).to_contain_text(f"{calls} 次调用")
        assert phone.get("settings.wifi") is False
        assert model.keys == ["sk-test-0123456789abcdef"] * len(model.requests)
        picture(page, "one-sentence-with-a-model")
