"""The twenty types of steps; their fields are the form, the schema and the check at once."""

import re
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from core.devices.base import KEYS
from core.steps.schema import STEP_TYPES, Name, Selector, StepParams, Steps, Strict, Words

UNLOCK = "unlock"
ROUNDS = 1000
Direction = Literal["up", "down", "left", "right"]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Spot = tuple[Fraction, Fraction]
_VALUE = re.compile(r"\{\{\s*\w{1,64}\s*\}\}")


def _number(
    kind: type[int] | type[float], least: float, most: float, raw: Any
) -> int | float | str:
    """Take a number, or a ``{{value}}`` that will be one."""
    if isinstance(raw, str) and _VALUE.fullmatch(raw):
        return raw
    try:
        number = float(raw)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    fits = least <= number <= most and (kind is float or number.is_integer())
    if isinstance(raw, bool) or not fits:
        raise ValueError(f"it is no number from {least:g} to {most:g}, and no {{{{value}}}}")
    return kind(number)


def _schema(kind: str, least: float, most: float) -> WithJsonSchema:
    number = {"type": kind, "minimum": least, "maximum": most}
    return WithJsonSchema({"anyOf": [number, {"type": "string", "pattern": _VALUE.pattern}]})


Seconds = Annotated[
    int | float | str, PlainValidator(partial(_number, float, 0, 600)), _schema("number", 0, 600)
]
Times = Annotated[
    int | float | str,
    PlainValidator(partial(_number, int, 0, ROUNDS)),
    _schema("integer", 0, ROUNDS),
]


@STEP_TYPES.register("open_app")
class OpenApp(StepParams):
    """Open an app and wait until it is in front."""

    idempotent = True
    type: Literal["open_app"]
    app: Name = Field(description="Label as on the launcher, or package")


@STEP_TYPES.register("close_app")
class CloseApp(StepParams):
    """End an app; what it had not saved is lost."""

    idempotent = True
    type: Literal["close_app"]
    app: Name = Field(description="Label as on the launcher, or package")


@STEP_TYPES.register("open_url")
class OpenUrl(StepParams):
    """Open an address in the browser, or in the app that takes it."""

    idempotent = True
    type: Literal["open_url"]
    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)]


@STEP_TYPES.register("click")
class Click(StepParams):
    """Tap an element."""

    type: Literal["click"]
    selector: Selector


@STEP_TYPES.register("long_click")
class LongClick(StepParams):
    """Press an element for a second."""

    type: Literal["long_click"]
    selector: Selector


@STEP_TYPES.register("input_text")
class InputText(StepParams):
    """Type into a field, the focused one without a selector, and read it back."""

    type: Literal["input_text"]
    text: Annotated[str, StringConstraints(max_length=5000)]
    selector: Selector | None = None
    clear: bool = Field(default=False, description="Replace what the field holds")
    submit: bool = Field(default=False, description="Press enter afterwards")


@STEP_TYPES.register("swipe")
class Swipe(StepParams):
    """Move a finger, by direction or from one point to another."""

    type: Literal["swipe"]
    direction: Direction | None = Field(default=None, description="Where the finger goes")
    start: Spot | None = Field(default=None, alias="from", description="Fractions of the screen")
    end: Spot | None = Field(default=None, alias="to", description="Fractions of the screen")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        points = (self.start is not None) + (self.end is not None)
        if (self.direction is None) != (points == 2) or points == 1:
            raise ValueError("give direction, or from and to")
        return self


@STEP_TYPES.register("scroll_to")
class ScrollTo(StepParams):
    """Scroll until an element shows: to the end, then back to the beginning."""

    idempotent = True
    waits_s = 60.0
    type: Literal["scroll_to"]
    selector: Selector


@STEP_TYPES.register("press_key")
class PressKey(StepParams):
    """Press a key of the phone; ``unlock`` wakes it and opens its lock."""

    type: Literal["press_key"]
    key: str = Field(json_schema_extra={"enum": [*KEYS, UNLOCK]})

    @field_validator("key")
    @classmethod
    def _known(cls, key: str) -> str:
        name = key.strip().lower().removeprefix("keycode_")
        if name not in KEYS and name != UNLOCK:
            raise ValueError(f"no key {key[:50]!r}; there are {', '.join([*KEYS, UNLOCK])}")
        return name


@STEP_TYPES.register("hide_keyboard")
class HideKeyboard(StepParams):
    """Hide the keyboard, if it is shown."""

    idempotent = True
    type: Literal["hide_keyboard"]


@STEP_TYPES.register("wait")
class Wait(StepParams):
    """Do nothing for a while; waiting for an element is better."""

    type: Literal["wait"]
    seconds: Seconds


@STEP_TYPES.register("wait_for")
class WaitFor(StepParams):
    """Wait until an element is there, or is gone."""

    idempotent = True
    type: Literal["wait_for"]
    selector: Selector
    gone: bool = False


@STEP_TYPES.register("assert")
class Assert(StepParams):
    """Fail unless an element is there, is gone, or says a text (or is on, off, selected …)."""

    idempotent = True
    waits_s = 3.0
    type: Literal["assert"]
    selector: Selector
    gone: bool = False
    text: Words | None = None

    @model_validator(mode="after")
    def _one_claim(self) -> Self:
        if self.gone and self.text is not None:
            raise ValueError("what is gone says no text")
        return self


@STEP_TYPES.register("extract")
class Extract(StepParams):
    """Keep what an element says as a value for later steps."""

    idempotent = True
    type: Literal["extract"]
    selector: Selector
    into: Annotated[str, StringConstraints(pattern=r"^\w{1,64}$")]


@STEP_TYPES.register("screenshot")
class Screenshot(StepParams):
    """Keep a picture of the screen."""

    idempotent = True
    type: Literal["screenshot"]
    name: str = Field(default="", max_length=100)


@STEP_TYPES.register("if_exists")
class IfExists(StepParams):
    """Do some steps when an element is there, others when it is not."""

    waits_s = 1.0
    type: Literal["if_exists"]
    selector: Selector
    then: Steps = Field(min_length=1)
    otherwise: Steps = Field(default=(), alias="else")


class Condition(Strict):
    """What a repetition goes on for: an element that is there, or is gone."""

    selector: Selector
    gone: bool = False


@STEP_TYPES.register("repeat")
class Repeat(StepParams):
    """Do some steps a number of times, or while an element is there (or is gone)."""

    type: Literal["repeat"]
    times: Times | None = None
    condition: Condition | None = Field(default=None, alias="while")
    steps: Steps = Field(min_length=1)

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if (self.times is None) == (self.condition is None):
            raise ValueError("give times or while")
        return self


@STEP_TYPES.register("run_action")
class RunAction(StepParams):
    """Do the steps of a saved action."""

    type: Literal["run_action"]
    name: Name
    inputs: dict[str, Any] = Field(default_factory=dict, max_length=50)


@STEP_TYPES.register("click_xy")
class ClickXy(StepParams):
    """Tap a point; it means something else on another screen, so an element is better."""

    type: Literal["click_xy"]
    x: float = Field(ge=0, le=20_000, allow_inf_nan=False, description="Pixels, or fraction to 1")
    y: float = Field(ge=0, le=20_000, allow_inf_nan=False, description="Pixels, or fraction to 1")


@STEP_TYPES.register("keep_screen")
class KeepScreen(StepParams):
    """Keep the screen from going off by itself, or let it."""

    idempotent = True
    type: Literal["keep_screen"]
    on: bool


#: What never stands in an action: the one fits one screen only, the other is the phone's own.
NEVER_IN_ACTIONS = ("click_xy", "keep_screen")
