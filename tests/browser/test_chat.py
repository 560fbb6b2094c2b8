"""The chat: many messages, edits, what was added, and a picture that stands still."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Response, Route, expect

from core import conversations
from core.db import Database
from core.models import ConversationMessage, Run
from core.runs import store
from core.runs.log import Entry
from tests.browser.conftest import OpenWindow, flaws, open_page, picture, say, speak, stop_all_runs
from tests.policy_model import Call, PolicyModel, Reply, Request, last_user, tool_texts
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

MESSAGES, STEPS = 500, 200
FIRST_LOAD_BYTES = 120 * 1024
MOVED = """
() => {
  window.moved = 0
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.moved += shift.value
  }).observe({ type: 'layout-shift', buffered: true })
}
"""
NOTICE_CHANGES = """
() => {
  window.touched = new Set()
  const everything = { subtree: true, childList: true, characterData: true, attributes: true }
  new MutationObserver((changes) => {
    for (const change of changes) window.touched.add(change.target.closest?.('.turn') ?? 'outside')
  }).observe(document.querySelector('.stream'), everything)
}
"""
TOP = "(node) => node.getBoundingClientRect().top"


@pytest.fixture(autouse=True)
def chinese(shared_stack: Stack) -> Iterator[None]:
    """Speak Chinese, and stop what a test leaves running."""
    speak(shared_stack, "zh")
    yield
    stop_all_runs(shared_stack)
    with shared_stack.client() as client:
        client.put("/api/agent/config", json={"agent_provider": "", "agent_model": ""})


@pytest.fixture
def long_talk(shared_stack: Stack) -> Iterator[str]:
    """Keep a conversation of 500 messages, whose last run took 200 steps."""
    db = Database(f"sqlite:///{shared_stack.data}/phonedeck.db")
    conv_id = conversations.create(db, "很长的会话")["id"]
    step = {"tool": "de_tap_text", "args": {"text": "下一页"}, "ok": True, "ms": 40, "text": "好"}
    with db.write() as session:
        for n in range(MESSAGES // 2):
            run = Run(conv_id=conv_id, status="done", prompt=f"第 {n} 句")
            session.add(run)
            session.flush()
            last = n == MESSAGES // 2 - 1
            extra = {"steps": STEPS, "ms": 8000} if last else {"steps": 0, "ms": 1}
            say = {"conv_id": conv_id, "run_id": run.id}
            session.add(ConversationMessage(**say, role="user", content=f"第 {n} 句"))
            answer = f"第 {n} 个回答。\n\n- 一\n- 二\n\n| 甲 | 乙 |\n|---|---|\n| {n} | 好 |\n"
            session.add(ConversationMessage(**say, role="assistant", content=answer, extra=extra))
            session.flush()
    steps = [Entry(n, "step", json.dumps({"n": n, **step})) for n in range(1, STEPS + 1)]
    store.store_events(db, run.id, [*steps, Entry(STEPS + 1, "done", '{"answer": "好"}')])
    yield conv_id
    conversations.remove(db, conv_id)
    db.close()


def packed(response: Response) -> int:
    """Return how many bytes an answer is with gzip."""
    return len(gzip.compress(response.body())) if "/static/dist/" in response.url else 0


def use(stack: Stack, model: PolicyModel) -> None:
    settings = {
        "agent_provider": "openai",
        "agent_api_base": model.url,
        "agent_model": "policy",
        "agent_api_key": "sk-test-0123456789abcdef",
        "agent_prices": {"policy": {"input": 2, "output": 8, "currency": "CNY"}},
    }
    with stack.client() as client:
        assert client.put("/api/agent/config", json=settings).status_code == 200


def test_five_hundred_messages_come_in_pages_and_nothing_jumps(
    window: OpenWindow, long_talk: str
) -> None:
    page = window(f"/chat/{long_talk}")
    turns = page.locator(".turn")
    expect(turns.last).to_be_in_viewport()
    at_first = turns.count()
    newest = page.get_by_role("button", name="回到最新")

    held: list[Route] = []
    page.route("**/conversations/*before=*", lambda route: held.append(route))
    mark = page.get_by_text(f"第 {(MESSAGES - conversations.LOADED) // 2 + 1} 句", exact=True)
    mark.scroll_into_view_if_needed()
    page.wait_for_timeout(100)  # turns that come into sight take their heights
    before = mark.evaluate(TOP)
    wait_for(lambda: page.locator(".older:disabled").count() and held, "the question for more")
    held[0].continue_()
    expect(turns).to_have_count(2 * conversations.LOADED)
    after = mark.evaluate(TOP)

    assert at_first == conversations.LOADED
    assert abs(after - before) < 2
    newest.click()
    expect(turns.last).to_be_in_viewport()


def test_typing_and_unfolding_leave_the_rest_of_a_long_conversation_alone(
    window: OpenWindow, long_talk: str
) -> None:
    page = window(f"/chat/{long_talk}")
    page.locator(".turn").last.wait_for()
    page.evaluate(NOTICE_CHANGES)

    page.get_by_label("指令").press_sequentially("打开设置，把 Wi-Fi 关掉")
    typed = page.evaluate("window.touched.size")
    folded = page.locator(".step").count()
    page.locator(".fold > summary").click()
    expect(page.locator(".step")).to_have_count(STEPS)
    unfolded = page.evaluate("window.touched.size")

    assert (typed, folded, unfolded) == (0, 0, 1)


def test_while_an_answer_streams_nothing_moves_and_the_reader_is_left_alone(
    window: OpenWindow, shared_stack: Stack, phone: PhoneHandle, long_talk: str
) -> None:
    go_on = threading.Event()

    def talkative(request: Request) -> Reply:
        if tool_texts(request):
            assert go_on.wait(timeout=40)
            return Reply(content="这是回答的一行。\n\n" * 40, trickle_s=0.002)
        look = (Call("de_screenshot"),)
        words = "先说一行。\n\n" * 40
        return Reply(words, "先看看屏幕。" * 30, look, trickle_s=0.002)

    with PolicyModel(talkative) as model:
        use(shared_stack, model)
        page = window(f"/chat/{long_talk}")
        expect(page.locator(".screen img")).to_be_visible()
        page.evaluate(MOVED)
        say(page, "看一看")
        try:
            expect(page.locator(".turn.live .step.ok .thumb img")).to_have_count(1)
            expect(page.locator(".working")).to_be_in_viewport()
            mark = page.get_by_text(f"第 {MESSAGES // 2 - 4} 句", exact=True)
            mark.scroll_into_view_if_needed()
            before = mark.evaluate(TOP)
        finally:
            go_on.set()
        expect(page.locator(".turn.live")).to_have_count(0, timeout=30_000)
        after = mark.evaluate(TOP)
        page.get_by_role("button", name="回到最新").click()
        expect(page.locator(".foot").last).to_be_in_viewport()
        expect(page.locator(".foot").last).to_contain_text("¥")
        expect(page.locator(".top .tokens")).to_contain_text("¥")
        picture(page, "chat-after-streaming")

    assert abs(after - before) < 2
    assert page.evaluate("window.moved") <= 0.02


def test_what_is_added_to_a_run_is_shown_at_once_and_marked_when_it_is_read(
    window: OpenWindow, shared_stack: Stack, phone: PhoneHandle
) -> None:
    go_on = threading.Event()

    def patient(request: Request) -> Reply:
        if last_user(request) == "用英文说":
            return Reply(content="In English.")
        if tool_texts(request):
            assert go_on.wait(timeout=40)
        return Reply(calls=(Call("de_current_app"),))

    with PolicyModel(patient) as model:
        use(shared_stack, model)
        page = window()
        say(page, "看一看")
        try:
            expect(page.locator(".step.ok")).to_have_count(1)
            say(page, "用英文说")
            added = page.locator(".added")
            expect(added).to_contain_text("等待读取")
            second = open_page(page.context, page.url.partition("#")[2])
            expect(second.locator(".added")).to_contain_text("等待读取")
            picture(page, "added-and-waiting")
        finally:
            go_on.set()
        expect(page.locator(".md:not(.words)").last).to_contain_text("In English.", timeout=30_000)

    expect(page.locator(".said .bubble")).to_have_text(["看一看", "用英文说"])


def test_a_message_is_said_again_and_what_it_replaced_is_folded(
    window: OpenWindow, shared_stack: Stack, phone: PhoneHandle
) -> None:
    def echo(request: Request) -> Reply:
        users = [m["content"] for m in request["messages"] if m["role"] == "user"]
        return Reply(content=f"听到 {len(users)} 句，最后是 {users[-1]}")

    with PolicyModel(echo) as model:
        use(shared_stack, model)
        page = window()
        for words in ("第一句", "打错的句子"):
            say(page, words)
            expect(page.locator(".md").last).to_contain_text(words)
            expect(page.locator(".foot").last).to_contain_text("tokens")
        said = page.locator(".said").last
        said.hover()
        said.get_by_role("button", name="修改后重发").click()
        picture(page, "editing")
        page.keyboard.press("Escape")
        expect(said.get_by_role("button", name="修改后重发")).to_be_focused()
        page.keyboard.press("Enter")
        page.locator(".edit textarea").fill("改好的句子")
        page.keyboard.press("Enter")
        expect(page.locator(".turn > .run .md").last).to_have_text("听到 2 句，最后是 改好的句子")

    expect(page.locator(".turn > .said .bubble")).to_have_text(["第一句", "改好的句子"])
    page.locator(".replaced > summary").click()
    expect(page.locator(".replaced .bubble")).to_have_text("打错的句子")
    picture(page, "edited")
    assert flaws(page) == []
    page.locator(".foot").last.get_by_role("button", name="再来一次").click()
    expect(page.locator(".turn > .said .bubble")).to_have_count(3)


def test_a_search_shows_the_place_and_leads_there(window: OpenWindow, long_talk: str) -> None:
    page = window()
    expect(page.locator(".conv").first).to_be_visible()

    page.keyboard.press("Control+k")
    page.keyboard.type("第 77 个回答")
    expect(page.locator(".conv")).to_have_count(1)
    expect(page.locator(".snippet mark")).to_have_text("第 77 个回答")
    picture(page, "search")
    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("很长的会话")
    expect(page.get_by_label("指令")).to_be_focused()


def test_the_first_load_of_the_chat_is_small(open_browser: Callable[..., BrowserContext]) -> None:
    context, loaded = open_browser(), dict[str, int]()
    context.on("response", lambda got: loaded.setdefault(got.url, packed(got)))

    page = open_page(context)
    expect(page.get_by_label("指令")).to_be_visible()

    assert sum(size > 0 for size in loaded.values()) > 4
    assert sum(loaded.values()) <= FIRST_LOAD_BYTES, loaded
