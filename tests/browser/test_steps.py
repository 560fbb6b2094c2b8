"""Step cards: pictures before and after in the enlarged view, and what an act was about."""

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import OpenWindow, flaws, picture, say, speak
from tests.stack import Stack
from virtual_phone.testing import PhoneHandle

WAIT_MS = 30_000


@pytest.fixture(autouse=True)
def chinese(shared_stack: Stack) -> None:
    speak(shared_stack, "zh")


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


def png(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (640, 480), colour).save(out, "PNG")
    return out.getvalue()


# what a person does who pastes a picture, or drops a file: the browser makes the event
GIVE = """([selector, kind, name, mime]) => {
  const data = new DataTransfer()
  data.items.add(new File(['<b>hello</b>'], name, { type: mime }))
  const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data }
  const event = kind === 'paste' ? new ClipboardEvent(kind, init) : new DragEvent(kind, init)
  document.querySelector(selector).dispatchEvent(event)
}"""


def test_files_come_with_a_message_and_are_still_there_after_a_reload(
    window: OpenWindow, phone: PhoneHandle, tmp_path: Path
) -> None:
    page = window()
    (tmp_path / "布局 <b>图.png").write_bytes(png("teal"))
    with (tmp_path / "太大.bin").open("wb") as large:
        large.truncate(10 * 1024 * 1024 + 1)
    expect(page.get_by_role("button", name="添加附件")).to_be_enabled()
    page.locator("input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    page.evaluate(GIVE, ["textarea", "paste", "粘贴.txt", "text/plain"])
    page.evaluate(GIVE, [".composer .box", "drop", "不要.txt", "text/plain"])
    draft = page.locator(".composer .file")
    expect(draft).to_have_count(4)
    expect(draft.filter(has_text="太大.bin")).to_contain_text("超过 10 MB")
    expect(draft.locator("progress")).to_have_count(0)
    picture(page, "attachments-draft")
    page.get_by_role("button", name="移除 不要.txt").click()
    say(page, "回到桌面")
    expect(page.locator(".md:not(.words)")).to_contain_text("看不了附件", timeout=WAIT_MS)
    page.reload()

    said = page.locator(".said")
    expect(said.locator("a.file")).to_contain_text("粘贴.txt")
    expect(said.locator(".shot img")).to_have_js_property("naturalWidth", 640)
    found = flaws(page)
    picture(page, "attachments-said")
    said.locator(".shot").click()
    expect(page.locator("dialog[open] b")).to_have_text("布局 <b>图.png")
    assert found == []
