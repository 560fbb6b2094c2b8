"""Judge what a screen is worth before anyone reads it."""

from typing import Literal

from core.devices.base import Observation
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy

ScreenState = Literal["ok", "thin", "secure", "black", "capture_failed", "locked", "off", "offline"]

#: What a model should do about a state that is not ``ok``.
ADVICE: dict[str, str] = {
    "thin": "The app tells little about this screen: take de_screenshot and tap what you see.",
    "off": "The screen is off: de_press_key wake turns it on.",
}


def judge(seen: Observation, hierarchy: Hierarchy, elements: list[Element]) -> ScreenState:
    """Say ``off`` when the display is dark, ``thin`` when the app's tree tells next to nothing.

    WeChat, games and web pages can answer with one node while the picture shows a whole page.
    """
    if not seen.screen_on:
        return "off"
    if hierarchy.partial or not any(e.label for e in elements if e.package == seen.app.package):
        return "thin"
    return "ok"
