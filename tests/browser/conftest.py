"""Chromium on the real console: fonts and program of the machine, no downloads."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.walk import SHOW
from tests.stack import PASSWORD, ROOT, Stack, wait_for

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
OpenWindow = Callable[..., Page]

# what comes at once on a free machine takes its time on one that checks three files at a time
expect.set_options(timeout=15_000)
LIMIT_S = 120
HERE = Path(__file__).parent

#: What the composer lists of phones; the dot before it is the state of the chosen one.
PHONES = ".pick:has(.dot) option"
ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = ROOT / "web/console/node_modules/axe-core/axe.min.js"
TELL_REFUSED = """
addEventListener('securitypolicyviolation', (event) => {
  setTimeout(() => { throw new Error(`refused: ${event.violatedDirective} ${event.blockedURI}`) })
})
"""
#: All that another theme can change: test_pages proves that no style depends on it otherwise.
COLOURS = ["color-contrast", "link-in-text-block"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the walks through all pages first, so that one worker has them and the other the rest."""
    items.sort(key=lambda item: item.path.stem != "test_pages")
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.timeout(LIMIT_S))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the machine's Chromium when there is one, else what Playwright installed."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    program = {"executable_path": found} if found else {}
    return {**browser_type_launch_args, **program, "args": list(ARGS)}


@pytest.fixture
def open_browser(browser: Browser, shared_stack: Stack) -> Iterator[Callable[..., BrowserContext]]:
    """Open browsers of their own, logged in, in a theme and a window size.

    A script that breaks, and anything that the pages' policy refuses, fails the test.
    """
    opened: list[BrowserContext] = []
    broken: list[str] = []

    def make(
        theme: Theme = "light", size: tuple[int, int] = (1440, 900), user: str = "admin"
    ) -> BrowserContext:
        context = browser.new_context(
            base_url=shared_stack.url,
            color_scheme=theme,
            locale="zh-CN",
            viewport={"width": size[0], "height": size[1]},
        )
        opened.append(context)
        context.add_init_script(TELL_REFUSED)
        context.on("weberror", lambda found: broken.append(str(found.error)))
        login = {"username": user, "password": PASSWORD}
        assert context.request.post("/api/auth/login", data=login).ok
        return context

    yield make
    for context in opened:
        context.close()
    assert broken == []


@pytest.fixture
def window(open_browser: Callable[..., BrowserContext]) -> OpenWindow:
    """Open a page of the console in a browser of its own."""

    def make(place: str = "/", **choices: Any) -> Page:
        return open_page(open_browser(**choices), place)

    return make


def open_page(context: BrowserContext, place: str = "/") -> Page:
    """Open one more window of a browser."""
    page = context.new_page()
    page.goto(f"/#{place}")
    page.locator(".app").wait_for()
    return page


def speak(stack: Stack, lang: Literal["zh", "en"]) -> None:
    """Choose the administrator's language."""
    with stack.client() as client:
        assert client.put("/api/auth/me", json={"lang": lang}).is_success


def say(page: Page, words: str) -> None:
    """Say something in the chat, by keys."""
    page.get_by_label("指令").fill(words)
    expect(page.locator(".composer [type=submit]")).to_be_enabled()
    page.keyboard.press("Enter")


def stop_all_runs(stack: Stack) -> None:
    """Stop what a test left running, and wait until slot and phone are free for the next one."""
    with stack.client() as client:
        for run in client.get("/api/agent/run").json()["runs"]:
            client.post(f"/api/agent/run/{run['run_id']}/stop")
        wait_for(lambda: not client.get("/api/agent/run").json()["runs"], "the end of all runs")


def flaws(page: Page, rules: list[str] = RULES) -> list[str]:
    """Ask axe what a person with a screen reader or weak sight would stumble over."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    report = page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in report["violations"]
        for node in violation["nodes"]
    ]


def flaws_by_theme(page: Page, name: str, themes: tuple[Theme, ...] = THEMES) -> list[str]:
    """Look at the page in each theme; what only the first can show is asked once."""
    found = []
    for at, theme in enumerate(themes):
        page.evaluate(SHOW, theme)
        picture(page, f"{name}-{theme}")
        found += [f"{name} {theme}: {flaw}" for flaw in flaws(page, COLOURS if at else RULES)]
    return found


def picture(page: Page, name: str) -> None:
    """Keep a picture of the page for people to look at."""
    folder = Path("test-results/pages")
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png")
