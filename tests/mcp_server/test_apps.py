"""Apps, addresses and the screen's own switch, as a model meets them."""

from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


def test_an_app_that_is_closed_leaves_the_screen(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_close_app", app="设置")

    assert answer.text.startswith(f"Closed {SETTINGS}. Now in com.example.launcher/")
    assert phone.get("system.foreground") != SETTINGS
    assert SETTINGS not in phone.get("system.recents")


def test_an_app_that_is_not_there_cannot_be_closed(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_close_app", app="没有这个应用")

    assert answer.is_error
    assert "There is no app 没有这个应用" in answer.text
    assert "de_list_apps" in answer.text


def test_the_list_of_apps_gives_what_open_app_takes(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.tools() as tools:
        listed = tools.call("de_list_apps").text.splitlines()
        opened = [tools.call("de_open_app", app=line.split(" · ")[0]) for line in listed[:3]]

    assert any(line.endswith(SETTINGS) for line in listed)
    assert [answer.text for answer in opened if answer.is_error] == []


def test_an_address_opens_in_the_browser(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_open_url", url="https://example.com/a b?x=1&y='2'")

    assert not answer.is_error
    assert "Now in" in answer.text
    assert phone.get("system.foreground").endswith("browser")


def test_what_is_no_address_is_refused(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_open_url", url="; reboot")

    assert answer.is_error
    assert phone.get("system.foreground") == "com.example.launcher"


def test_the_screen_stays_on_and_may_go_off_again(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    with mcp_house.tools() as tools:
        before = phone.get("system.provider")
        stays = tools.call("de_keep_screen", on=True)
        during = phone.get("system.provider")
        may = tools.call("de_keep_screen", on=False)

    assert (stays.is_error, may.is_error) == (False, False)
    assert during != before
    assert "stays on" in stays.text


def test_an_action_that_nobody_saved_is_not_found(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_run_action", name="签到")

    assert answer.is_error
    assert "There is no action 签到" in answer.text
