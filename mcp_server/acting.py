"""Carry out one act: on a fresh screen, under the lease, and say what it changed.

The phone is the caller's alone from the look to the touch, so what was found is still there. The
lease is checked once more right before anything is sent.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.devices.base import Point
from core.devices.gate import Need
from core.errors import Invalid
from core.screen import selectors
from core.screen.elements import Element
from core.screen.screen import Screen
from mcp_server.access import Access, Device
from mcp_server.sight import PATIENT_S, Sight, look, outcome

Choose = Callable[[Screen], Element]
Press = Callable[[Point], None]


@dataclass(frozen=True, slots=True)
class Gesture:
    """What a finger does to an element; ``said`` is how the answer tells it."""

    said: str
    press: Press


class Acting:
    """The common part of the tools that touch."""

    def __init__(self, access: Access, sight: Sight) -> None:
        self.access = access
        self.sight = sight

    def act(
        self,
        device: Device,
        do: Callable[[Screen], str],
        waits_s: tuple[float, ...] = PATIENT_S,
    ) -> str:
        """Read the screen, act while nobody else can, and say what changed."""
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            self.access.check(device)
            said = do(before)
        return f"{said} {outcome(phone, before, waits_s)}"

    def touch(self, device: Device, choose: Choose, gesture: Gesture) -> str:
        """Touch the element that is chosen on a fresh screen, never what lies over it.

        Raises:
            ElementGone: It is not there.
            Invalid: It is there and cannot be touched now.
        """
        phone = device.slot.phone
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            element = choose(before)
            _touchable(element)
            self.access.check(device)
            gesture.press(element.point)
        x, y = element.point
        said = f"{gesture.said} {element.gist} @{x},{y}."
        return f"{said} {outcome(phone, before, PATIENT_S)}"

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
            _on_screen(now, point)
            device.slot.phone.tap(point)
            return f"Tapped {point[0]},{point[1]}{_what_is_at(now, point)}."

        return self.act(device, tap)


def carrying(text: str, index: int | None = None) -> Choose:
    """Choose the element that carries a text."""
    return lambda now: selectors.find(now, text, index)


def _touchable(element: Element) -> None:
    if "disabled" in element.flags:
        raise Invalid(path="element", detail=f"{element.name} is disabled.")


def _on_screen(now: Screen, point: Point) -> None:
    whole = now.size.bounds
    if not whole.contains(point):
        detail = f"{point[0]},{point[1]} is off the screen, which is {whole.right}x{whole.bottom}."
        raise Invalid(path="x", detail=detail)
    if now.keyboard is not None and now.keyboard.contains(point):
        detail = (
            f"the keyboard is at {point[0]},{point[1]}. de_press_key back hides it; "
            "de_type_text types."
        )
        raise Invalid(path="y", detail=detail)


def _what_is_at(now: Screen, point: Point) -> str:
    """Name the smallest element at a point."""
    there = [each for each in now.elements if each.bounds.contains(point)]
    if not there:
        return ", where no element is listed"
    return f", on {min(there, key=lambda each: each.bounds.area).gist}"
