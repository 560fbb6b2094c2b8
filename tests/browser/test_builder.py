"""AI builds a task in the browser: explored, checked, confirmed; and a mended step is decided."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, flaws_by_theme, picture, say, speak
from tests.browser.walk import CUT
from tests.designing import APP, MENDING, POST, WORD, mend
from tests.policy_model import Call, PolicyModel, Reply, Request, last_user, tool_texts
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

PHONE_SIZE = (390, 844)
PROMPT = "每天看看小集里有没有新的咖啡计划"
TASK: dict[str, Any] = {
    "name": "看咖啡计划",
    "steps": [
        {"type": "close_app", "app": APP},
        {"type": "open_app", "app": APP},
        {
            "type": "input_text",
            "text": "{{word}}",
            "selector": {"resourceId": "search"},
            "clear": True,
        },
        {"type": "click", "selector": {"text": "搜索"}, "timeout_s": 0.5},
        {"type": "scroll_to", "selector": {"text": POST}},
    ],
    "inputs": {"word": WORD},
}


def knows_the_way(request: Request) -> Reply:
    """Look once and hand the whole task in; mend a step as the designing policy does."""
    if MENDING in last_user(request):
        return mend(last_user(request))
    if not tool_texts(request):
        return Reply(reasoning="先看看屏幕。", calls=(Call("de_ui_tree"), Call("de_current_app")))
    steps = [*TASK["steps"], {"type": "click_xy", "x": 0.5, "y": 0.02}]
    return Reply(calls=(Call("submit_task", {**TASK, "steps": steps}),))


@pytest.fixture
def brain(shared_stack: Stack) -> Iterator[PolicyModel]:
    """Let the console's agent be the policy; afterwards it has no model again."""
    with PolicyModel(knows_the_way) as model, shared_stack.client() as client:
        chosen = {"agent_api_base": model.url, "agent_model": "policy", "agent_api_key": "sk-test"}
        assert client.put("/api/agent/config", json=chosen).is_success
        yield model
        client.put("/api/agent/config", json={"agent_model": ""})


def check(page: Page, name: str) -> None:
    """Look at the page in both themes and as a phone shows it."""
    page.emulate_media(reduced_motion="reduce")
    found = flaws_by_theme(page, name)
    page.set_viewport_size({"width": PHONE_SIZE[0], "height": PHONE_SIZE[1]})
    picture(page, f"small-{name}")
    found += page.evaluate(CUT)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert found == []


def test_a_task_is_explored_checked_and_opened_in_the_editor(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, brain: PolicyModel
) -> None:
    speak(shared_stack, "zh")
    page = window("/build")
    page.locator(".say textarea").fill(PROMPT)
    page.get_by_role("button", name="开始探索").click()

    expect(page.locator(".check b")).to_contain_text("6", timeout=20_000)
    proved = page.locator(".draft header .tag.good")
    expect(proved).to_be_visible(timeout=20_000)
    check(page, "builder-zh")
    page.get_by_role("button", name="在编辑器中确认").click()

    expect(page.locator("input.title")).to_have_value(TASK["name"])
    expect(page.locator(".editor .what b")).to_have_count(6)
    assert len(brain.requests) == 2


def test_a_mended_step_waits_with_its_pictures_until_somebody_accepts_it(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle, brain: PolicyModel
) -> None:
    speak(shared_stack, "en")
    phone.set("xiaoji.renewed", True)
    with shared_stack.client() as client:
        targets = {"serials": [shared_stack.addresses[0]]}
        body = {**TASK, "targets": targets, "policy": {"heal": True}}
        task_id = client.post("/api/tasks", json=body).json()["task_id"]
        [run_id] = client.post(f"/api/tasks/{task_id}/run", json={}).json()["run_ids"]
        wait_for(lambda: client.get(f"/api/runs/{run_id}").json()["ended"], "the run's end")
        page = window(f"/tasks/{task_id}")
        expect(page.locator(".proposal .shot img")).to_have_count(2)
        check(page, "proposal-en")
        page.locator(".proposal .btn.primary").click()

        expect(page.locator(".proposal")).to_have_count(0)
        kept = client.get(f"/api/tasks/{task_id}").json()
        client.delete(f"/api/tasks/{task_id}")
    assert kept["revision"] == 2
    assert kept["steps"][3]["selector"] == {"resourceId": f"{APP}:id/find"}


def test_what_a_chat_did_is_saved_as_a_task_from_under_its_answer(
    shared_stack: Stack, window: OpenWindow, phone: PhoneHandle
) -> None:
    speak(shared_stack, "zh")
    page = window("/")
    page.locator(".screen img").wait_for()
    say(page, "打开设置")
    page.get_by_role("button", name="存为任务").click(timeout=20_000)

    expect(page.locator(".draft header .tag.good")).to_be_visible(timeout=20_000)
    assert page.locator(".draft ol > li .kind").all_inner_texts() == ["按键", "点击"]
