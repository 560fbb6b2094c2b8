"""Judge what a screen is worth before anyone reads it.

Eight states, told apart by evidence, never by a guess from a black picture alone: an app may
forbid pictures (``secure``), the phone may draw nothing (``black``), or no picture may have come
(``capture_failed``), and what to do next differs.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.devices.base import Observation
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy
from core.screen.windows import SYSTEM_UI

ScreenState = Literal["ok", "thin", "secure", "black", "capture_failed", "locked", "off", "offline"]

#: What a model should do about a state that is not ``ok``.
ADVICE: dict[str, str] = {
    "thin": "The app tells little about this screen: take de_screenshot and tap what you see.",
    "secure": "The app forbids pictures of this screen: work with de_ui_tree; a person may have to "
    "do what it does not list.",
    "black": "The picture is black although nothing forbids pictures: look again in a moment.",
    "capture_failed": "The phone gave no picture: work with de_ui_tree, or try again.",
    "locked": "The phone is locked: de_press_key unlock opens it by a swipe or by the PIN that is "
    "kept for it; else a person must.",
    "off": "The screen is off: de_press_key wake turns it on.",
    "offline": "The phone does not answer: nothing can be done until it is connected again.",
}

_KEYGUARD_IDS = re.compile(
    "keyguard_(?:status_view|clock|indication|bottom|pin|password|pattern|slice)|lock_icon"
    "|lockscreen|lockPatternView|pinEntry"
)


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """How a picture came out: ``error`` when none came, else whether it is black.

    `core.devices.image.is_black` judges a picture. ``forbidden`` is what the window in front says
    of pictures, see `core.devices.window_list`; None where nobody asked.
    """

    is_black: bool = False
    error: str = ""
    forbidden: bool | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether there is nothing to be seen on it."""
        return self.is_black or bool(self.error)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a screen; None where nobody looked.

    ``labels`` says that the tree tells what the screen shows; ``secure`` that the window in front
    forbids pictures.
    """

    screen_on: bool = True
    locked: bool | None = None
    labels: bool = True
    secure: bool | None = None
    picture: PictureFacts | None = None
    reachable: bool = True

    @classmethod
    def of(
        cls,
        seen: Observation,
        tree: Hierarchy,
        own: Iterable[Element],
        over: Iterable[Element],
        picture: PictureFacts | None = None,
    ) -> "Evidence":
        """Collect it from an observation, the elements of the app's own window and the others."""
        return cls(
            screen_on=seen.screen_on,
            locked=seen.locked or shows_keyguard(tree, seen.app.package),
            labels=not tree.partial and tells(own, over),
            secure=picture.forbidden if picture else None,
            picture=picture,
        )


def judge(known: Evidence) -> ScreenState:
    """Choose the state; what makes the others meaningless comes first."""
    if not known.reachable:
        return "offline"
    if not known.screen_on:
        return "off"
    if known.locked:
        return "locked"
    if known.secure and (known.picture is None or known.picture.shows_nothing):
        return "secure"
    return _judge_picture(known) or ("ok" if known.labels else "thin")


def _judge_picture(known: Evidence) -> ScreenState | None:
    picture = known.picture
    if picture is None:
        return None
    if picture.error:
        return "capture_failed"
    if not picture.is_black:
        return None
    # a secure window's tree is whole while its picture is black
    return "secure" if known.labels and known.secure is None else "black"


def tells(own: Iterable[Element], over: Iterable[Element]) -> bool:
    """Say whether the tree tells something of what is in front.

    WeChat, games and web pages can answer with one node while the picture shows a whole page. A
    system dialog over such a page, as "isn't responding", can be read and answered all the same.
    """
    return any(e.label for e in own) or any(
        e.label and e.clickable and _is_dialog(e.package) for e in over
    )


def _is_dialog(package: str) -> bool:
    return package == "android" or "permission" in package or "packageinstaller" in package


def shows_keyguard(tree: Hierarchy, front: str) -> bool:
    """Say whether the lock screen is in front: its parts are there and no app's window.

    The notification shade holds empty parts of it too, but also the quick settings.
    """
    packages = {front, *(window.get("package") for window in tree.windows)}
    if not packages <= {"", SYSTEM_UI}:
        return False
    ids = [node.get("resource-id") for node in tree.walk()]
    return any(map(_KEYGUARD_IDS.search, ids)) and not any("quick_settings" in i for i in ids)
