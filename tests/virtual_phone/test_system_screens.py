"""Lock screen, shade, a page without a tree: what belongs to the phone and not to an app."""

import asyncio
from collections.abc import Callable

import pytest

from virtual_phone import hierarchy, keyguard, shade, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.apps import browser
from virtual_phone.profile import Profile
from virtual_phone.ui import Node

SETTINGS = "com.android.settings"


@pytest.fixture
def phone() -> Phone:
    return Phone(Profile())


def press(phone: Phone, wanted: Callable[[Node], bool]) -> None:
    found = phone.find(wanted)
    assert found is not None
    touch.tap(phone, *found.bounds.center)


def by_id(name: str) -> Callable[[Node], bool]:
    return lambda node: node.rid.endswith(f":id/{name}")


def swipe_up(phone: Phone) -> None:
    width, height = phone.size
    touch.swipe(phone, (width / 2, height * 0.9), (width / 2, height * 0.2))


def pull_down(phone: Phone) -> None:
    touch.swipe(phone, (phone.size[0] / 2, 20), (phone.size[0] / 2, phone.size[1] / 2))


def lock(phone: Phone, pin: str = "") -> None:
    phone.set("system.pin", pin)
    phone.set("system.swipe_lock", True)
    touch.press(phone, touch.KEY_CODES["SLEEP"])
    touch.press(phone, touch.KEY_CODES["WAKEUP"])


def enter(phone: Phone, pin: str) -> None:
    for digit in pin:
        press(phone, by_id(f"key{digit}"))
    press(phone, by_id("key_enter"))


# -- lock -----------------------------------------------------------------------------------------


def test_a_phone_without_a_lock_is_open_when_it_wakes(phone: Phone) -> None:
    touch.press(phone, touch.KEY_CODES["POWER"])
    dark = phone.windows()
    touch.press(phone, touch.KEY_CODES["POWER"])

    assert dark == []
    assert phone.state["system"]["locked"] is False


def test_a_pin_opens_the_phone_tapped_or_typed(phone: Phone) -> None:
    lock(phone, "2580")
    swipe_up(phone)
    enter(phone, "2580")
    tapped = phone.state["system"]["locked"]
    lock(phone, "2580")
    swipe_up(phone)
    st.type_text(phone.state, "2580")
    touch.press(phone, touch.KEY_CODES["ENTER"])

    assert tapped is False
    assert phone.state["system"]["locked"] is False
    assert phone.state["system"]["pin_shown"] is False


def test_the_pin_is_shown_as_dots_in_a_password_field(phone: Phone) -> None:
    lock(phone, "2580")
    swipe_up(phone)
    press(phone, by_id("key2"))

    dump = hierarchy.full_dump(phone.windows(), 0, 50)

    assert 'text="●"' in dump
    assert 'password="true"' in dump
    assert phone.focus_title == "NotificationShade"


def test_five_wrong_pins_make_the_pad_rest_until_its_seconds_are_over(phone: Phone) -> None:
    lock(phone, "2580")
    swipe_up(phone)
    for _ in range(keyguard.MAX_WRONG):
        enter(phone, "1111")

    enter(phone, "2580")
    resting = phone.state["system"]["locked"], phone.find(lambda n: "30 秒" in n.text)
    for _ in range(keyguard.WAIT_S):
        st.tick(phone.state)
    phone.changed()
    enter(phone, "2580")

    assert resting[0] is True
    assert resting[1] is not None
    assert phone.state["system"]["locked"] is False
    assert phone.state["system"]["pin_wrong"] == 0


def test_back_puts_the_pad_away_and_home_does_not_open_a_locked_phone(phone: Phone) -> None:
    lock(phone, "2580")
    swipe_up(phone)
    touch.press(phone, touch.KEY_CODES["BACK"])
    away = phone.state["system"]["pin_shown"]

    touch.press(phone, touch.KEY_CODES["HOME"])

    assert away is False
    assert phone.state["system"]["locked"] is True


def test_the_pad_can_be_tapped_when_the_phone_is_turned(phone: Phone) -> None:
    lock(phone, "2580")
    phone.set("system.rotation", 1)

    swipe_up(phone)
    enter(phone, "2580")

    assert phone.state["system"]["locked"] is False


# -- shade ----------------------------------------------------------------------------------------


def test_a_notification_opens_its_app_where_it_points_and_is_gone(phone: Phone) -> None:
    pull_down(phone)
    opened = phone.state["system"]["shade"]

    press(phone, lambda n: n.text == "存储空间")

    assert opened == shade.NOTIFICATIONS
    assert phone.state["system"]["shade"] == ""
    assert phone.foreground.package == SETTINGS
    assert phone.state["settings"]["ui"]["stack"] == ["main", "storage"]
    assert [n["id"] for n in phone.state["system"]["notifications"]] == [1]


def test_the_shade_is_the_only_window_that_is_reported(phone: Phone) -> None:
    phone.start(phone.apps[1])
    pull_down(phone)

    dump = hierarchy.full_dump(phone.windows(), 0, 50)

    assert SETTINGS not in dump
    assert "notification_panel" in dump


def test_quick_switches_switch_and_back_closes_the_shade(phone: Phone) -> None:
    pull_down(phone)
    press(phone, by_id("tile_wifi"))
    pull_down(phone)
    press(phone, by_id("tile_dark_mode"))

    touch.press(phone, touch.KEY_CODES["BACK"])

    assert phone.state["settings"]["wifi"] is False
    assert phone.state["settings"]["dark_mode"] is True
    assert phone.state["system"]["shade"] == ""


def test_clearing_takes_all_notifications_away(phone: Phone) -> None:
    pull_down(phone)

    press(phone, by_id("dismiss_text"))

    assert phone.state["system"]["notifications"] == []
    assert phone.find(by_id("no_notifications")) is not None


def test_a_notification_can_be_seeded_and_is_on_top(phone: Phone) -> None:
    st.notify(phone.state, {"package": SETTINGS, "title": "更新", "text": "新版本"})
    pull_down(phone)

    first = phone.find(by_id("expandableNotificationRow"))

    assert first is not None
    assert "更新" in [n.text for n in first.walk()]


# -- a page without a tree ------------------------------------------------------------------------


def test_a_web_page_is_one_node_and_can_be_touched_all_the_same(phone: Phone) -> None:
    app = phone.app(browser.PACKAGE)
    assert app is not None
    phone.start(app)
    press(phone, by_id("shortcut"))
    web = phone.find(by_id("webview"))
    assert web is not None

    words = [node.text for node in web.walk()]
    touch.tap(phone, 400, web.bounds.top + 300)

    assert words == [""]
    assert phone.state["browser"]["url"] == "https://news.example/0"
    assert len(phone.camera.picture().crop(web.bounds).getcolors(1 << 20) or []) > 20


def test_seconds_of_the_pad_pass_by_themselves() -> None:
    async def run() -> int:
        phone = Phone(Profile())
        phone.set("system.pin_wait_s", 9)
        await phone.wait_change(5)
        return int(phone.state["system"]["pin_wait_s"])

    assert asyncio.run(run()) == 8
