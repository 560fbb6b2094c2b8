"""What a model, a phone or a stranger wrote stays text, wherever the console shows it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, picture, speak
from tests.browser.hostile import MARK, seeded
from tests.browser.walk import CUT, walk
from tests.stack import Stack

SMALL = (390, 844)
#: Places that show some of what was seeded; others may.
SHOWING = ("/devices", "/people/", "/settings", "/memory/actions", "/memory/experiences")

#: What would run: handlers, addresses that are programs, and elements that load something.
LIVE = """() => [...document.querySelectorAll('*')].flatMap(node => [...node.attributes]
  .filter(({ name, value }) => name.startsWith('on')
    || /^(href|src|action|formaction|srcdoc|xlink:href)$/.test(name)
      && /^\\s*(javascript|vbscript|data:text)/i.test(value))
  .map(({ name, value }) => `${node.tagName} ${name}=${value.slice(0, 60)}`))
  .concat([...document.querySelectorAll('iframe, object, embed, main img[src^=http]')]
    .map(node => node.outerHTML.slice(0, 80)))"""
#: Text that turns the direction of writing, in an element that lets it out to its neighbours.
LEAKING = """() => {
  const texts = document.createTreeWalker(document.querySelector('.app'), NodeFilter.SHOW_TEXT)
  const found = []
  while (texts.nextNode()) {
    const { data, parentElement: node } = texts.currentNode
    const { display, unicodeBidi } = getComputedStyle(node)
    const held = display !== 'inline' || /isolate|plaintext/.test(unicodeBidi)
    if (data.includes('\\u202e') && !held) found.push(node.outerHTML.slice(0, 160))
  }
  return found
}"""


@pytest.fixture
def evil(shared_stack: Stack) -> Iterator[str]:
    with seeded(shared_stack) as conv:
        yield conv


def test_hostile_text_stays_text_on_every_page(
    shared_stack: Stack, window: OpenWindow, evil: str
) -> None:
    speak(shared_stack, "zh")
    page: Page = window("/", size=SMALL)
    opened: list[str] = []
    page.on("dialog", lambda dialog: opened.append(dialog.message) or dialog.dismiss())
    page.context.expose_function("pwned", lambda: opened.append("a script ran"))
    found: dict[str, Any] = {}

    for place in walk(page, {"chat": ["/", f"/chat/{evil}"], "people": ["/people/users"]}):
        if place == f"/chat/{evil}":
            unfold(page)
        if place.startswith((f"/chat/{evil}", *SHOWING)):
            shown = page.locator("main").get_by_text(MARK).filter(visible=True)
            expect(shown.first).to_be_visible()
        name = "-".join(place.strip("/").split("/")[:2])[:20] or "new"
        picture(page, f"hostile-{name}")
        for what, script in {"live": LIVE, "cut": CUT, "turned": LEAKING}.items():
            found[f"{place} {what}"] = page.evaluate(script)

    assert opened == []
    assert {place: each for place, each in found.items() if each} == {}


def unfold(page: Page) -> None:
    """Show all of the conversation: reasoning, steps, what was asked."""
    expect(page.locator(".ask").first).to_be_visible()
    page.evaluate(
        "document.querySelectorAll('main details:not([open]) > summary')"
        ".forEach(fold => fold.click())"
    )
    expect(page.locator(".step")).to_have_count(2)
