"""Write down as a step what a person does on the live picture.

The element under a finger is taken from the screen as it was before the touch; where nothing
there can be told from others, the point itself is the step.
"""

from dataclasses import dataclass
from typing import Any, Literal

from core.devices.base import KEYS, Point
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps import likeness
from core.steps.ranking import Rank, ranks
from core.steps.schema import Expect

ALTERNATIVES = 2
PLACES = 3

Kind = Literal["tap", "long_press", "swipe", "key", "text"]


@dataclass(frozen=True, slots=True)
class Touch:
    """What a person did; ``point`` is where a finger went down, ``end`` where it was lifted."""

    kind: Kind
    point: Point = (0, 0)
    end: Point = (0, 0)
    words: str = ""


def step_of(screen: Screen, touch: Touch) -> dict[str, Any] | None:
    """Make the step of a touch on this screen, as JSON; none when it is no step.

    A tap becomes a click on the element it reached, with up to two alternatives and the screen
    that the step was made for.
    """
    match touch.kind:
        case "tap" | "long_press":
            return press_of(screen, screen.at(touch.point), touch)
        case "swipe":
            start, end = _spot(screen, touch.point), _spot(screen, touch.end)
            return {"type": "swipe", "from": start, "to": end}
        case "key":
            return {"type": "press_key", "key": touch.words} if touch.words in KEYS else None
        case _:
            return _typing(screen, touch.words)


def press_of(screen: Screen, element: Element | None, touch: Touch) -> dict[str, Any]:
    """Make the step of a press on an element of this screen; of its point without one."""
    made_for = likeness.of(screen)
    expect = {"expect": _as_json(made_for)}
    names = ranks(screen, element) if element is not None and element.kind != "list" else []
    if names:
        if touch.kind == "long_press":
            return {"type": "long_click", **_named(names), **expect}
        found = made_for.model_copy(update={"stands": element.stands if element else None})
        return {"type": "click", **_named(names), "expect": _as_json(found)}
    x, y = _spot(screen, touch.point)
    return {"type": "click_xy", "x": x, "y": y, **expect}


def _typing(screen: Screen, text: str) -> dict[str, Any] | None:
    if not text:
        return None
    node = screen.focused_field()
    field: Element | None = next((e for e in screen.elements if e.node is node), None)
    return typing_of(screen, field if node is not None else None, text)


def typing_of(screen: Screen, field: Element | None, text: str) -> dict[str, Any]:
    """Make the step of a text for a field of this screen; for the focused one without it."""
    names = ranks(screen, field) if field is not None else []
    sure = [name for name in names if name.lasting != "weak"]
    # without a selector it is the field that has the focus, which the click before gave it
    return {"type": "input_text", "text": text, **_named(sure)}


def _named(names: list[Rank]) -> dict[str, Any]:
    if not names:
        return {}
    more = [name.selector.given for name in names[1:] if name.lasting != "weak"][:ALTERNATIVES]
    return {"selector": names[0].selector.given, **({"alternatives": more} if more else {})}


def _spot(screen: Screen, point: Point) -> list[float]:
    across, down = point[0] / screen.size.width, point[1] / screen.size.height
    return [round(min(max(part, 0.0), 1.0), PLACES) for part in (across, down)]


def _as_json(expect: Expect) -> dict[str, Any]:
    return expect.model_dump(mode="json", exclude_defaults=True)
