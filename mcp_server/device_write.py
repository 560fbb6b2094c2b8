"""The tools that touch phones.

Each one reads the screen, decides on it, checks the right to write once more and touches, all
while it has the phone for itself; then it says what changed.
"""

import time
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from core.devices import apps
from core.devices.base import KEYS, AppInfo, Point, Size
from core.devices.gate import Need
from core.errors import ElementGone, Invalid, NoSuchApp, PhoneFault
from core.screen import selectors
from core.screen.elements import Element, cut
from core.screen.screen import Screen
from mcp_server.access import Access, Device
from mcp_server.sight import Sight, look, outcome
from mcp_server.toolbox import WRITE, Serial, Spec, optional

OPEN_S = 10.0
POLL_S = 0.3
FOCUS_S = 2.0
DIRECTIONS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "up": ((0.5, 0.75), (0.5, 0.25)),
    "down": ((0.5, 0.3), (0.5, 0.8)),
    "left": ((0.85, 0.5), (0.15, 0.5)),
    "right": ((0.15, 0.5), (0.85, 0.5)),
}

POINT = optional("array", "[x, y] in pixels", items={"type": "integer"}, minItems=2, maxItems=2)


class WriteTools:
    """Touches; every method is a tool and its docstring the tool's description."""

    def __init__(self, access: Access, sight: Sight) -> None:
        self.access = access
        self.sight = sight

    def specs(self) -> list[Spec]:
        """List the tools."""
        return [
            Spec(self.de_tap, "Tap an element", WRITE),
            Spec(self.de_tap_text, "Tap text", WRITE),
            Spec(self.de_type_text, "Type text", WRITE),
            Spec(self.de_press_key, "Press a key", WRITE),
            Spec(self.de_swipe, "Swipe", WRITE, {"from": "start", "to": "end"}),
            Spec(self.de_open_app, "Open an app", WRITE),
        ]

    def de_tap(
        self,
        element: Annotated[int, Field(description="Its number in de_ui_tree")],
        serial: Serial = None,
    ) -> str:
        """Tap an element of the last de_ui_tree."""
        device = self.access.writable(serial)
        return self._touch(device, lambda now: self.sight.numbered(device, element, now))

    def de_tap_text(
        self,
        text: Annotated[str, Field(description="Its text or description, whole or part")],
        index: Annotated[int | None, optional("integer", "Which of several, from 0")] = None,
        serial: Serial = None,
    ) -> str:
        """Tap the element that carries a text."""
        device = self.access.writable(serial)
        return self._touch(device, lambda now: selectors.find(now, text, index))

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
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            self._focus(device, before, into)
            self.access.check(device)
            holds = phone.type_text(text, clear=clear)
            if submit:
                self.access.check(device)
                phone.press_key("enter")
        said = f'Typed. The field holds "{cut(holds)}".' if holds or not text else "Typed."
        return f"{said} {outcome(phone, before)}" if submit else said

    def de_press_key(
        self,
        key: Annotated[str, Field(description=", ".join(KEYS))],
        serial: Serial = None,
    ) -> str:
        """Press a key of the phone."""
        device = self.access.writable(serial)
        name = key.strip().lower().removeprefix("keycode_")

        def press(now: Screen) -> str:
            device.slot.phone.press_key(name)
            return f"Pressed {name}."

        return self._act(device, press)

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
            phone.swipe(*_path(now.size, direction, start, end))
            return f"Swiped {direction or f'{start} to {end}'}."

        return self._act(device, swipe)

    def de_open_app(
        self,
        app: Annotated[str, Field(description="Label as on the launcher, or package")],
        serial: Serial = None,
    ) -> str:
        """Open an app and wait until it is in front."""
        device = self.access.writable(serial)
        phone = device.slot.phone
        package = apps.package_of(app.strip(), phone.installed())
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            if package is None:
                return self._open_from_launcher(device, app, before)
            self.access.check(device)
            phone.open_app(package)
        front = _wait_for_app(device, lambda now: now.package == package)
        if front.package != package:
            detail = f"{package} was started, but {front.package} is in front."
            raise PhoneFault(serial=device.serial, detail=detail)
        return f"{package} is in front. {outcome(phone, before)}"

    def _open_from_launcher(self, device: Device, app: str, before: Screen) -> str:
        """Find an app by its label on the home screen."""
        phone = device.slot.phone
        self.access.check(device)
        phone.press_key("home")
        home = look(phone)
        try:
            icon = selectors.find(home, app)
        except ElementGone as error:
            known = str(error.details["nearest"]).removesuffix(" de_ui_tree lists all.")
            raise NoSuchApp(app=app, known=f"Looked on the home screen. {known}") from error
        self.access.check(device)
        phone.tap(icon.point)
        front = _wait_for_app(device, lambda now: now.package != home.app.package)
        if front.package == home.app.package:
            detail = f"{icon.name} was tapped, but no app came to the front."
            raise PhoneFault(serial=device.serial, detail=detail)
        return f"{front.package} is in front. {outcome(phone, before)}"

    def _touch(self, device: Device, choose: Callable[[Screen], Element]) -> str:
        """Tap the element that is chosen on a fresh screen."""

        def tap(now: Screen) -> str:
            element = choose(now)
            if "disabled" in element.flags:
                raise Invalid(path="element", detail=f"{element.name} is disabled.")
            device.slot.phone.tap(element.point)
            return f"Tapped {element.gist} @{element.point[0]},{element.point[1]}."

        return self._act(device, tap)

    def _act(self, device: Device, act: Callable[[Screen], str]) -> str:
        """Read the screen, touch it while nobody else can, and say what changed."""
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            self.access.check(device)
            said = act(before)
        return f"{said} {outcome(phone, before)}"

    def _focus(self, device: Device, now: Screen, into: str | None) -> None:
        """Make the wanted field the one that typing goes to."""
        phone = device.slot.phone
        field = self._field(device, now, into)
        if field is None or "focused" in field.flags:
            return
        self.access.check(device)
        phone.tap(field.point)
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


def _path(
    size: Size, direction: str | None, start: list[int] | None, end: list[int] | None
) -> tuple[Point, Point]:
    if start and end:
        return (start[0], start[1]), (end[0], end[1])
    if direction not in DIRECTIONS:
        raise Invalid(
            path="direction", detail="pass direction (up, down, left, right) or from and to."
        )
    (x1, y1), (x2, y2) = DIRECTIONS[direction]
    w, h = size.width, size.height
    return (int(x1 * w), int(y1 * h)), (int(x2 * w), int(y2 * h))


def _wait_for_app(device: Device, is_it: Callable[[AppInfo], bool]) -> AppInfo:
    """Ask which app is in front until it is the right one or time is up."""
    deadline = time.monotonic() + OPEN_S
    front = device.slot.phone.current_app()
    while not is_it(front) and time.monotonic() < deadline:
        time.sleep(POLL_S)
        front = device.slot.phone.current_app()
    return front
