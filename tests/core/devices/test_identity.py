"""Which phone it is that adb shows."""

import pytest

from core.devices.base import Hardware
from core.devices.identity import Seen, identify, is_usable

FIRST = Seen("10.0.0.5:5555", "HW1", "HW1", "aaaaaaaaaaaaaaaa")


def hardware(serialno: str, mark: str = "") -> Hardware:
    return Hardware(serialno, "Pixel 7", "14", 87, mark=mark)


def test_a_phone_is_known_by_its_hardware_serial() -> None:
    assert identify("R5CT", hardware("HW1"), []) == "HW1"


def test_usb_and_wifi_of_one_phone_are_one() -> None:
    assert identify("HW1", hardware("HW1", FIRST.mark), [FIRST]) == "HW1"
    assert identify("HW1", hardware("HW1"), [FIRST]) == "HW1"


def test_two_phones_of_one_serial_are_told_apart_by_their_mark() -> None:
    other = identify("10.0.0.6:5555", hardware("HW1", "bbbbbbbbbbbbbbbb"), [FIRST])
    again = Seen("10.0.0.6:5555", other, "HW1", "bbbbbbbbbbbbbbbb")

    assert other == "HW1~bbbbbb"
    assert identify("R5CT", hardware("HW1", "bbbbbbbbbbbbbbbb"), [FIRST, again]) == other
    assert identify("R5CT", hardware("HW1", FIRST.mark), [FIRST, again]) == "HW1"


def test_a_phone_that_was_reset_stays_the_same_phone() -> None:
    assert identify(FIRST.serial, hardware("HW1", "cccccccccccccccc"), [FIRST]) == "HW1"


@pytest.mark.parametrize("nobodys", ["", "unknown", "????????????", "0123456789ABCDEF", "00000000"])
def test_a_serial_that_is_nobodys_is_not_used(nobodys: str) -> None:
    assert not is_usable(nobodys)
    assert identify("adb7", hardware(nobodys, "dddddddddddddddd"), []) == "id-dddddddddddddddd"
    assert identify("????????????", hardware(nobodys), []) == "????????????"
