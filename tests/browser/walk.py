"""The way through every page of the console, also through those that are new in its router."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from playwright.sync_api import Page

from tests.stack import ROOT

ROUTER = ROOT / "web/console/stores/page.ts"
PARTS_OF_A_VIEW = 6

#: There is something to read and nothing is being loaded; a run may go on.
SETTLED = """() => {
  const main = document.querySelector('main')
  const shown = [...(main?.querySelectorAll('img') ?? [])].every(each => each.complete)
  return main?.innerText.trim() && shown && !main.querySelector('.spin:not(.run .spin)')
}"""
MOST_TABS = 400
#: Change the theme, and wait until it is painted.
SHOW = """theme => new Promise(painted => {
  document.documentElement.dataset.theme = theme
  requestAnimationFrame(() => setTimeout(painted, 60))
})"""
#: What stands out of the window at the right, but for what ends in dots, and for what a person
#: may well move sideways: code, tables and rows of links. A list that scrolls down would hide it.
CUT = """() => {
  const aside = style => style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
    || style.clipPath !== 'none'
  const held = node => node && (node.matches('pre, code, .block, nav, [tabindex="0"]')
    || aside(getComputedStyle(node)) || held(node.parentElement))
  const seen = { opacityProperty: true, visibilityProperty: true }
  return [...document.querySelectorAll('.app *')]
    .filter(node => node.checkVisibility(seen) && !held(node))
    .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
    .map(node => node.outerHTML.slice(0, 160))
}"""
#: Give every control that a key should reach a number, and say how many there are.
NUMBER = """() => {
  const controls = 'a[href], button, input:not([type=radio]), [type=radio]:checked, select,'
    + 'textarea, summary'
  const seen = { opacityProperty: true, visibilityProperty: true }
  const left = [...document.querySelectorAll(controls)].filter(node => !node.disabled
    && node.checkVisibility(seen) && !node.closest('[role=menu], [role=tablist], [popover]'))
  left.forEach((node, at) => { node.dataset.control = at })
  document.activeElement?.blur()
  return left.map(node => node.outerHTML.slice(0, 160))
}"""
FOCUSED = "document.activeElement?.dataset.control ?? null"


def views() -> list[str]:
    """Name the router's views."""
    union = re.search(r"view: ((?:'\w+'(?: \| )?)+)", ROUTER.read_text(encoding="utf-8"))
    assert union, "the router names its views in another way"
    return re.findall(r"\w+", union[1])


def walk(page: Page, first: dict[str, list[str]]) -> Iterator[str]:
    """Go to every view and what it links to inside itself, and yield where we are.

    Args:
        page: A window of the console.
        first: Places of a view that no link of it leads to; without one a view has its own name.
    """
    for view in views():
        places = list(first.get(view, [f"/{view}"]))
        for place in places:
            page.goto(f"/#{place}")
            page.wait_for_function(SETTLED)
            yield place
            links = page.locator(f'main a[href^="#/{view}/"]').all()
            found = [unquote(str(link.get_attribute("href")).removeprefix("#")) for link in links]
            new = [each for each in dict.fromkeys(found) if each not in places]
            places += new[: max(0, PARTS_OF_A_VIEW - len(places))]


def unreached(page: Page) -> list[str]:
    """Press Tab all through the page and list the controls that it never came to."""
    controls: list[str] = page.evaluate(NUMBER)
    reached = set()
    for _ in range(MOST_TABS):  # a list may grow while keys go down it
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED))
        if len(reached - {None}) == len(controls):
            break
    return [control for at, control in enumerate(controls) if str(at) not in reached]
