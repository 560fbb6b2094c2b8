"""A phone as the product drives it."""

from collections.abc import Iterator

import pytest

from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from virtual_phone.testing import PhoneHandle


@pytest.fixture
def android(phone: PhoneHandle) -> Iterator[AndroidPhone]:
    made = AndroidPhone(Adb().link(phone.address))
    made.start()
    yield made
    made.close()
