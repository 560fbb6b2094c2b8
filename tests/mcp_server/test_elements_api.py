"""What is on a screen with its selectors, and a touch that comes back as a step."""

from typing import Any

from core.devices import lease
from core.devices.lease import Claim
from core.steps.checks import parse_steps
from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle


def hold(house: McpHouse, phone: PhoneHandle) -> dict[str, object]:
    """Take the phone for a person who records."""
    with house.instance.db.write() as session:
        fence = lease.take(session, phone.serialno, Claim("human", "human:1", "Li"))
    return {"owner": "human:1", "fence": fence, "record": True}


def middle(element: dict[str, Any]) -> dict[str, int]:
    left, top, right, bottom = element["bounds"]
    return {"x": (left + right) // 2, "y": (top + bottom) // 2}


def test_each_element_comes_with_selectors_that_find_it(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")

    seen = mcp_house.phones.elements(mcp_house.serial)

    assert (seen["package"], seen["width"], seen["height"]) == ("com.android.settings", 1080, 2400)
    clickable = [each for each in seen["elements"] if each["clickable"]]
    assert len(clickable) > 5
    assert all(each["selectors"] for each in clickable)
    assert [each["number"] for each in seen["elements"]] == list(
        range(1, len(seen["elements"]) + 1)
    )


def test_a_recorded_tap_is_done_and_comes_back_as_a_click(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    held = hold(mcp_house, phone)
    seen = mcp_house.phones.elements(mcp_house.serial)
    row = next(each for each in seen["elements"] if each["label"].startswith("声音"))

    answer = mcp_house.phones.input(mcp_house.serial, {"type": "tap", **middle(row), **held})

    (made,) = parse_steps([answer["step"]])
    assert made.type == "click"
    assert answer["step"]["selector"] == row["selectors"][0]["selector"]
    assert len(phone.log()) == 1


def test_a_touch_that_is_not_recorded_has_no_step(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    held = {**hold(mcp_house, phone), "record": False}

    answer = mcp_house.phones.input(mcp_house.serial, {"type": "key", "key": "home", **held})

    assert "step" not in answer
