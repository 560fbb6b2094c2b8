"""Ten phones in one process stay small: what is slow to make is shared and bounded."""

import subprocess
import sys

import pytest

from virtual_phone.android import Phone
from virtual_phone.pictures import ROOM, SHELF, Shelf
from virtual_phone.profile import Profile

LIMIT_MB = 200
# its peak was 151 MB when it was measured in November 2026, 34 of them the bare program
_TEN_PHONES = """
import asyncio
from virtual_phone.android import Phone
from virtual_phone.testing import VirtualRack

async def look(phone):
    await phone.camera.png()
    await phone.camera.jpeg(80, 1.0)
    phone.windows()

def use(rack, number, change):
    phone = rack._placed[number].phone
    rack.run(lambda: change(phone))
    asyncio.run_coroutine_threadsafe(look(phone), rack._loop).result(20)

with VirtualRack(phones=10) as rack:
    apps = rack._placed[0].phone.apps
    for number in range(10):
        use(rack, number, lambda phone: phone.set("settings.dark_mode", number % 2 == 1))
        use(rack, number, lambda phone: phone.start(apps[number % len(apps)]))
        use(rack, number, lambda phone: phone.set("system.rotation", 1))
        use(rack, number, lambda phone: phone.switch_overlay("ad", True))
        use(rack, number, lambda phone: phone.set("system.locked", True))
        asyncio.run_coroutine_threadsafe(
            rack._placed[number].phone.camera.raw(), rack._loop).result(20)
lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(lines["VmHWM"].split()[0]) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_ten_phones_in_one_process_stay_under_their_limit() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _TEN_PHONES], capture_output=True, text=True, timeout=50, check=True
    )

    assert int(run.stdout) < LIMIT_MB


def test_only_the_pictures_that_were_asked_for_last_are_kept() -> None:
    phones = [Phone(Profile(width=180, height=400)) for _ in range(ROOM + 2)]

    first = [phone.camera.picture() for phone in phones]

    assert len(SHELF) == ROOM
    assert phones[-1].camera.picture() is first[-1]
    assert phones[0].camera.picture() is not first[0]


def test_a_picture_is_painted_anew_when_the_version_is_another() -> None:
    shelf, phone = Shelf(1), Phone(Profile(width=180, height=400))

    one = shelf.picture(1, 1, phone.camera.picture)
    phone.set("settings.dark_mode", True)
    two = shelf.picture(1, 2, phone.camera.picture)

    assert one is not two
    assert len(shelf) == 1
