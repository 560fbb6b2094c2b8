"""A thousand acts in a row leave the server as it was after a hundred."""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.devices import lease
from core.devices.adb import Adb
from tests.fixtures_mcp import McpHouse, Tools, free_all
from virtual_phone.testing import PhoneHandle, VirtualRack

logger = logging.getLogger(__name__)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

WARM, ACTS = 100, 1000
GROWTH = 1.05


@dataclass(frozen=True)
class Used:
    """What a process holds; the database's own files are left out.

    Its pool opens a connection whenever one more thread than ever before asks at the same moment,
    and keeps it, up to a limit.
    """

    files: int
    forwards: int
    leases: int
    rss_kb: int


@pytest.fixture
def own_house(adb_port: int, rack: VirtualRack, tmp_path: Path) -> Iterator[McpHouse]:
    house = McpHouse(tmp_path / "data", [phone.address for phone in rack.phones])
    yield house.start()
    free_all(house.instance)
    house.stop()


def used(house: McpHouse) -> Used:
    process = Path("/proc") / str(house.process.pid)
    pages = int((process / "statm").read_text().split()[1])
    with Adb().client.make_connection() as connection:
        connection.send_command("host:list-forward")
        connection.check_okay()
        forwards = len(str(connection.read_string_block()).splitlines())
    return Used(
        files=sum("phonedeck.db" not in os.readlink(fd) for fd in (process / "fd").iterdir()),
        forwards=forwards,
        leases=len(lease.all_held(house.instance.db)),
        rss_kb=pages * os.sysconf("SC_PAGE_SIZE") // 1024,
    )


def act(tools: Tools, number: int) -> None:
    """Go into a page of Settings and out again."""
    if number % 2:
        answer = tools.call("de_tap_text", text="网络和互联网")
    else:
        answer = tools.call("de_press_key", key="back")
    assert not answer.is_error, answer.text


def test_a_thousand_acts_leave_nothing_behind(own_house: McpHouse, phone: PhoneHandle) -> None:
    measured: dict[int, Used] = {}
    with own_house.tools() as tools:
        tools.call("de_open_app", app="com.android.settings")
        for number in range(1, ACTS + 1):
            act(tools, number)
            if number in (WARM, ACTS):
                measured[number] = used(own_house)

    early, late = measured[WARM], measured[ACTS]
    logger.info("after %d acts %s, after %d acts %s", WARM, early, ACTS, late)
    assert (late.files, late.forwards, late.leases) == (early.files, early.forwards, early.leases)
    assert late.rss_kb <= early.rss_kb * GROWTH, f"{early} {late}"
