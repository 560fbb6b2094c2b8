"""The console mends phones through the MCP server, and errors come back as the leaves they were."""

import os
import signal

import pytest

from core.devices import lease, store
from core.errors import NotFound, NotPaired
from tests.fixtures_mcp import McpHouse
from tests.stack import free_port, wait_for
from virtual_phone.testing import PhoneHandle


def test_the_doctor_finds_what_hampers_a_phone(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    sound = mcp_house.phones.doctor(mcp_house.serial)
    phone.set("settings.wifi", False)

    found = mcp_house.phones.doctor(mcp_house.serial)

    assert sound == []
    assert [each.code for each in found] == ["no_network"]
    assert "aeroplane mode is off" in found[0].shown("en")["hint"]


def test_a_phone_is_opened_anew_and_works(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    assert mcp_house.phones.reconnect(phone.serialno) == mcp_house.serial

    assert mcp_house.phones.info(mcp_house.serial).package


def test_what_cannot_be_mended_says_why(mcp_house: McpHouse) -> None:
    with pytest.raises(NotFound, match="no device nobody"):
        mcp_house.phones.reconnect("nobody")
    with pytest.raises(NotFound, match="no device nobody"):
        mcp_house.phones.forget("nobody")
    with pytest.raises(NotPaired, match="Wireless debugging"):
        mcp_house.phones.pair(f"127.0.0.1:{free_port()}", "123456")


def test_the_pin_that_is_kept_unlocks_a_phone_for_a_program(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    instance = mcp_house.instance
    store.set_pin(instance.db, mcp_house.serial, instance.fernet.encrypt(b"2580").decode())
    phone.set("system.pin", "2580")
    phone.set("system.locked", True)

    with mcp_house.tools() as tools:
        seen = tools.call("de_ui_tree")
        tools.call("de_press_key", key="unlock")

    store.set_pin(instance.db, mcp_house.serial, None)
    assert "locked" in seen.text
    assert phone.get("system.locked") is False


def test_a_server_that_was_killed_is_followed_by_one_that_finds_everything_in_order(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    token = mcp_house.token()
    with mcp_house.tools(token) as tools:
        tools.call("de_open_app", app="com.android.settings")
    os.kill(mcp_house.process.pid, signal.SIGKILL)
    mcp_house.process.wait(timeout=10)
    touched = len(phone.log())

    mcp_house.restart()
    with mcp_house.tools(token) as tools:
        answer = tools.call("de_press_key", key="home")

    assert not answer.is_error
    assert len(phone.log()) == touched + 1
    assert len(lease.all_held(mcp_house.instance.db)) == 1
    wait_for(lambda: phone.get("system.foreground") != "com.android.settings", "home", 5)
