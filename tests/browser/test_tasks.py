"""Tasks by hand: steps put together, tried on the phone, saved, and changed by two at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import THEMES, OpenWindow, Theme, flaws_by_theme, picture, speak
from tests.browser.walk import CUT
from tests.stack import Stack
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"
PHONE_SIZE = (390, 844)
STEPS: list[dict[str, Any]] = [
    {"type": "open_app", "app": SETTINGS},
    {"type": "if_exists", "selector": {"text": "以后再说"}, "then": [
        {"type": "click", "selector": {"text": "以后再说"}, "note": "有时会弹出更新提示"},
    ]},
    {"type": "scroll_to", "selector": {"textContains": "声音"}},
    {"type": "click", "selector": {"textContains": "{{page}}"}, "alternatives": [{"text": "声音"}]},
    {"type": "assert", "selector": {"text": "铃声"}},
    {"type": "screenshot", "name": "结果"},
]  # fmt: skip
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def make(shared_stack: Stack) -> Iterator[Make]:
    """Save tasks; they are forgotten afterwards."""
    made = []
    with shared_stack.client() as client:

        def save(**change: Any) -> dict[str, Any]:
            body = {"name": "每日看声音设置", "steps": STEPS, "inputs": {"page": "声音"}, **change}
            answer = client.post("/api/tasks", json=body)
            assert answer.status_code == 201, answer.text
            made.append(answer.json()["task_id"])
            return dict(answer.json())

        yield save
        for task_id in made:
            client.delete(f"/api/tasks/{task_id}")
        client.post(f"/api/devices/{shared_stack.addresses[0]}/release")


def kinds(page: Page) -> list[str]:
    return page.locator(".editor .what b").all_inner_texts()


def check(page: Page, name: str, themes: tuple[Theme, ...] = THEMES) -> None:
    """Look at the page in each theme, and as a phone shows it."""
    page.emulate_media(reduced_motion="reduce")
    found = flaws_by_theme(page, name, themes)
    page.set_viewport_size({"width": PHONE_SIZE[0], "height": PHONE_SIZE[1]})
    picture(page, f"small-{name}")
    found += page.evaluate(CUT)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert found == []


def test_the_editor_can_be_used_by_everyone(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, make: Make
) -> None:
    speak(shared_stack, "zh")
    phone.start(SETTINGS)
    task = make(schedule={"cron": "0 8 * * *", "zone": "Asia/Shanghai"})
    page = window(f"/tasks/{task['task_id']}")
    expect(page.locator(".picker img")).to_be_visible()

    expect(page.get_by_role("group", name="时间").locator("p.mute")).to_contain_text("08:00")
    page.locator('[data-path="steps.3"]').click()
    page.get_by_role("button", name="从画面选").first.click()
    page.locator(".glass .box").first.wait_for()
    page.locator(".glass").click(position={"x": 80, "y": 150})
    expect(page.locator(".rank").first).to_be_visible()

    check(page, "task")
    picture_of_settings(page)


def picture_of_settings(page: Page) -> None:
    page.locator(".settings").scroll_into_view_if_needed()
    picture(page, "task-settings")


def test_a_task_is_run_watched_tried_again_and_found_in_the_history(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, make: Make
) -> None:
    speak(shared_stack, "en")
    missing = {"type": "click", "selector": {"text": "{{page}}"}, "timeout_s": 0.3}
    steps = [{"type": "open_app", "app": SETTINGS}, missing, {"type": "screenshot"}]
    task = make(
        steps=steps, inputs={"page": "nowhere"}, rows=[{"page": "声音"}, {"page": "nowhere"}]
    )
    page = window(f"/tasks/{task['task_id']}")
    page.emulate_media(reduced_motion="reduce")

    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("dialog").get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".matrix .tag.good")).to_be_visible(timeout=20_000)
    expect(page.locator(".matrix .tag.bad")).to_be_visible(timeout=20_000)
    cells = [
        [str(cell.get_attribute("class")).split()[-1] for cell in row.locator(".cell").all()]
        for row in page.locator(".matrix tbody tr").all()
    ]
    expect(page.locator(".chart rect")).to_have_count(2)
    check(page, "task-runs", ("light",))
    page.get_by_role("button", name="Retry the failed").click()
    expect(page.locator(".matrix tbody")).to_contain_text("try 2", timeout=20_000)
    page.goto("/#/monitor")
    expect(page.locator("tbody tr .tag.bad").first).to_be_visible()
    picture(page, "monitor")
    page.get_by_role("button", name="Steps of").first.click()
    expect(page.locator("dialog li").first).to_be_visible()
    check(page, "run", ("dark",))
    page.keyboard.press("Escape")
    page.goto("/#/tasks")
    expect(page.locator("tbody tr")).to_have_count(1)
    picture(page, "task-list")

    assert cells == [["good", "good", "good"], ["good", "bad", "none"]]


def test_a_task_is_put_together_by_keys_tried_on_the_phone_and_saved(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle
) -> None:
    speak(shared_stack, "en")
    page = window("/tasks/new")
    page.get_by_label("Name", exact=True).fill("Look at sound")
    for kind, value in (("click", "声音"), ("open_app", SETTINGS)):
        page.locator(".editor").get_by_role("button", name="Add a step").last.click()
        page.locator(f'[data-type="{kind}"]:visible').press("Enter")
        page.locator(".step.open .form input:not([type=checkbox])").first.fill(value)
    page.locator('[data-path="steps.1"]').press("Alt+ArrowUp")
    expect(page.locator(".editor .what b").first).to_have_text("Open app")

    page.get_by_role("button", name="Try all").click()
    expect(page.locator(".result.good")).to_have_count(2, timeout=15_000)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".tag.warn")).to_have_count(0)

    with shared_stack.client() as client:
        saved = client.get("/api/tasks").json()["items"][0]
        client.delete(f"/api/tasks/{saved['task_id']}")
    assert saved["steps"] == [
        {"type": "open_app", "app": SETTINGS},
        {"type": "click", "selector": {"text": "声音"}},
    ]
    assert phone.log()


def test_what_is_done_on_the_picture_becomes_steps(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle
) -> None:
    speak(shared_stack, "en")
    phone.start(SETTINGS)
    page = window("/tasks/new")
    screen = page.locator(".picker .screen")
    expect(screen.locator("img")).to_be_visible()

    page.get_by_role("button", name="Record").click()
    expect(page.get_by_role("button", name="Stop recording")).to_be_visible()
    box = screen.bounding_box() or {}
    screen.click(position={"x": box["width"] / 2, "y": box["height"] * 0.3})
    expect(page.locator(".editor .what")).to_have_count(1, timeout=10_000)
    page.get_by_role("button", name="Stop recording").click()

    assert kinds(page) == ["Tap"]
    assert page.locator(".editor .what code").inner_text() != ""
    assert len(phone.log()) == 1


def test_an_element_is_picked_from_the_picture(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, make: Make
) -> None:
    speak(shared_stack, "en")
    phone.start(SETTINGS)
    task = make()
    page = window(f"/tasks/{task['task_id']}")
    page.locator('[data-path="steps.4"]').click()

    page.get_by_role("button", name="Pick on the screen").first.click()
    page.get_by_label("Elements on the screen").select_option(index=3)
    wanted = page.locator(".rank code").first.inner_text()
    page.locator(".rank").first.click()

    shown = page.locator('[data-path="steps.4"] code').inner_text()
    assert shown == wanted
    expect(page.get_by_text("Not saved")).to_be_visible()


def test_what_the_server_refuses_stands_at_its_step(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, make: Make
) -> None:
    speak(shared_stack, "en")
    task = make()
    page = window(f"/tasks/{task['task_id']}")

    page.get_by_role("button", name="JSON", exact=True).click()
    text = page.get_by_label("Steps as JSON")
    text.fill(text.input_value().replace('"textContains": "声音"', '"txt": "声音"'))
    expect(page.locator(".json .bad")).to_contain_text("txt")
    line = page.locator(".json .bad").inner_text()
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.locator(".step.wrong")).to_have_count(1)

    assert "Line 2" in line
    assert page.locator(".step.wrong .num").inner_text() == "3"


def test_two_people_who_change_one_task_lose_nothing(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, make: Make
) -> None:
    speak(shared_stack, "en")
    task = make()
    page = window(f"/tasks/{task['task_id']}")
    page.get_by_label("Name", exact=True).fill("Mine")
    with shared_stack.client() as client:
        theirs = {name: task[name] for name in ("name", "steps", "inputs", "targets")}
        body = {
            **theirs,
            "steps": [*task["steps"], {"type": "press_key", "key": "home"}],
            "revision": 1,
        }
        assert client.put(f"/api/tasks/{task['task_id']}", json=body).is_success

        page.get_by_role("button", name="Save", exact=True).click()
        dialog = page.locator("dialog")
        expect(dialog).to_contain_text("Press key")
        expect(dialog).to_contain_text("Mine")
        picture(page, "conflict")
        dialog.get_by_role("button", name="Save mine on top").click()
        expect(page.get_by_text("Not saved")).to_have_count(0)
        page.get_by_role("link", name="Revisions").click()
        expect(page.locator("tbody tr")).to_have_count(3)
        page.get_by_role("button", name="Restore").first.click()
        page.locator("dialog").get_by_role("button", name="Restore").click()
        expect(page.locator("tbody tr")).to_have_count(4)
        now = client.get(f"/api/tasks/{task['task_id']}").json()

    assert (now["revision"], now["name"], len(now["steps"])) == (4, task["name"], 7)
