"""The tools that touch a phone's screen."""

import time
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from core import policy
from core.devices.base import DIRECTIONS, KEYS, Point
from core.devices.gate import Need
from core.errors import Invalid, NotSubmitted
from core.policy import Act
from core.screen import selectors
from core.screen.elements import Element, cut
from core.screen.screen import Screen
from core.steps.recording import Touch, step_of, typing_of
from core.steps.types import UNLOCK
from mcp_server.access import Device
from mcp_server.acting import (
    ANYWHERE,
    HARMLESS,
    ON_A_LOCKED_PHONE,
    Acting,
    Choose,
    Doing,
    Gesture,
    Step,
    carrying,
    off_the_keys,
    refuse_shut,
)
from mcp_server.scrolling import Search
from mcp_server.sight import BRISK_S, look, outcome, touched
from mcp_server.toolbox import TOUCH, VISIT, Serial, Spec, optional

POLL_S = 0.3
FOCUS_S = 2.0

SUBMIT = "enter"
#: Keys that a dark phone takes.
WAKING = (UNLOCK, "wake", "power", "volume_up", "volume_down")
#: Finds the field to type into; None leaves it to the one that has the focus.
FindField = Callable[[Screen], Element | None]

POINT = optional("array", "[x, y] in pixels", items={"type": "integer"}, minItems=2, maxItems=2)
Element_ = Annotated[int, Field(description="Its number in de_ui_tree")]
Text = Annotated[str, Field(description="Its text or description, whole or part")]
Pixel = Annotated[int, Field(description="Pixels of the screen", ge=0)]


