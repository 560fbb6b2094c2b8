"""Put text into the focused field, and never say so unless it is there.

Android has no single way that works in every app, so several are tried, each only after the
field was read and found unchanged: replacing the field's text, pasting, a keyboard made for adb,
key presses. What a password field holds is told to nobody.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from core.errors import PhoneFault, TextNotTyped
from core.screen import elements, hierarchy

logger = logging.getLogger(__name__)

Way = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Field:
    """A field that can be typed into; ``text`` is empty while it shows only its hint."""

    text: str
    is_password: bool

    @classmethod
    def find(cls, xml: str, serial: str) -> "Field | None":
        """Find the field with the focus in a dump."""
        for node in hierarchy.parse(xml, serial).walk():
            if node.is_on("focused") and elements.is_field(node):
                shown = node.get("text")
                hint = node.get("hint")
                return cls("" if shown == hint else shown, node.is_on("password"))
        return None


class Keyboard(Protocol):
    """The ways a phone offers of putting text in."""

    def focused_field(self) -> Field | None:
        """Read the focused field."""
        ...

    def set_text(self, text: str) -> bool:
        """Replace its text."""
        ...

    def paste(self, text: str) -> bool:
        """Paste at the cursor."""
        ...

    def type_by_keyboard(self, text: str) -> bool:
        """Type through a keyboard made for adb; False when there is none."""
        ...

    def input_text(self, text: str) -> None:
        """Press the keys of printable ASCII."""
        ...


class TextEntry:
    """Types into one phone's focused field."""

    def __init__(self, serial: str, keyboard: Keyboard) -> None:
        self.serial = serial
        self.keyboard = keyboard
        self._refusal = ""

    def type(self, text: str, *, clear: bool) -> str:
        """Add ``text`` to the field, or replace its text, and read it back.

        Returns:
            What the field holds now; empty for a password.

        Raises:
            TextNotTyped: No field has the focus, or it holds something else now.
        """
        before = self._field()
        adds = bool(before.text) and not clear
        wanted = before.text + text if adds else text
        for way in self._ways(text, wanted, before, adds=adds):
            now = self._try(way)
            if _is_typed(before, now, {_plain(wanted), _plain(text)}):
                return "" if now.is_password else now.text
            if now != before:
                raise TextNotTyped(serial=self.serial, detail=_holds(now))
        raise TextNotTyped(serial=self.serial, detail=f"The field did not change. {self._refusal}")

    def _ways(self, text: str, wanted: str, before: Field, *, adds: bool) -> list[Way]:
        def replace() -> None:
            self.keyboard.set_text(wanted)

        def paste() -> None:
            self.keyboard.paste(text)

        def keyboard() -> None:
            self.keyboard.type_by_keyboard(text)

        def press() -> None:
            if text.isascii() and text.isprintable():
                self.keyboard.input_text(text)

        if not adds:
            # what is left of an old text would stand before what is pasted
            return [replace] if before.text else [replace, paste, keyboard, press]
        if before.is_password:  # what it holds cannot be read, so it cannot be replaced
            return [paste, keyboard, press]
        return [paste, replace, keyboard, press]

    def _try(self, way: Way) -> Field:
        try:
            way()
        except PhoneFault as error:
            # the field is read next, which tells more than the refusal
            logger.info("%s: one way of typing failed: %s", self.serial, error)
            self._refusal = error.details.get("detail", "")
        return self._field()

    def _field(self) -> Field:
        field = self.keyboard.focused_field()
        if field is None:
            raise TextNotTyped(serial=self.serial, detail="No text field has the focus.")
        return field


def _holds(field: Field) -> str:
    return "It holds something else now." if field.is_password else f'It holds "{field.text}" now.'


def _is_typed(before: Field, now: Field, wanted: set[str]) -> bool:
    """Compare; a phone without hints shows the hint as text, so ``text`` alone may be right."""
    if now.is_password:
        return len(now.text) != len(before.text) or not (now.text or before.text)
    return _plain(now.text) in wanted


def _plain(text: str) -> str:
    # fields turn line breaks into spaces and group digits with blanks
    return "".join(text.split())
