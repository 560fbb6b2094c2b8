"""Who may touch which phone, whatever a prompt says."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import pytest

from core.devices import lease, store
from core.devices.lease import Claim
from tests.fixtures_mcp import McpHouse
from tests.mcp_server.test_tool_list import READING, SESSION, TOOLS
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle, VirtualRack


@pytest.fixture(scope="module")
def locked_house(
    adb_port: int, shelf: VirtualRack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[McpHouse]:
    data: Path = tmp_path_factory.mktemp("locked") / "data"
    house = McpHouse(data, [phone.address for phone in shelf.phones], allow_write=False)
    try:
        yield house.start()
    finally:
        house.stop()


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer pdt_nobody"}])
def test_without_a_good_token_the_answer_is_401(
    mcp_house: McpHouse, headers: dict[str, str]
) -> None:
    answer = httpx2.post(mcp_house.url, json={}, headers=headers)

    assert answer.status_code == 401


def test_a_foreign_host_name_is_answered_421(mcp_house: McpHouse) -> None:
    headers = {"Host": "evil.example", "Authorization": f"Bearer {mcp_house.token()}"}

    answers = [
        httpx2.post(mcp_house.url, json={}, headers=headers),
        httpx2.get(mcp_house.url.replace("/mcp", "/phones/health"), headers=headers),
    ]

    assert [answer.status_code for answer in answers] == [421, 421]


def test_a_run_reaches_its_own_device_only(mcp_house: McpHouse) -> None:
    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        other = tools.call("de_ui_tree", serial="emulator-5554")
        own = tools.call("de_ui_tree", serial=mcp_house.serial)

    assert other.is_error
    assert f"This run may only use {mcp_house.serial}, not emulator-5554." in other.text
    assert not own.is_error


def test_a_run_token_dies_with_its_run(mcp_house: McpHouse) -> None:
    with mcp_house.run() as (_, token):
        headers = {"Authorization": f"Bearer {token}"}
        during = httpx2.post(mcp_house.url, json={}, headers=headers).status_code

    after = httpx2.post(mcp_house.url, json={}, headers=headers).status_code

    assert during != 401
    assert after == 401


def test_a_write_after_the_lease_lapsed_is_refused_and_not_sent(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        with mcp_house.instance.db.write() as session:
            lease.release(session, run.run_id)
        answer = tools.call("de_press_key", key="home")

    assert answer.is_error
    assert "no longer held by this run, so nothing was sent" in answer.text
    assert phone.log() == []


def test_a_write_after_somebody_else_took_the_phone_is_refused(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        with mcp_house.instance.db.write() as session:
            lease.release(session, run.run_id)
            lease.take(session, phone.serialno, Claim("human", "human:1", "Li"))
        answer = tools.call("de_tap_text", text="设置")

    assert answer.is_error
    assert phone.log() == []


def test_a_run_that_observes_gets_no_tools_that_write(mcp_house: McpHouse) -> None:
    with mcp_house.run(autonomy="observe") as (_, token), mcp_house.tools(token) as tools:
        names = set(tools.names())
        answer = tools.call("de_press_key", key="home")

    assert names == READING | SESSION
    assert answer.is_error
    assert "may look at phones but not touch them" in answer.text


def test_a_viewers_token_only_reads(mcp_house: McpHouse) -> None:
    with mcp_house.tools(mcp_house.token("viewer")) as tools:
        names = set(tools.names())
        tree = tools.call("de_ui_tree")
        tap = tools.call("de_tap_text", text="设置")

    assert names == READING
    assert not tree.is_error
    assert tap.is_error


def test_an_api_token_takes_a_lease_when_it_writes(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    with mcp_house.tools() as tools:
        tools.call("de_ui_tree")
        reading = lease.holder_of(mcp_house.instance.db, phone.serialno)
        tools.call("de_press_key", key="home")
        writing = lease.holder_of(mcp_house.instance.db, phone.serialno)

    assert reading is None
    assert writing is not None
    assert (writing.holder, writing.label) == ("agent", "API · program operator")
    assert round((writing.until - writing.since).total_seconds()) == 60


def test_an_api_token_does_not_take_a_phone_from_a_run(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.run(), mcp_house.tools() as tools:
        answer = tools.call("de_press_key", key="home")

    assert answer.is_error
    assert "in use by AI · 打开 Wi-Fi" in answer.text
    assert phone.log() == []


def test_without_a_serial_the_only_device_says_why_it_cannot_be_used(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.tools() as tools:
        phone.fault("unauthorized")
        known = partial(store.listing, mcp_house.instance.db, "en")
        wait_for(lambda: known()[0]["state"] == "unauthorized", "the phone's refusal")
        answer = tools.call("de_ui_tree")
        phone.fault("unauthorized", on=False)

    assert answer.is_error
    assert "accept USB debugging on its screen" in answer.text


def test_without_the_write_switch_nothing_that_writes_is_listed_and_a_call_says_why(
    rack: VirtualRack, locked_house: McpHouse
) -> None:
    locked_house.wait_ready()

    with locked_house.tools() as tools:
        names = set(tools.names())
        answers = [tools.call(name, **_any(name)) for name in sorted(TOOLS - READING)]

    assert names == READING
    assert all(answer.is_error and "MCP_ALLOW_WRITE=1" in answer.text for answer in answers)


def _any(tool: str) -> dict[str, object]:
    needed: dict[str, dict[str, object]] = {
        "de_tap": {"element": 1},
        "de_tap_text": {"text": "设置"},
        "de_type_text": {"text": "x"},
        "de_press_key": {"key": "home"},
        "de_tap_xy": {"x": 1, "y": 1},
        "de_long_press": {"text": "设置"},
        "de_scroll_to": {"text": "设置"},
        "de_open_app": {"app": "设置"},
        "de_close_app": {"app": "设置"},
        "de_open_url": {"url": "https://example.com"},
        "de_run_action": {"name": "签到"},
        "de_keep_screen": {"on": True},
    }
    return needed.get(tool, {"direction": "up"})
