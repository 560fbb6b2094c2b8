"""What lies over an app takes the touches, keeps its promises and is a root of its own."""

import asyncio
import random

import pytest

from virtual_phone import ads, dialogs, hierarchy, overlays, touch, ui
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.profile import Profile
from virtual_phone.ui import Node

SETTINGS = "com.android.settings"
NOTES = "com.example.notes"


@pytest.fixture
def phone() -> Phone:
    phone = Phone(Profile())
    phone.start(phone.apps[1])
    return phone


def press(phone: Phone, text: str) -> Node | None:
    found = phone.find(lambda n: text in (n.text, n.desc) and n.clickable)
    assert found is not None, text
    return touch.tap(phone, *found.bounds.center)


def shown(phone: Phone) -> list[str]:
    return overlays.names(phone.state)


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
@pytest.mark.parametrize("size", [(1080, 2400), (720, 1280)])
@pytest.mark.parametrize("name", overlays.OVERLAYS)
def test_every_overlay_fits_the_screen_upright_and_turned(
    name: str, size: tuple[int, int], locale: str
) -> None:
    phone = Phone(Profile(locale=locale, width=size[0], height=size[1]))

    phone.switch_overlay(name, True)

    for rotation in (0, 1):
        phone.set("system.rotation", rotation)
        width, height = phone.size
        boxes = [n.bounds for w in phone.windows() for n in w.root.walk()]
        assert all(b.left >= 0 and b.top >= 0 for b in boxes)
        assert all(b.right <= width and b.bottom <= height for b in boxes)
        phone.camera.picture()


@pytest.mark.parametrize(
    ("button", "answer"),
    [("仅在使用该应用时允许", "granted"), ("仅限这一次", "once"), ("不允许", "denied")],
)
def test_a_permission_that_is_answered_stands_in_the_state(
    phone: Phone, button: str, answer: str
) -> None:
    phone.switch_overlay("permission", True, permission="CAMERA")
    assert phone.active_package == dialogs.PERMISSIONS

    press(phone, button)

    assert phone.state["system"]["permissions"] == {SETTINGS: {"CAMERA": answer}}
    assert phone.active_package == SETTINGS


def test_a_modal_dialog_hides_the_app_from_dumps_and_takes_every_touch(phone: Phone) -> None:
    row = phone.find(lambda n: n.rid == f"{SETTINGS}:id/network")
    assert row is not None

    phone.switch_overlay("anr", True)
    taken = touch.tap(phone, *row.bounds.center)

    assert taken is None
    assert phone.state["settings"]["ui"]["stack"] == ["main"]
    dump = hierarchy.full_dump(phone.windows(), 0, 50)
    assert "aerr_wait" in dump
    assert SETTINGS not in dump
    assert "aerr_wait" in hierarchy.short_dump(phone.windows(), 0)


def test_the_update_card_leaves_the_app_usable(phone: Phone) -> None:
    phone.switch_overlay("update", True)
    packages = [window.package for window in phone.windows()]

    press(phone, "稍后提醒")

    assert packages[:2] == [SETTINGS, ads.UPDATER]
    assert phone.state["system"]["update"] == "later"
    assert shown(phone) == []


def test_an_app_that_crashed_is_off_the_screen_until_it_is_opened_again(phone: Phone) -> None:
    phone.state["settings"]["ui"]["stack"] = ["main", "display"]

    phone.switch_overlay("crash", True)
    crashed = phone.foreground.package
    press(phone, "重新打开应用")

    assert crashed == st.LAUNCHER
    assert phone.foreground.package == SETTINGS
    assert phone.state["settings"]["ui"]["stack"] == ["main"]


def test_closing_an_app_that_does_not_respond_goes_home(phone: Phone) -> None:
    phone.switch_overlay("anr", True)

    press(phone, "关闭应用")

    assert phone.foreground.package == st.LAUNCHER
    assert SETTINGS not in phone.state["system"]["recents"]


def test_an_advertisement_can_only_be_skipped_when_its_seconds_are_over(phone: Phone) -> None:
    phone.switch_overlay("ad", True)
    skip = phone.find(lambda n: n.rid.endswith(":id/skip"))
    assert skip is not None

    too_early = touch.tap(phone, *skip.bounds.center)
    phone.back()
    still = shown(phone)
    for _ in range(overlays.AD_SECONDS):
        st.tick(phone.state)
    phone.changed()
    press(phone, "跳过")

    assert too_early is None
    assert still == ["ad"]
    assert shown(phone) == []
    assert phone.foreground.package == SETTINGS


def test_a_tap_beside_the_skip_button_follows_the_advertisement(phone: Phone) -> None:
    phone.switch_overlay("ad", True)

    touch.tap(phone, 500, 1200)

    assert phone.foreground.package == "com.example.browser"
    assert phone.state["browser"]["url"] == ads.AD_URL


def test_seconds_pass_by_themselves_on_a_phone_that_runs() -> None:
    async def run() -> int:
        phone = Phone(Profile())
        phone.switch_overlay("ad", True)
        await phone.wait_change(5)
        return int(phone.state["system"]["overlays"][0]["seconds"])

    left = asyncio.run(run())

    assert left == overlays.AD_SECONDS - 1


def test_the_battery_dialog_turns_the_saver_on(phone: Phone) -> None:
    phone.switch_overlay("low_battery", True)

    press(phone, "开启省电模式")

    assert phone.state["settings"]["battery_saver"] is True
    assert phone.state["system"]["battery"] <= dialogs.LOW_BATTERY


def test_overlays_stack_and_the_topmost_is_answered_first(phone: Phone) -> None:
    phone.switch_overlay("permission", True)
    phone.switch_overlay("low_battery", True)

    press(phone, "知道了")

    assert shown(phone) == ["permission"]
    assert phone.active_package == dialogs.PERMISSIONS


def test_home_takes_what_the_app_laid_over_itself_and_leaves_the_rest(phone: Phone) -> None:
    phone.switch_overlay("low_battery", True)
    phone.switch_overlay("permission", True)

    touch.press(phone, touch.KEY_CODES["HOME"])

    assert shown(phone) == ["low_battery"]


def test_a_state_with_overlays_can_be_seeded_and_one_that_does_not_exist_is_refused(
    phone: Phone,
) -> None:
    phone.set("system.overlays", [{"name": "ad", "package": NOTES, "seconds": 1}])

    with pytest.raises(ValueError, match="unknown overlay sandstorm"):
        phone.set("system.overlays", [{"name": "sandstorm", "package": NOTES}])

    assert shown(phone) == ["ad"]


def test_hands_that_tap_everywhere_get_through_every_overlay() -> None:
    chance = random.Random(7)
    for name in overlays.OVERLAYS:
        phone = Phone(Profile())
        phone.start(phone.apps[1])
        phone.switch_overlay(name, True)
        for _ in range(overlays.AD_SECONDS):
            st.tick(phone.state)
        phone.changed()
        window = phone.windows()[name == "update"]
        buttons = [n for n in window.root.walk() if n.clickable and n.cls == ui.BUTTON]

        touch.tap(phone, *chance.choice(buttons).bounds.center)

        assert shown(phone) == []
