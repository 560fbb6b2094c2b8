"""Judge a run's checks on a fresh screen.

A check names one thing: words that are shown, an element that carries them, the app in front, or
a value that something has; ``gone`` turns it over.
"""

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.runs.proof import Checked
from core.screen import selectors
from core.screen.elements import Element
from core.screen.screen import Screen
from core.screen.selectors import squeeze
from core.steps.ranking import ranked

STATES = ("on", "off", "selected", "focused", "disabled")
UNTOLD = ("thin", "off", "locked", "offline")  # what is not listed here may still be shown
Numbered = Callable[[int, Screen], Element | None]
IsApp = Callable[[str, str], bool]


class Check(BaseModel):
    """One thing that shall be true of the screen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str | None = Field(default=None, min_length=1, max_length=200)
    element: int | Annotated[str, Field(max_length=200)] | None = None
    app: str | None = Field(default=None, min_length=1, max_length=200)
    value: str | None = Field(default=None, min_length=1, max_length=500)
    gone: bool = False

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        named = [each for each in (self.text, self.element, self.app) if each not in (None, "")]
        if len(named) > 1 or not (named or self.value):
            raise ValueError("state one of text, element, app; value alone or with element")
        if self.value and (self.text or self.app):
            raise ValueError("value goes alone or with element")
        return self

    @property
    def stated(self) -> dict[str, Any]:
        """Give it as it was stated."""
        return self.model_dump(exclude_defaults=True)


class Judge:
    """Judges checks on one screen.

    Args:
        screen: A fresh one.
        numbered: Finds on it what a number of an earlier screen means, or None.
        is_app: Says whether a package is the app that a name means.
    """

    def __init__(self, screen: Screen, numbered: Numbered, is_app: IsApp) -> None:
        self.screen = screen
        self.numbered = numbered
        self.is_app = is_app

    def judge(self, check: Check) -> Checked:
        """Say whether the screen meets a check, and what was there."""
        met, seen = self._look(check)
        if check.gone and not check.app and self.screen.state in UNTOLD:
            return Checked(check.stated, False, f"a {self.screen.state} screen tells too little")
        return Checked(check.stated, met != check.gone, seen)

    def _look(self, check: Check) -> tuple[bool, str]:
        if check.app:
            package = self.screen.app.package
            return self.is_app(check.app, package), f"{package} is in front"
        if check.text:
            found = selectors.matches(self.screen, check.text)
            return _found(found, self._nearest(check.text))
        if check.element is None:
            fields = [e for e in self.screen.elements if e.kind == "field"]
            return _valued(fields, check.value or "", "no text field is here")
        found = self.elements(check.element)
        missing = self._nearest(str(check.element))
        if check.value is None:
            return _found(found, missing)
        return _valued(found, check.value, missing)

    def elements(self, wanted: int | str) -> list[Element]:
        """List what words or a number mean on this screen."""
        if isinstance(wanted, int) or wanted.strip("[] ").isdecimal():
            one = self.numbered(int(str(wanted).strip("[] ")), self.screen)
            return [one] if one else []
        return [e for e in selectors.matches(self.screen, wanted) if e.kind != "text"]

    def _nearest(self, text: str) -> str:
        return selectors.nearest(self.screen, text).removesuffix(" de_ui_tree lists all.")


def as_step(check: Check, judge: Judge) -> dict[str, Any] | None:
    """Give the step that checks the same of this screen; none for what no step can check."""
    gone = {"gone": True} if check.gone else {}
    if check.text:
        also = [{"descriptionContains": check.text}]
        words = {"selector": {"textContains": check.text}, "alternatives": also}
        return {"type": "assert", **words, **gone}
    found = judge.elements(check.element) if check.element and not check.gone else []
    names = ranked(judge.screen, found[0]) if found else []
    if not names:
        return None
    said = {"text": check.value} if check.value else {}
    return {"type": "assert", "selector": names[0].given, **said}


def _found(found: list[Element], missing: str) -> tuple[bool, str]:
    return bool(found), found[0].gist if found else missing


def _valued(found: list[Element], value: str, missing: str) -> tuple[bool, str]:
    if not found:
        return False, missing
    right = [e for e in found if _has(e, value)]
    return bool(right), (right or found)[0].gist


def _has(element: Element, value: str) -> bool:
    wanted = squeeze(value)
    if wanted in STATES:
        return wanted in element.flags
    return wanted in map(squeeze, (*element.texts[:1], element.label))
