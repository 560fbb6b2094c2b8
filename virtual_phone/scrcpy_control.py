"""scrcpy's control messages, protocol 3.x: read one, do what it asks of the phone."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from virtual_phone import state as st
from virtual_phone import touch
from virtual_phone.android import Phone
from virtual_phone.wire import Stream

logger = logging.getLogger(__name__)


class Kind(IntEnum):
    """What a message asks; the order is the protocol's."""

    KEYCODE = 0
    TEXT = 1
    TOUCH = 2
    SCROLL = 3
    BACK_OR_SCREEN_ON = 4
    EXPAND_NOTIFICATIONS = 5
    EXPAND_SETTINGS = 6
    COLLAPSE = 7
    GET_CLIPBOARD = 8
    SET_CLIPBOARD = 9
    DISPLAY_POWER = 10
    ROTATE = 11
    UHID_CREATE = 12
    UHID_INPUT = 13
    UHID_DESTROY = 14
    KEYBOARD_SETTINGS = 15
    START_APP = 16
    RESET_VIDEO = 17


_SHAPES = {
    Kind.KEYCODE: struct.Struct(">BiiI"),
    Kind.TOUCH: struct.Struct(">BqiiHHHII"),
    Kind.SCROLL: struct.Struct(">iiHHhhI"),
    Kind.BACK_OR_SCREEN_ON: struct.Struct(">B"),
    Kind.GET_CLIPBOARD: struct.Struct(">B"),
    Kind.SET_CLIPBOARD: struct.Struct(">qB"),
    Kind.DISPLAY_POWER: struct.Struct(">B"),
    Kind.UHID_CREATE: struct.Struct(">HHH"),
    Kind.UHID_INPUT: struct.Struct(">H"),
    Kind.UHID_DESTROY: struct.Struct(">H"),
}
# what follows the fixed part: text or bytes, each with its length in so many bytes
_TAILS = {
    Kind.TEXT: (4,),
    Kind.SET_CLIPBOARD: (4,),
    Kind.UHID_CREATE: (1, 2),
    Kind.UHID_INPUT: (2,),
    Kind.START_APP: (1,),
}
_DOWN, _UP, _MOVE = range(3)
_FINGER = {_DOWN: "DOWN", _UP: "UP", _MOVE: "MOVE"}
_META_SHIFT, _META_CONTROL, _CONTROL_LEFT = 0x1, 0x1000, 113
_BACK = 4
_SCROLL_UNIT = 16 / 32768
_NOTCH_PX = 150
_CLIPBOARD_MESSAGE, _CLIPBOARD_ACK = 0, 1


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its kind, its numbers, and its texts or bytes."""

    kind: Kind
    numbers: tuple[int, ...] = ()
    tails: tuple[bytes, ...] = ()


async def read_message(stream: Stream) -> Message:
    """Read the next message.

    Raises:
        EOFError: the client left.
        ConnectionError: it sent what protocol 3 does not know; nothing after it can be read.
    """
    number = (await stream.read_exactly(1))[0]
    if number > max(Kind):
        raise ConnectionError(f"unknown control message {number}")
    kind = Kind(number)
    shape = _SHAPES.get(kind)
    numbers = shape.unpack(await stream.read_exactly(shape.size)) if shape else ()
    tails = []
    for width in _TAILS.get(kind, ()):
        size = int.from_bytes(await stream.read_exactly(width), "big")
        tails.append(await stream.read_exactly(size) if size else b"")
    return Message(kind, numbers, tuple(tails))


class Hands:
    """Do on the phone what messages ask; points are those of the video as it is now."""

    def __init__(self, phone: Phone, size: Callable[[], tuple[int, int] | None]) -> None:
        self._phone = phone
        self._size = size

    def act(self, message: Message) -> bytes:
        """Obey one message; returns what to answer, mostly nothing."""
        match message.kind:
            case Kind.SET_CLIPBOARD | Kind.GET_CLIPBOARD:
                return self._clipboard(message)
            case Kind.TOUCH | Kind.SCROLL:
                self._point(message)
            case Kind.KEYCODE | Kind.TEXT | Kind.BACK_OR_SCREEN_ON:
                self._type(message)
            case _:
                self._system(message)
        return b""

    def _type(self, message: Message) -> None:
        phone = self._phone
        if message.kind == Kind.TEXT:
            st.type_text(phone.state, message.tails[0].decode("utf-8", "replace"))
            phone.changed()
            return
        if message.numbers[0] != _DOWN:
            return
        if message.kind == Kind.BACK_OR_SCREEN_ON:
            on = bool(phone.state["system"]["screen_on"])
            self._press(_BACK if on else touch.KEY_CODES["WAKEUP"], 0)
        else:
            self._press(message.numbers[1], message.numbers[3])

    def _press(self, code: int, meta: int) -> None:
        try:
            if meta & _META_CONTROL:
                touch.press_together(self._phone, [_CONTROL_LEFT, code])
            else:
                touch.press(self._phone, code, shift=bool(meta & _META_SHIFT))
        except ValueError as error:
            logger.info("scrcpy: %s", error)

    def _point(self, message: Message) -> None:
        if message.kind == Kind.TOUCH:
            action, _, x, y, width, height = message.numbers[:6]
        else:
            x, y, width, height = message.numbers[:4]
        if (width, height) != self._size():
            # the phone was turned since: the point means nothing any more
            logger.info("scrcpy: ignored a touch made for a screen of %sx%s", width, height)
            return
        real_width, real_height = self._phone.size
        at = (x * real_width / width, y * real_height / height)
        if message.kind == Kind.TOUCH and action in _FINGER:
            touch.finger(self._phone, _FINGER[action], at)
        elif message.kind == Kind.SCROLL:
            way = message.numbers[5] * _SCROLL_UNIT * _NOTCH_PX
            touch.swipe(self._phone, at, (at[0], at[1] + way))

    def _clipboard(self, message: Message) -> bytes:
        state = self._phone.state
        if message.kind == Kind.GET_CLIPBOARD:
            text = str(state["system"]["clipboard"]).encode()
            return struct.pack(">BI", _CLIPBOARD_MESSAGE, len(text)) + text
        sequence, paste = message.numbers
        state["system"]["clipboard"] = message.tails[0].decode("utf-8", "replace")
        if paste:
            st.type_text(state, state["system"]["clipboard"])
        self._phone.changed()
        return struct.pack(">Bq", _CLIPBOARD_ACK, sequence) if sequence else b""

    def _system(self, message: Message) -> None:
        phone = self._phone
        match message.kind:
            case Kind.START_APP:
                name = message.tails[0].decode("utf-8", "replace").lstrip("+")
                if app := phone.app(name):
                    phone.start(app)
            case Kind.ROTATE:
                phone.set("system.rotation", (phone.state["system"]["rotation"] + 1) % 2)
            case _ if (shade := _SHADES.get(message.kind)) is not None:
                phone.set("system.shade", shade)
            case _:
                logger.info("scrcpy: message %s changes nothing here", message.kind)


_SHADES = {
    Kind.EXPAND_NOTIFICATIONS: "notifications",
    Kind.EXPAND_SETTINGS: "quick",
    Kind.COLLAPSE: "",
}
