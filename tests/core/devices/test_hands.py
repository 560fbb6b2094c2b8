"""What a phone does beyond tapping: typing in any script, opening locks, apps and addresses."""

from collections.abc import Callable, Iterator

import pytest

from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.kept import KEYBOARD, SCREEN_TIMEOUT
from core.errors import Invalid, NoSuchApp, PhoneLocked, TextNotTyped
from core.screen import screen
from core.screen.elements import Element
from virtual_phone.testing import PhoneHandle

NOTES = "com.example.notes"
SETTINGS = "com.android.settings"
USERS = "com.android.inputmethod.latin/.LatinIME"
ADBS = "com.android.adbkeyboard/.AdbIME"
MIXED = "明天 9:30 买牛奶🥛 and 👩‍👩‍👧 — naïve “引号”"

Make = Callable[..., AndroidPhone]


@pytest.fixture
def make(phone: PhoneHandle) -> Iterator[Make]:
    """Make phones that end with the test."""
    made: list[AndroidPhone] = []

    def new(pin: str | None = None) -> AndroidPhone:
        android = AndroidPhone(Adb().link(phone.address), lambda: pin)
        android.start()
        made.append(android)
        return android

    yield new
    for each in made:
        each.close()


@pytest.fixture
def android(make: Make) -> AndroidPhone:
    return make()


def first_field(android: AndroidPhone) -> Element:
    return next(e for e in screen.read(android.observe()).elements if e.kind == "field")


def focus_a_field(android: AndroidPhone) -> None:
    """Open the search of Settings and put the cursor into it."""
    android.open_app(SETTINGS)
    android.tap(first_field(android).point)


def test_chinese_and_emoji_are_typed_and_read_back(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    focus_a_field(android)

    held = android.type_text(MIXED, clear=True)

    assert held == MIXED
    assert phone.get("settings.ui.query") == MIXED


def test_the_users_keyboard_is_back_after_one_made_for_adb_has_typed(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(android, "set_text", lambda text: False)
    monkeypatch.setattr(android, "paste", lambda text: False)
    focus_a_field(android)

    held = android.type_text(MIXED, clear=True)

    assert held == MIXED
    assert phone.get("system.ime") == USERS
    assert android.kept.kept(KEYBOARD) == ""


def test_the_users_settings_are_put_back_by_the_next_start_after_a_crash(
    make: Make, phone: PhoneHandle
) -> None:
    died = make()
    died.kept.change(KEYBOARD, ADBS)
    died.kept.change(KEYBOARD, ADBS)
    died.kept.change(SCREEN_TIMEOUT, "1800000")
    died.close()
    before = phone.get("system.ime")

    make()

    assert (before, phone.get("system.ime")) == (ADBS, USERS)
    assert phone.get("system.provider.system.screen_off_timeout") == "60000"


def test_a_setting_that_the_user_never_made_is_unset_again(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.keep_screen(True)
    android.keep_screen(False)

    provider = phone.get("system.provider")
    assert "stay_on_while_plugged_in" not in provider["global"]
    assert provider["system"]["screen_off_timeout"] == "60000"


def test_nothing_is_typed_without_a_field(android: AndroidPhone) -> None:
    android.press_key("home")

    with pytest.raises(TextNotTyped, match="No text field has the focus"):
        android.type_text("abc")


def test_a_lock_without_pin_opens_by_swipe(android: AndroidPhone, phone: PhoneHandle) -> None:
    phone.set("system.locked", True)
    phone.set("system.screen_on", False)
    dark = android.observe()

    android.unlock()

    assert dark.locked
    assert not dark.screen_on
    assert (phone.get("system.locked"), phone.get("system.screen_on")) == (False, True)
    assert not android.observe().locked


def test_a_pin_opens_the_lock(make: Make, phone: PhoneHandle) -> None:
    phone.set("system.pin", "2580")
    phone.set("system.locked", True)

    make("2580").unlock()

    assert phone.get("system.locked") is False


def test_a_pin_that_was_refused_is_not_tried_again(
    make: Make, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.devices.keyguard.OPENS_S", 0.3)
    phone.set("system.pin", "2580")
    phone.set("system.locked", True)
    android = make("1111")

    with pytest.raises(PhoneLocked, match="refused the PIN"):
        android.unlock()
    with pytest.raises(PhoneLocked, match="was refused before") as again:
        android.unlock()

    assert phone.get("system.pin_wrong") == 1
    assert "1111" not in str(again.value)


def test_without_a_pin_the_words_say_what_to_do(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.devices.keyguard.OPENS_S", 0.3)
    phone.set("system.pin", "2580")
    phone.set("system.locked", True)

    with pytest.raises(PhoneLocked, match="keep its PIN under Devices"):
        android.unlock()


def test_a_phone_that_is_not_locked_is_left_alone(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.open_app(SETTINGS)

    android.unlock()

    assert phone.get("system.foreground") == SETTINGS
    assert not any(touch["type"] == "swipe" for touch in phone.log() if "type" in touch)


def test_an_address_opens_in_the_browser(android: AndroidPhone) -> None:
    android.open_url("https://example.org/a?b=1&c='2'")

    assert "browser" in android.current_app().package


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///data", "intent:#Intent;end", "example.org", "a b"]
)
def test_an_address_that_is_none_or_runs_code_is_refused(android: AndroidPhone, url: str) -> None:
    with pytest.raises(Invalid, match="no address that is opened"):
        android.open_url(url)


def test_apps_are_listed_with_the_names_that_people_use(android: AndroidPhone) -> None:
    apps = {app.package: app.label for app in android.list_apps()}

    assert apps[SETTINGS] == "Settings / 设置"
    assert len(apps) >= 3


def test_an_app_that_is_closed_starts_anew(android: AndroidPhone, phone: PhoneHandle) -> None:
    android.open_app(SETTINGS)

    android.close_app(SETTINGS)

    assert phone.get("system.foreground") != SETTINGS
    with pytest.raises(NoSuchApp):
        android.close_app("a; reboot")


def test_scrolling_down_shows_what_lies_below_and_up_brings_it_back(
    android: AndroidPhone,
) -> None:
    android.open_app(SETTINGS)
    top = screen.read(android.observe()).fingerprint

    android.scroll("down")
    below = screen.read(android.observe()).fingerprint
    android.scroll("up")

    assert below != top
    assert screen.read(android.observe()).fingerprint == top
    with pytest.raises(Invalid, match="none of down, up"):
        android.scroll("sideways")
