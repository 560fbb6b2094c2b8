"""A phone on paper: pages of elements, and a rule that says what a touch does."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from core.devices.base import AppInfo, Bounds, Size
from core.errors import DeviceSlow, NoSuchApp, PhoneFault, Untouchable
from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.checks import parse_steps
from core.steps.finding import find
from core.steps.hands import Spot, Touched, Typed, Typing, Wanted
from core.steps.looking import Pace
from core.steps.record import StepRecord, Waiting
from core.steps.runner import Runner, Setting
from core.steps.schema import Steps
from tests.core.screen.making import node, read, window

KEYBOARD = node(kind="View", package="ime", bounds="[0,1600][1080,2400]", inside=node("q"))


@dataclass
class Paper:
    """The hands of a phone whose screen is a function of its state.

    ``pages`` draws a page by its name; ``touched`` says what a touch does to the phone.
    """

    pages: Callable[["Paper"], list[str]]
    touched: Callable[["Paper", Element], None] = lambda phone, element: None
    page: str = "home"
    app: str = "app"
    keyboard: bool = False
    scrolled: int = 0
    serial: str = "paper"
    looks: int = 0
    size: Size = field(default_factory=lambda: Size(1080, 2400))
    acts: list[str] = field(default_factory=list)
    trouble: list[Exception] = field(default_factory=list)
    path: str = ""

    def begin(self, path: str) -> None:
        self.path = path

    def look(self) -> Screen:
        self.looks += 1
        shown = [window(*self.pages(self), package=self.app)]
        keys = [window(KEYBOARD, package="ime", bounds="[0,1600][1080,2400]")]
        return read(
            *shown,
            *(keys if self.keyboard else []),
            app=AppInfo(self.app, ".Main"),
            size=self.size,
            keyboard=self.keyboard,
            keyboard_package="ime",
        )

    def tap(self, wanted: Wanted) -> Touched:
        return self._touch("tap", wanted)

    def long_press(self, wanted: Wanted) -> Touched:
        return self._touch("long", wanted)

    def type_text(self, typing: Typing) -> Typed:
        self._fail()
        touched = self._touch("focus", typing.into) if typing.into else None
        self.acts.append(f"type {typing.text}")
        return Typed(typing.text, touched)

    def tap_point(self, x: float, y: float) -> None:
        self._act(f"point {x:g},{y:g}")

    def swipe(self, start: Spot, end: Spot) -> None:
        self._act(f"swipe {start} {end}")

    def scroll(self, direction: str, area: Bounds) -> None:
        self.scrolled = max(0, min(4, self.scrolled + (1 if direction == "down" else -1)))
        self._act(f"scroll {direction}")

    def press_key(self, key: str) -> None:
        self._act(f"key {key}")
        if key == "back" and self.keyboard:
            self.keyboard = False

    def open_app(self, app: str) -> None:
        self._act(f"open {app}")
        if app == "nothing":
            raise NoSuchApp(app=app, known="")
        self.app = app

    def close_app(self, app: str) -> str:
        self._act(f"close {app}")
        self.app = "launcher"
        return app

    def open_url(self, url: str) -> None:
        self._act(f"url {url}")

    def keep_screen(self, on: bool) -> None:
        self._act(f"keep {on}")

    def keep_picture(self, name: str) -> str:
        self._act(f"picture {name}")
        return f"picture of {name}"

    def _touch(self, how: str, wanted: Wanted) -> Touched:
        now = self.look()
        found = find(now, wanted.selectors)
        if "disabled" in found.element.flags:
            raise Untouchable(path="element", detail="disabled")
        self._act(f"{how} {found.element.label or found.element.short_id}")
        self.touched(self, found.element)
        return Touched(now, found.element, found.selector, found.count)

    def _act(self, said: str) -> None:
        self._fail()
        self.acts.append(said)

    def _fail(self) -> None:
        if self.trouble:
            raise self.trouble.pop(0)


SWIFT = Pace(
    slice_s=0.01,
    poll_s=0.01,
    alone_s=0.02,
    patient_s=(0.001, 0.001),
    brisk_s=(0.001,),
    load_s=0.001,
    retry_s=0.01,
)


@dataclass
class Replay:
    """How steps went."""

    verdict: str
    told: list[StepRecord]
    runner: Runner

    def told_of(self, path: str) -> StepRecord:
        return next(record for record in self.told if record.path == path)


def replay(
    phone: Paper,
    *raw: object,
    inputs: dict[str, str] | None = None,
    actions: dict[str, list[object]] | None = None,
    stop: threading.Event | None = None,
) -> Replay:
    """Carry raw steps out on a paper phone."""
    saved: dict[str, Steps] = {name: parse_steps(a) for name, a in (actions or {}).items()}
    setting = Setting(
        stop or threading.Event(),
        lambda name: (name, saved[name]),
        dict(inputs or {}),
        pace=SWIFT,
    )
    runner = Runner(phone, setting)
    running = runner.run(parse_steps(list(raw)))
    told: list[StepRecord] = []
    while True:
        try:
            event = next(running)
        except StopIteration as end:
            return Replay(end.value, told, runner)
        if isinstance(event, Waiting):
            if event.need is not None:
                raise event.need
        else:
            told.append(event)


def slow() -> PhoneFault:
    return DeviceSlow(serial="paper", timeout_s=1)
