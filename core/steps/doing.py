"""Carry out one step: find, act, prove. Steps that hold others are the runner's."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from core.devices.base import DIRECTIONS
from core.errors import NotAsClaimed, PhoneFault
from core.screen.elements import Element, cut
from core.screen.selectors import squeeze
from core.steps import types
from core.steps.finding import missing, seek
from core.steps.hands import Touched, Typing, Wanted
from core.steps.looking import Looking, not_in_time, take_note
from core.steps.record import Doing, Trace
from core.steps.schema import Selector, StepParams
from core.steps.scrolling import Scrolling
from core.steps.values import CHARS

CLOSED_S = 3.0
#: Keys that change no screen.
QUIET = ("volume_up", "volume_down", "wake", types.UNLOCK)
STATES = ("on", "off", "selected", "focused", "disabled")

Do = Callable[[Any, Trace], Doing[None]]


class Doer:
    """Does the steps of one run; ``values`` is what ``extract`` adds to."""

    def __init__(self, looking: Looking) -> None:
        self.looking = looking
        self.hands = looking.hands
        self.values: dict[str, str] = {}
        self.table: dict[str, Do] = {
            "open_app": self._open_app,
            "close_app": self._close_app,
            "open_url": self._open_url,
            "click": self._click,
            "long_click": self._long_click,
            "input_text": self._input_text,
            "swipe": self._swipe,
            "scroll_to": self._scroll_to,
            "press_key": self._press_key,
            "hide_keyboard": self._hide_keyboard,
            "wait": self._wait,
            "wait_for": self._wait_for,
            "assert": self._assert,
            "extract": self._extract,
            "screenshot": self._screenshot,
            "click_xy": self._click_xy,
            "keep_screen": self._keep_screen,
        }

    def do(self, step: StepParams, trace: Trace) -> Doing[None]:
        """Carry a step out.

        Raises:
            ConsoleError: It could not be; nothing says that nothing happened.
        """
        if step.expect is not None and getattr(step, "selector", None) is None:
            trace.seen = self.hands.look()
        yield from self.table[step.type](step, trace)

    def _open_app(self, step: types.OpenApp, trace: Trace) -> Doing[None]:
        yield from self.looking.pause(0, trace)
        self.hands.open_app(step.app)
        trace.said = step.app

    def _close_app(self, step: types.CloseApp, trace: Trace) -> Doing[None]:
        package = self.hands.close_app(step.app)
        until = time.monotonic() + CLOSED_S
        while self.hands.look().app.package == package:
            if time.monotonic() > until:
                detail = f"{package} was closed, and is still in front."
                raise PhoneFault(serial=self.hands.serial, detail=detail)
            yield from self.looking.pause(self.looking.pace.poll_s, trace)
        trace.said = package

    def _open_url(self, step: types.OpenUrl, trace: Trace) -> Doing[None]:
        before = self.hands.look()
        self.hands.open_url(step.url)
        trace.said = cut(step.url)
        yield from self.looking.prove(before, trace)

    def _click(self, step: types.Click, trace: Trace) -> Doing[None]:
        stood = step.expect.stands if step.expect else None
        press = partial(self._turn_over, stood) if stood else self.hands.tap
        yield from self._touch(step, press, trace)

    def _turn_over(self, stood: str, wanted: Wanted) -> Touched:
        """Tap a switch, but for one that stands as the tap would leave it: it would turn back."""
        now = self.hands.look()
        found = seek(now, wanted.selectors)
        if found is None or found.element.stands in (None, stood):
            return self.hands.tap(wanted)
        return Touched(now, found.element, found.selector, found.count, left=True)

    def _long_click(self, step: types.LongClick, trace: Trace) -> Doing[None]:
        yield from self._touch(step, self.hands.long_press, trace)

    def _touch(
        self,
        step: types.Click | types.LongClick,
        press: Callable[[Wanted], Touched],
        trace: Trace,
    ) -> Doing[None]:
        wanted = _wanted(step)
        touched = yield from self.looking.act(press, wanted, step.patience_s, trace)
        take_note(trace, touched, wanted)
        trace.said = touched.element.gist
        if touched.left:
            trace.note("stands")
        else:
            yield from self.looking.prove(touched.screen, trace)

    def _input_text(self, step: types.InputText, trace: Trace) -> Doing[None]:
        if step.selector is None:
            yield from self.looking.pause(0, trace)
            typed = self.hands.type_text(Typing(step.text, None, step.clear, step.submit))
        else:
            wanted = _wanted(step)
            typed = yield from self.looking.act(
                lambda now: self.hands.type_text(Typing(step.text, now, step.clear, step.submit)),
                wanted,
                step.patience_s,
                trace,
            )
            if typed.touched is not None:
                take_note(trace, typed.touched, wanted)
        trace.said = f'the field holds "{cut(typed.holds)}"' if typed.holds else "typed"

    def _swipe(self, step: types.Swipe, trace: Trace) -> Doing[None]:
        before = self.hands.look()
        if step.direction is not None:
            start, end = DIRECTIONS[step.direction]
        else:
            start, end = step.start or (0.5, 0.5), step.end or (0.5, 0.5)
        self.hands.swipe(start, end)
        trace.said = step.direction or f"{start} to {end}"
        yield from self.looking.prove(before, trace, brisk=True)

    def _scroll_to(self, step: types.ScrollTo, trace: Trace) -> Doing[None]:
        search = Scrolling(self.looking, _wanted(step), trace)
        found = yield from search.run(step.patience_s)
        trace.said = f"{found.element.gist}, after {search.swipes} swipes"

    def _press_key(self, step: types.PressKey, trace: Trace) -> Doing[None]:
        before = self.hands.look()
        self.hands.press_key(step.key)
        trace.said = step.key
        if step.key not in QUIET:
            yield from self.looking.prove(before, trace)

    def _hide_keyboard(self, step: types.HideKeyboard, trace: Trace) -> Doing[None]:
        if self.hands.look().keyboard is None:
            trace.said = "there was none"
            return
        self.hands.press_key("back")
        for pause_s in self.looking.pace.patient_s:
            yield from self.looking.pause(pause_s, trace)
            if self.hands.look().keyboard is None:
                return
        raise PhoneFault(serial=self.hands.serial, detail="the keyboard is still shown.")

    def _wait(self, step: types.Wait, trace: Trace) -> Doing[None]:
        yield from self.looking.pause(float(step.seconds), trace)
        trace.said = f"{float(step.seconds):g} s"

    def _wait_for(self, step: types.WaitFor, trace: Trace) -> Doing[None]:
        wanted = _wanted(step)
        if step.gone:
            left = yield from self.looking.until_gone(wanted, step.patience_s, trace)
            in_vain = left is not None
        else:
            found = yield from self.looking.seek(wanted, step.patience_s, trace)
            trace.said = found.element.gist if found else ""
            in_vain = found is None
        if in_vain:
            seen = trace.seen or self.hands.look()
            raise not_in_time(seen, wanted, step.patience_s, gone=step.gone)

    def _assert(self, step: types.Assert, trace: Trace) -> Doing[None]:
        wanted = _wanted(step)
        if step.gone:
            left = yield from self.looking.until_gone(wanted, step.patience_s, trace)
            if left is not None:
                claim = f"that {left.selector.said} is gone"
                raise NotAsClaimed(wanted=claim, seen=left.element.gist)
            return
        until = time.monotonic() + step.patience_s
        while True:
            left_s = max(0.0, until - time.monotonic())
            element = yield from self._must_see(wanted, left_s, trace)
            trace.said = element.gist
            if step.text is None or says(element, step.text):
                return
            if time.monotonic() >= until:
                raise NotAsClaimed(wanted=f'that it says "{cut(step.text)}"', seen=element.gist)
            yield from self.looking.pause(self.looking.pace.poll_s, trace)

    def _extract(self, step: types.Extract, trace: Trace) -> Doing[None]:
        element = yield from self._must_see(_wanted(step), step.patience_s, trace)
        said = what_it_says(element)
        if not said:
            raise NotAsClaimed(wanted="that it says something", seen=element.gist)
        self.values[step.into] = said[:CHARS]
        trace.said = f'{step.into} = "{cut(said)}"'

    def _screenshot(self, step: types.Screenshot, trace: Trace) -> Doing[None]:
        yield from self.looking.pause(0, trace)
        trace.said = self.hands.keep_picture(step.name)

    def _click_xy(self, step: types.ClickXy, trace: Trace) -> Doing[None]:
        before = trace.seen = self.hands.look()
        self.hands.tap_point(step.x, step.y)
        trace.said = f"{step.x:g},{step.y:g}"
        yield from self.looking.prove(before, trace)

    def _keep_screen(self, step: types.KeepScreen, trace: Trace) -> Doing[None]:
        yield from self.looking.pause(0, trace)
        self.hands.keep_screen(step.on)

    def _must_see(
        self, wanted: tuple[Selector, ...], patience_s: float, trace: Trace
    ) -> Doing[Element]:
        found = yield from self.looking.seek(wanted, patience_s, trace)
        if found is None:
            raise missing(trace.seen or self.hands.look(), wanted)
        return found.element


def says(element: Element, text: str) -> bool:
    """Say whether an element has a text, whole, or stands so: on, off, selected …."""
    wanted = squeeze(text)
    if wanted in STATES and wanted in element.flags:
        return True
    return wanted in map(squeeze, (*element.texts, element.label))


def what_it_says(element: Element) -> str:
    """Give an element's own words; of a switch without any, how it stands."""
    if element.texts:
        return element.texts[0]
    return next((flag for flag in element.flags if flag in STATES), "")


def _wanted(step: Any) -> tuple[Selector, ...]:
    return (step.selector, *step.alternatives)
