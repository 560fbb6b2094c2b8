"""The one stream of a browser: it breaks, comes back, and nothing is lost or said twice."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PHONES, flaws, open_page, picture, say, speak
from tests.stack import Stack, wait_for
from virtual_phone.testing import PhoneHandle

NEVER_ENDS = "等待 「永远不会出现的字」"
#: Every event of a run that the leading window hands to the others, by its number.
LISTEN = """
window.heard = []
new BroadcastChannel('phonedeck-events').onmessage = ({data}) => {
  if (data.kind === 'event' && data.envelope.topic.startsWith('run:')) {
    window.heard.push(data.envelope.id)
  }
}
"""


def link(page: Page, state: str) -> None:
    expect(page.locator(f"[data-link={state}]")).to_be_visible(timeout=20_000)


def test_a_killed_server_is_said_and_its_return_loses_and_doubles_nothing(
    shared_stack: Stack, open_browser: Callable[..., BrowserContext], phone: PhoneHandle
) -> None:
    speak(shared_stack, "zh")
    context = open_browser()
    context.add_init_script(LISTEN)
    leader = open_page(context)
    expect(leader.locator(PHONES)).to_have_count(1)
    say(leader, NEVER_ENDS)
    expect(leader.locator(".step")).to_have_count(1)
    follower = open_page(context, leader.url.partition("#")[2])
    expect(follower.locator(".step")).to_have_count(1)
    link(follower, "live")

    shared_stack.kill("web")
    for page in (leader, follower):
        link(page, "reconnecting")
    picture(leader, "reconnecting")
    assert flaws(leader) == []
    shared_stack.start_web()
    for page in (leader, follower):
        link(page, "live")
        expect(page.locator(".run .error, .run .note").first).to_be_visible()
        expect(page.locator(".run")).to_have_count(1)

    with shared_stack.client() as client:
        wait_for(lambda: not client.get("/api/agent/run").json()["running"], "the end of the run")
        run = client.get("/api/agent/runs").json()["items"][0]["run_id"]
        log: list[dict[str, Any]] = client.get(f"/api/agent/runs/{run}/events").json()["items"]
    heard = leader.evaluate("heard")
    assert heard == sorted(set(heard))
    assert {each["id"] for each in log} <= set(heard)
    assert log[-1]["event"] == "error"


def test_whoever_tries_again_by_hand_need_not_wait(
    shared_stack: Stack, open_browser: Callable[..., BrowserContext], phone: PhoneHandle
) -> None:
    speak(shared_stack, "en")
    page = open_page(open_browser())
    link(page, "live")

    page.context.set_offline(True)
    link(page, "reconnecting")
    page.context.set_offline(False)
    page.locator(".link button").or_(page.locator("[data-link=live]")).first.click()

    link(page, "live")
