"""The console reads and touches elements as the tools do."""

import pytest

from core.devices import lease
from core.devices.lease import Claim
from core.errors import Ambiguous, ElementGone, LeaseLost
from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


@pytest.fixture
def held(mcp_house: McpHouse, phone: PhoneHandle) -> dict[str, object]:
    """Hold the phone for a person, with Settings in front."""
    phone.start(SETTINGS)
    with mcp_house.instance.db.write() as session:
        fence = lease.take(session, phone.serialno, Claim("human", "human:1", "Li"))
    return {"owner": "human:1", "fence": fence}


def test_a_screen_is_read_and_its_numbers_can_be_tapped(
    mcp_house: McpHouse, phone: PhoneHandle, held: dict[str, object]
) -> None:
    seen = mcp_house.phones.observe(mcp_house.serial, "human:1")
    line = next(each for each in seen.text.splitlines() if "蓝牙" in each)
    number = int(line.split("[")[1].split("]")[0])

    answer = mcp_house.phones.input(mcp_house.serial, {"type": "tap", "element": number, **held})

    assert (seen.state, seen.advice) == ("ok", "")
    assert "Tapped item" in answer["said"]
    assert phone.log()[-1]["label"] == "蓝牙"


def test_text_is_pressed_long(
    mcp_house: McpHouse, phone: PhoneHandle, held: dict[str, object]
) -> None:
    act = {"type": "long_press", "text": "蓝牙", **held}

    answer = mcp_house.phones.input(mcp_house.serial, act)

    assert answer["said"].startswith("Pressed long item")
    assert phone.log()[-1]["kind"] == "long"


def test_what_cannot_be_touched_is_refused_as_the_leaf_it_is(
    mcp_house: McpHouse, phone: PhoneHandle, held: dict[str, object]
) -> None:
    refusals = [
        ({"text": "量子", **held}, ElementGone),
        ({"element": 999, **held}, ElementGone),
        ({"text": "、", **held}, Ambiguous),
        ({"text": "蓝牙", **held, "fence": 99}, LeaseLost),
    ]

    for act, leaf in refusals:
        with pytest.raises(leaf):
            mcp_house.phones.input(mcp_house.serial, {"type": "tap", **act})

    assert phone.log() == []


def test_a_state_comes_with_its_advice(
    mcp_house: McpHouse, phone: PhoneHandle, held: dict[str, object]
) -> None:
    phone.set("system.locked", True)

    seen = mcp_house.phones.observe(mcp_house.serial)

    assert seen.state == "locked"
    assert "unlock" in seen.advice