class WriteTools:
    """Touches; every method is a tool and its docstring the tool's description."""

    def __init__(self, acting: Acting) -> None:
        self.access = acting.access
        self.sight = acting.sight
        self.acting = acting

    def specs(self) -> list[Spec]:
        """List the tools."""
        return [
            Spec(self.de_tap, "Tap an element", TOUCH),
            Spec(self.de_tap_text, "Tap text", TOUCH),
            Spec(self.de_tap_xy, "Tap a point", TOUCH),
            Spec(self.de_long_press, "Press long", TOUCH),
            Spec(self.de_type_text, "Type text", TOUCH),
            Spec(self.de_press_key, "Press a key", TOUCH),
            Spec(self.de_swipe, "Swipe", TOUCH, {"from": "start", "to": "end"}),
            Spec(self.de_scroll_to, "Scroll to text", VISIT),
        ]

    def de_tap(self, element: Element_, serial: Serial = None) -> str:
        """Tap an element of the last de_ui_tree."""
        device = self.access.writable(serial)
        return self.acting.touch(device, self.acting.numbered(device, element), _tap(device))

    def de_tap_text(
        self,
        text: Text,
        index: Annotated[int | None, optional("integer", "Which of several, from 0")] = None,
        serial: Serial = None,
    ) -> str:
        """Tap the element that carries a text."""
        device = self.access.writable(serial)
        return self.acting.touch(device, carrying(text, index), _tap(device))

    def de_tap_xy(self, x: Pixel, y: Pixel, serial: Serial = None) -> str:
        """Tap a point, for what de_ui_tree does not list."""
        return self.acting.tap_point(self.access.writable(serial), (x, y))

    def de_long_press(
        self,
        element: Annotated[int | None, optional("integer", "Its number in de_ui_tree")] = None,
        text: Annotated[str | None, optional("string", "Or its text")] = None,
        serial: Serial = None,
    ) -> str:
        """Press an element for a second."""
        device = self.access.writable(serial)
        gesture = Gesture("Pressed long", device.slot.phone.long_press, "long_press")
        return self.acting.touch(device, self._either(device, element, text), gesture)

    def de_type_text(
        self,
        text: Annotated[str, Field(description="Any language")],
        into: Annotated[str | None, optional("string", "The field's text, hint or number")] = None,
        clear: Annotated[bool, Field(description="Replace what the field holds")] = False,
        submit: Annotated[bool, Field(description="Press enter afterwards")] = False,
        serial: Serial = None,
    ) -> str:
        """Type into a text field (the focused one, or `into`) and read the field back."""
        device = self.access.writable(serial)
        before, holds = self.type_into(
            device, lambda now: self._field(device, now, into), text, clear=clear, submit=submit
        )
        said = f'Typed. The field holds "{cut(holds)}".' if holds or not text else "Typed."
        told = f"{said} {outcome(device.slot.phone, before)}"
        typed = self._typed(device, before, into, text)
        more = {"clear": True} if clear else {}
        self.acting.note(device, None, {**typed, **more, **({"submit": True} if submit else {})})
        return told

    def _typed(self, device: Device, before: Screen, into: str | None, text: str) -> Step:
        """Give the step that types the same; what goes into a password field is an input."""
        focused = (e for e in before.elements if e.kind == "field" and "focused" in e.flags)
        field = self._field(device, before, into) or next(focused, None)
        hidden = field is not None and field.node is not None and field.node.is_on("password")
        return typing_of(before, field, "{{password}}" if hidden else text)

    def de_press_key(
        self,
        key: Annotated[str, Field(description=", ".join([*KEYS, UNLOCK]))],
        serial: Serial = None,
    ) -> str:
        """Press a key of the phone; unlock wakes it and opens its lock."""
        device = self.access.writable(serial)
        name = key.strip().lower().removeprefix("keycode_")
        return self.acting.act(device, self.pressing(device, name))

    def pressing(self, device: Device, name: str) -> Doing:
        """Give what presses a key."""
        phone = device.slot.phone

        def press(now: Screen) -> str:
            if name == UNLOCK:
                phone.unlock()
                return "Unlocked."
            phone.press_key(name)
            return f"Pressed {name}."

        def means(now: Screen) -> Act:
            return Act(_focused_control(now), blind=True) if name == SUBMIT else HARMLESS

        despite = ANYWHERE if name in WAKING else ON_A_LOCKED_PHONE
        return Doing(press, means, despite, lambda now: {"type": "press_key", "key": name})

    def de_swipe(
        self,
        direction: Annotated[
            str | None,
            optional("string", "Where the finger goes: up shows what is below", enum=[*DIRECTIONS]),
        ] = None,
        start: Annotated[list[int] | None, POINT, Field(alias="from", min_length=2)] = None,
        end: Annotated[list[int] | None, POINT, Field(alias="to", min_length=2)] = None,
        serial: Serial = None,
    ) -> str:
        """Swipe across the screen, by direction or from one point to another."""
        device = self.access.writable(serial)
        phone = device.slot.phone

        def swipe(now: Screen) -> str:
            if start or end:
                self.sight.same_frame(device, now)
            path = _path(now, direction, start, end)
            off_the_keys(now, path[0])
            phone.swipe(*path)
            touched(now, *path)
            return f"Swiped {direction or f'{start} to {end}'}."

        def means(now: Screen) -> Act:
            return policy.moved(now, *_path(now, direction, start, end), aimed=bool(start))

        def step(now: Screen) -> Step | None:
            if direction:
                return {"type": "swipe", "direction": direction}
            first, last = _path(now, direction, start, end)
            return step_of(now, Touch("swipe", first, last))

        return self.acting.act(device, Doing(swipe, means, ON_A_LOCKED_PHONE, step), BRISK_S)

    def de_scroll_to(
        self,
        text: Annotated[str, Field(description="What to look for, whole or part")],
        serial: Serial = None,
    ) -> str:
        """Scroll until an element carries a text: to the end, then back to the beginning."""
        device = self.access.writable(serial)
        with device.slot.phone.gate.hold(Need.ACT):
            now = look(device.slot.phone)
            refuse_shut(now, device)
            self.acting.consent.need(device, HARMLESS, now)
        found = Search(device, self.access, text).run()
        self.acting.note(device, None, {"type": "scroll_to", "selector": {"textContains": text}})
        return found

    def _either(self, device: Device, element: int | None, text: str | None) -> Choose:
        if (element is None) == (not text):
            raise Invalid(path="element", detail="pass element or text.")
        return carrying(text) if text else self.acting.numbered(device, element or 0)

    def type_into(
        self, device: Device, find: FindField, text: str, *, clear: bool, submit: bool
    ) -> tuple[Screen, str]:
        """Type into the field that is found; gives the screen before, and what the field holds.

        Raises:
            NotSubmitted: It was typed; enter would now do what nobody let through.
        """
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            refuse_shut(before, device)
            self.acting.consent.need(device, Act(blind=submit, types=True), before)
            self._focus(device, before, find)
            self.access.check(device)
            holds = phone.type_text(text, clear=clear)
            if submit:
                self._submit(device, holds)
        return before, holds

    def _submit(self, device: Device, holds: str) -> None:
        """Press enter after typing, which may have brought up a button that sends.

        Raises:
            NotSubmitted: It has, and nobody let that through.
        """
        phone = device.slot.phone
        risk = self.acting.consent.unasked(device, Act(blind=True), look(phone))
        if risk is not None:
            raise NotSubmitted(holds=cut(holds), said=cut(risk.said))
        self.access.check(device)
        phone.press_key(SUBMIT)

    def _focus(self, device: Device, now: Screen, find: FindField) -> None:
        """Make the wanted field the one that typing goes to."""
        phone = device.slot.phone
        field = find(now)
        if field is None or "focused" in field.flags:
            return
        if field.covered:
            again = _again(find, field)
            now, field, _ = self.acting.reach(device, again)
        if field.kind != "field":
            self.acting.consent.need(device, Act(policy.reached(field, now)), now)
        self.access.check(device)
        phone.tap(field.point)
        touched(now, field.point)
        deadline = time.monotonic() + FOCUS_S
        while phone.focused_field() is None and time.monotonic() < deadline:
            time.sleep(POLL_S)

    def _field(self, device: Device, now: Screen, into: str | None) -> Element | None:
        """Choose the field to type into; None leaves it to the one that has the focus."""
        fields = [e for e in now.elements if e.kind == "field"]
        if into is None:
            focused = any("focused" in e.flags for e in fields)
            return None if focused or len(fields) != 1 else fields[0]
        if into.strip("[] ").isdecimal():
            return self.sight.numbered(device, int(into.strip("[] ")), now)
        return selectors.find(now, into, among=fields)


def _again(find: FindField, field: Element) -> Choose:
    return lambda now: find(now) or selectors.again(now, field)


def _tap(device: Device) -> Gesture:
    return Gesture("Tapped", device.slot.phone.tap)


def _focused_control(now: Screen) -> Element | None:
    """Give the control that enter presses; None when a field or nothing has the focus."""
    focused = (e for e in now.elements if "focused" in e.flags and e.kind != "field")
    return next(focused, None)


def _path(
    now: Screen, direction: str | None, start: list[int] | None, end: list[int] | None
) -> tuple[Point, Point]:
    """Give where a finger moves; by direction it stays above the keyboard."""
    if start and end:
        return (start[0], start[1]), (end[0], end[1])
    if direction not in DIRECTIONS:
        raise Invalid(
            path="direction", detail="pass direction (up, down, left, right) or from and to."
        )
    (x1, y1), (x2, y2) = DIRECTIONS[direction]
    w, h = now.size.width, now.size.height
    if now.keyboard is not None and now.keyboard.area:
        h = now.keyboard.top
    return (int(x1 * w), int(y1 * h)), (int(x2 * w), int(y2 * h))
