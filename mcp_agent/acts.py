"""Write down as a step what a tool call did, so that it can be done again without a model.

A number or a point means nothing on another screen: what was touched is taken from the words of
the tool's answer, and what has no words becomes no step.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.screen.labels import JOINT
from core.screen.selectors import squeeze

FIELD = {"className": "android.widget.EditText"}
#: How an answer names what was touched: its kind, its label in quotes, its flags, its point.
TOUCHED = re.compile(
    r'^(?:Hid the keyboard\. )?(?:Tapped|Pressed long) \S+ ("(?:[^"\\]|\\.)*")[^@]*@\d+,\d+\.'
)
NOW_IN = re.compile(r"\bNow in ([\w.]+)/")

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call that went well; ``text`` is what the tool said, and so the screen's own words."""

    tool: str
    args: Mapping[str, Any]
    text: str = ""

    @property
    def step(self) -> Step | None:
        """Give the step that does the same; None where no step could."""
        make = MAKERS.get(self.tool)
        return make(self) if make else None

    @property
    def led_to(self) -> str:
        """Name the package that came to the front; empty when none did."""
        found = NOW_IN.search(self.text)
        return found[1] if found else ""

    def given(self, name: str) -> str:
        """Give an argument as text."""
        return str(self.args.get(name) or "").strip()


def _of_app(kind: str) -> Callable[[Act], Step | None]:
    return lambda act: {"type": kind, "app": act.given("app")} if act.given("app") else None


def _press(kind: str) -> Callable[[Act], Step | None]:
    def make(act: Act) -> Step | None:
        said = _label(act)
        if not said or act.args.get("index"):  # one of several: words alone do not find it again
            return None
        return {"type": kind, "selector": {"text": said}, "alternatives": [{"description": said}]}

    return make


def _label(act: Act) -> str:
    """Say what was touched: the part of its label that was asked for, or the first."""
    asked = act.given("text")
    found = TOUCHED.match(act.text)
    parts = json.loads(found[1]).split(JOINT) if found else [asked]
    fitting = [part for part in parts if asked and squeeze(asked) in squeeze(part)]
    return str((fitting or parts)[0]).strip()


def _type(act: Act) -> Step | None:
    step: Step = {"type": "input_text", "text": act.given("text")}
    into = act.given("into").strip("[] ")
    if into and not into.isdecimal():
        step |= {"selector": {"text": into}, "alternatives": [FIELD]}
    else:
        step |= {"selector": FIELD}
    return step | {key: True for key in ("clear", "submit") if act.args.get(key)}


def _swipe(act: Act) -> Step | None:
    way = act.given("direction")
    return {"type": "swipe", "direction": way} if way else None


def _scroll(act: Act) -> Step | None:
    said = act.given("text")
    more = [{"textContains": said}, {"description": said}, {"descriptionContains": said}]
    return {"type": "scroll_to", "selector": {"text": said}, "alternatives": more} if said else None


def _key(act: Act) -> Step | None:
    return {"type": "press_key", "key": act.given("key")} if act.given("key") else None


def _url(act: Act) -> Step | None:
    return {"type": "open_url", "url": act.given("url")} if act.given("url") else None


def _replay(act: Act) -> Step | None:
    step: Step = {"type": "run_action", "name": act.given("name")}
    inputs = act.args.get("inputs")
    return {**step, "inputs": dict(inputs)} if isinstance(inputs, Mapping) and inputs else step


MAKERS: dict[str, Callable[[Act], Step | None]] = {
    "de_open_app": _of_app("open_app"),
    "de_close_app": _of_app("close_app"),
    "de_open_url": _url,
    "de_tap": _press("click"),
    "de_tap_text": _press("click"),
    "de_long_press": _press("long_click"),
    "de_type_text": _type,
    "de_swipe": _swipe,
    "de_scroll_to": _scroll,
    "de_press_key": _key,
    "de_run_action": _replay,
}
