"""Carry out one act: on a fresh screen, under the lease, and say what it changed.

The phone is the caller's alone from the look to the touch, so what was found is still there. The
lease is checked once more right before anything is sent.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core import policy
from core.devices.base import Point
from core.devices.gate import Need
from core.errors import (
    ElementGone,
    Invalid,
    PhoneFault,
    PhoneLocked,
    ScreenOff,
    Untouchable,
)
from core.policy import Act
from core.runs import acts
from core.screen import selectors
from core.screen.elements import Element
from core.screen.screen import Screen
from core.screen.state import ADVICE
from core.steps.recording import Kind, Touch, press_of, step_of
from mcp_server.access import Access, Device
from mcp_server.consent import Consent
from mcp_server.sight import LED_TO, PATIENT_S, Sight, look, outcome, touched

KEYBOARD = "keyboard"
#: States in which nothing that an app shows can be touched.
SHUT: dict[str, type[PhoneFault]] = {"locked": PhoneLocked, "off": ScreenOff}
#: What a finger may still do to a locked phone: a swipe opens many.
ON_A_LOCKED_PHONE = frozenset({"locked"})
ANYWHERE = frozenset(SHUT)
HARMLESS = Act()
Choose = Callable[[Screen], Element]
Step = dict[str, Any]
Press = Callable[[Point], None]


@dataclass(frozen=True, slots=True)
class Gesture:
    """What a finger does to an element; ``said`` is how the answer tells it."""

    said: str
    press: Press
    kind: Kind = "tap"


@dataclass(frozen=True, slots=True)
class Doing:
    """One act: what carries it out, and what it touches, by which it is judged.

    ``despite`` are the states of `SHUT` in which it makes sense all the same; ``step`` gives the
    step that does the same.
    """

    do: Callable[[Screen], str]
    means: Callable[[Screen], Act] = lambda now: HARMLESS
    despite: frozenset[str] = frozenset()
    step: Callable[[Screen], Step | None] = lambda now: None


@dataclass(frozen=True, slots=True)
class Pressed:
    """What was touched on which screen; ``hid`` says what was done to reach it."""

    before: Screen
    element: Element
    hid: str


class Acting:
    """The common part of the tools that touch."""

    def __init__(self, access: Access, sight: Sight) -> None:
        self.access = access
        self.sight = sight
        self.consent = Consent(access.db)

    def act(self, device: Device, doing: Doing, waits_s: tuple[float, ...] = PATIENT_S) -> str:
        """Read the screen, act while nobody else can, and say what changed."""
        before, said = self.send(device, doing)
        told = f"{said} {outcome(device.slot.phone, before, waits_s)}"
        self.note(device, before, doing.step(before))
        return told

    def send(self, device: Device, doing: Doing) -> tuple[Screen, str]:
        """Read the screen and act while nobody else can; gives that screen, and what was done.

        Raises:
            PhoneLocked, ScreenOff: Nothing of that kind can be done now; nothing was sent.
        """
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            refuse_shut(before, device, doing.despite)
            self.consent.need(device, doing.means(before), before)
            self.access.check(device)
            return before, doing.do(before)

    def touch(self, device: Device, choose: Choose, gesture: Gesture) -> str:
        """Touch the element that is chosen, and say what changed; raises as `press`."""
        pressed = self.press(device, choose, gesture)
        x, y = pressed.element.point
        said = f"{pressed.hid}{gesture.said} {pressed.element.gist} @{x},{y}."
        told = f"{said} {outcome(device.slot.phone, pressed.before, PATIENT_S)}"
        touch = Touch(gesture.kind, pressed.element.point)
        self.note(device, pressed.before, press_of(pressed.before, pressed.element, touch))
        return told

    def note(self, device: Device, before: Screen | None, step: Step | None, app: str = "") -> None:
        """Write down what a run did as a step, unless it is known to have changed nothing."""
        run_id = device.caller.run_id
        unchanged = before is not None and LED_TO.get() == f"{before.fingerprint:x}"
        if run_id is None or step is None or unchanged:
            return
        acts.keep(self.access.db, run_id, app or (before.app.package if before else ""), step)

    def press(
        self, device: Device, choose: Choose, gesture: Gesture, *, search: bool = True
    ) -> Pressed:
        """Touch the element that is chosen on a fresh screen, never what lies over it.

        Raises:
            ElementGone: It is not there.
            Untouchable: It is there and cannot be touched now.
        """
        with device.slot.phone.gate.hold(Need.ACT):
            before, element, hid = self.reach(device, choose, search=search)
            self.consent.need(device, Act(policy.reached(element, before)), before)
            self.access.check(device)
            gesture.press(element.point)
            touched(before, element.point)
        return Pressed(before, element, hid)

    def numbered(self, device: Device, number: int) -> Choose:
        """Choose the element that the caller was shown under a number."""
        return lambda now: self.sight.numbered(device, number, now)

    def tap_point(self, device: Device, point: Point) -> str:
        """Tap a point, unless it is off the screen, under the keyboard or of a turned picture.

        Raises:
            Invalid: It is one of these; the detail says what to do.
        """

        def tap(now: Screen) -> str:
            self.sight.same_frame(device, now)
            return self.tap_there(device, now, point)

        def step(now: Screen) -> Step | None:
            return step_of(now, Touch("tap", point))

        return self.act(device, Doing(tap, lambda now: Act(now.at(point), blind=True), step=step))

    def tap_there(self, device: Device, now: Screen, point: Point) -> str:
        """Tap a point of this very screen, unless it is off it or under the keyboard.

        Raises:
            Invalid: It is one of these.
        """
        _on_screen(now, point)
        device.slot.phone.tap(point)
        touched(now, point)
        return f"Tapped {point[0]},{point[1]}{_what_is_at(now, point)}."

    def reach(
        self, device: Device, choose: Choose, *, search: bool = True
    ) -> tuple[Screen, Element, str]:
        """Choose on a fresh screen; a keyboard that covers what is wanted is hidden first.

        With ``search`` it is hidden also when what is wanted is not there at all.

        Returns:
            The screen, the element on it, and what was done to reach it, for the answer.

        Raises:
            ElementGone: It is not there.
            Untouchable: It cannot be touched now.
        """
        now = look(device.slot.phone)
        try:
            element = choose(now)
            if element.covered != KEYBOARD:
                return now, _touchable(element), ""
        except ElementGone as error:
            if now.state in SHUT:
                raise ElementGone(**{**error.details, "nearest": ADVICE[now.state]}) from error
            if now.keyboard is None or not search:
                raise
        self.consent.need(device, HARMLESS, now)  # asked only where every act is
        now = self._hide_keyboard(device)
        return now, _touchable(choose(now)), "Hid the keyboard. "

    def _hide_keyboard(self, device: Device) -> Screen:
        """Hide the keyboard, and read the screen once it is gone."""
        phone = device.slot.phone
        self.access.check(device)
        phone.press_key("back")
        now = look(phone)
        for pause in PATIENT_S:
            if now.keyboard is None:
                break
            time.sleep(pause)
            now = look(phone)
        return now


def refuse_shut(now: Screen, device: Device, despite: frozenset[str] = frozenset()) -> None:
    """Refuse an act that a locked or dark phone cannot take.

    Raises:
        PhoneLocked, ScreenOff: It is one of these; nothing was sent.
    """
    why = SHUT.get(now.state)
    if why is not None and now.state not in despite:
        raise why(serial=device.serial, detail=f"Nothing was sent. {ADVICE[now.state]}")


def off_the_keys(now: Screen, point: Point) -> None:
    """Refuse a point at which a key would be pressed.

    Raises:
        Invalid: The keyboard is there.
    """
    if now.keyboard is not None and now.keyboard.contains(point):
        detail = (
            f"the keyboard is at {point[0]},{point[1]}. de_press_key back hides it; "
            "de_type_text types."
        )
        raise Invalid(path="y", detail=detail)


def carrying(text: str, index: int | None = None) -> Choose:
    """Choose the element that carries a text."""
    return lambda now: selectors.find(now, text, index)


def _touchable(element: Element) -> Element:
    if "disabled" in element.flags:
        raise Untouchable(path="element", detail=f"{element.name} is disabled.")
    if element.covered:
        detail = f"{element.name} lies under {element.covered}; deal with that first."
        raise Untouchable(path="element", detail=detail)
    return element


def _on_screen(now: Screen, point: Point) -> None:
    whole = now.size.bounds
    if not whole.contains(point):
        detail = f"{point[0]},{point[1]} is off the screen, which is {whole.right}x{whole.bottom}."
        raise Invalid(path="x", detail=detail)
    off_the_keys(now, point)


def _what_is_at(now: Screen, point: Point) -> str:
    there = now.at(point)
    return f", on {there.gist}" if there else ", where no element is listed"
