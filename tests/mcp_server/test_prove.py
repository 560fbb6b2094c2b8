"""A run's claims are checked by the server on a fresh screen."""

from typing import Any

import pytest

from core.runs import proof
from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


def network_page(phone: PhoneHandle, wifi: bool) -> None:
    """Show the page with the switch."""
    phone.set("settings.wifi", wifi)
    phone.start(SETTINGS)


@pytest.mark.parametrize(
    ("check", "met"),
    [
        ({"text": "移动数据"}, True),
        ({"text": "量子"}, False),
        ({"text": "量子", "gone": True}, True),
        ({"app": "设置"}, True),
        ({"app": SETTINGS}, True),
        ({"app": "备忘录"}, False),
        ({"element": "Wi-Fi"}, True),
        ({"element": "Wi-Fi", "value": "off"}, True),
        ({"element": "Wi-Fi", "value": "on"}, False),
        ({"element": "Wi-Fi", "value": "on", "gone": True}, True),
        ({"value": "显示"}, False),
    ],
)
def test_a_check_is_met_only_by_what_the_screen_shows(
    mcp_house: McpHouse, phone: PhoneHandle, check: dict[str, Any], met: bool
) -> None:
    network_page(phone, wifi=False)

    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        tools.call("de_tap_text", text="网络和互联网")
        answer = tools.call("prove", checks=[check])

    assert not answer.is_error
    assert answer.text.startswith("Proved." if met else "1 of 1 checks failed.")
    assert proof.verified(mcp_house.instance.db, run.run_id) is met


def test_a_field_s_value_is_what_it_holds(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        tools.call("de_type_text", text="蓝牙", into="搜索设置")
        right = tools.call("prove", checks=[{"value": "蓝牙"}])
        part = tools.call("prove", checks=[{"value": "蓝"}])

    assert right.text.startswith("Proved.")
    assert part.text.startswith("1 of 1 checks failed.")


def test_a_failed_check_says_what_is_there_and_stays_with_the_run(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    network_page(phone, wifi=True)

    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        answer = tools.call("prove", checks=[{"text": "蓝牙耳机"}, {"app": "设置"}])
        tools.call("prove", checks=[{"app": "设置"}])

    assert "NOT MET" in answer.text
    assert "Nearest" in answer.text
    assert proof.verified(mcp_house.instance.db, run.run_id) is False


def test_what_a_screen_does_not_tell_is_not_proved_to_be_gone(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.fault("dump_fail")

    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        answer = tools.call("prove", checks=[{"text": "量子", "gone": True}])

    assert "tells too little" in answer.text
    assert proof.verified(mcp_house.instance.db, run.run_id) is False


@pytest.mark.parametrize(
    "check", [{}, {"text": "a", "app": "b"}, {"text": "a", "value": "on"}, {"colour": "red"}]
)
def test_a_check_that_states_nothing_or_too_much_is_refused(
    mcp_house: McpHouse, check: dict[str, Any]
) -> None:
    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        answer = tools.call("prove", checks=[check])

    assert answer.is_error
    assert proof.verified(mcp_house.instance.db, run.run_id) is None
