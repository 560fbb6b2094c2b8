"""Touches go to what was meant, or nowhere; what came of them is said."""

import pytest

from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"
NOTES = "com.example.notes"
CONTENT = "com.example.xiaoji"


def kinds(phone: PhoneHandle) -> list[str]:
    """List what fingers did."""
    return [touch["kind"] for touch in phone.log()]


def test_a_tap_on_a_point_names_what_was_there(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        line = tools.call("de_find", text="蓝牙").text
        x, y = map(int, line.rpartition("@")[2].split(","))
        answer = tools.call("de_tap_xy", x=x, y=y)

    assert f"Tapped {x},{y}, on" in answer.text
    assert "蓝牙" in answer.text
    assert phone.log()[-1]["label"] == "蓝牙"


def test_a_point_off_the_screen_is_refused(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_tap_xy", x=1080, y=10)

    assert answer.is_error
    assert "off the screen, which is 1080x2400" in answer.text
    assert phone.log() == []


def test_a_point_of_a_screen_that_was_turned_since_is_refused(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_screenshot")
        phone.set("system.rotation", 1)
        refused = tools.call("de_tap_xy", x=900, y=900)
        touches = len(phone.log())
        tools.call("de_ui_tree")
        taken = tools.call("de_tap_xy", x=900, y=900)

    assert refused.is_error
    assert "1080x2400, rotation 0, when you looked, and is 2400x1080, rotation 1" in refused.text
    assert touches == 0
    assert not taken.is_error


def test_a_point_under_the_keyboard_is_refused(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_tap_text", text="搜索设置")
        touches = len(phone.log())
        answer = tools.call("de_tap_xy", x=540, y=2100)

    assert phone.get("system.keyboard") is True
    assert answer.is_error
    assert "the keyboard is at 540,2100" in answer.text
    assert len(phone.log()) == touches


def test_a_long_press_is_one(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_long_press", text="蓝牙")
        neither = tools.call("de_long_press")

    assert answer.text.startswith("Pressed long item")
    assert kinds(phone) == ["long"]
    assert neither.is_error
    assert "pass element or text" in neither.text


def test_scrolling_finds_what_is_further_down_and_then_what_is_back_up(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        here = tools.call("de_scroll_to", text="蓝牙")
        down = tools.call("de_scroll_to", text="关于手机")
        up = tools.call("de_scroll_to", text="蓝牙")

    assert "without scrolling" in here.text
    assert "关于手机" in down.text
    assert "swipes" in down.text
    assert not up.is_error
    assert "蓝牙" in up.text


def test_scrolling_says_that_both_ends_were_reached(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_scroll_to", text="量子计算")

    assert answer.is_error
    assert "Looked through it from end to end." in answer.text
    assert set(kinds(phone)) == {"swipe"}


def test_find_gives_numbers_that_can_be_tapped(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        line = tools.call("de_find", text="蓝牙").text
        tools.call("de_tap", element=int(line.split("]")[0].removeprefix("[")))
        nothing = tools.call("de_find", text="蓝牙耳机")

    assert phone.log()[-1]["label"] == "蓝牙"
    assert not nothing.is_error
    assert "Nearest" in nothing.text


def test_what_lies_under_the_keyboard_is_touched_only_once_it_is_hidden(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_tap_text", text="搜索设置")
        answer = tools.call("de_tap_text", text="无障碍")

    assert answer.text.startswith("Hid the keyboard. Tapped item")
    assert [touch["kind"] for touch in phone.log()[-2:]] == ["key", "tap"]
    assert "无障碍" in phone.log()[-1]["label"]


def test_what_lies_under_a_window_is_refused_and_the_window_named(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    phone.fault("update")

    with mcp_house.tools() as tools:
        refused = tools.call("de_tap_text", text="无障碍")
        touches = len(phone.log())
        answered = tools.call("de_tap_text", text="稍后提醒")

    assert refused.is_error
    assert "lies under com.android.updater" in refused.text
    assert touches == 0
    assert "The window of com.android.updater is gone." in answered.text


def test_a_crash_dialog_is_answered_like_anything_else(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(NOTES)
    phone.fault("crash")

    with mcp_house.tools() as tools:
        tree = tools.call("de_ui_tree").text
        answer = tools.call("de_tap_text", text="关闭应用")

    assert tree.startswith("android/")
    assert "Now in com.example.launcher/" in answer.text


def test_a_dialog_that_a_tap_brings_up_is_told_and_then_answered(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(CONTENT)

    with mcp_house.tools() as tools:
        asked = tools.call("de_tap_text", text="同城")
        answered = tools.call("de_tap_text", text="不允许")

    assert "A dialog of com.android.permissioncontroller is in front." in asked.text
    assert 'button "不允许"' in asked.text
    assert f"Now in {CONTENT}/" in answered.text


def test_a_finger_does_not_begin_to_move_on_the_keyboard(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_type_text", text="wlan", into="搜索设置")
        typed = len(phone.log())
        refused = tools.call("de_swipe", **{"from": [540, 2200], "to": [540, 2100]})
        touched = len(phone.log()) - typed
        scrolled = tools.call("de_swipe", direction="up")

    assert phone.get("system.keyboard") is True
    assert refused.is_error
    assert "the keyboard is at 540,2200" in refused.text
    assert touched == 0
    assert not scrolled.is_error
    assert phone.log()[-1]["y"] < 1500


SHUT_CALLS = [
    ("de_tap_xy", {"x": 500, "y": 900}),
    ("de_type_text", {"text": "hi"}),
    ("de_open_app", {"app": SETTINGS}),
    ("de_open_app", {"app": "备忘录"}),
    ("de_open_url", {"url": "https://example.com"}),
    ("de_scroll_to", {"text": "蓝牙"}),
]


@pytest.mark.parametrize(("tool", "arguments"), SHUT_CALLS)
@pytest.mark.parametrize(
    ("path", "said"), [("system.screen_on", "is off"), ("system.locked", "is locked")]
)
def test_what_a_dark_or_locked_phone_cannot_take_is_not_sent_and_says_what_to_do(
    mcp_house: McpHouse,
    phone: PhoneHandle,
    path: str,
    said: str,
    tool: str,
    arguments: dict[str, object],
) -> None:
    phone.set(path, not phone.get(path))

    with mcp_house.tools() as tools:
        answer = tools.call(tool, **arguments)

    assert answer.is_error
    assert said in answer.text
    assert "no app" not in answer.text
    assert phone.log() == []


@pytest.mark.parametrize("key", ["enter", "home"])
def test_a_dark_phone_takes_only_the_keys_that_wake_it(
    mcp_house: McpHouse, phone: PhoneHandle, key: str
) -> None:
    phone.set("system.screen_on", False)

    with mcp_house.tools() as tools:
        refused = tools.call("de_press_key", key=key)
        swiped = tools.call("de_swipe", direction="up")
        found = tools.call("de_find", text="蓝牙")
        woken = tools.call("de_press_key", key="wake")

    assert refused.is_error
    assert swiped.is_error
    assert "de_press_key wake" in found.text
    assert not woken.is_error
    assert phone.get("system.screen_on") is True


def test_what_typing_brought_up_is_told(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_type_text", text="蓝牙", into="搜索设置")

    assert 'The field holds "蓝牙"' in answer.text
    assert "The screen changed" in answer.text


def test_what_cannot_be_seen_is_neither_listed_nor_touched(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    phone.fault("odd_nodes")

    with mcp_house.tools() as tools:
        listed = tools.call("de_ui_tree").text
        twins = tools.call("de_tap_text", text="同名")
        second = tools.call("de_tap_text", text="同名", index=1)
    phone.fault("odd_nodes", on=False)

    assert "看不见的按钮" not in listed
    assert "屏幕外的按钮" not in listed
    assert twins.is_error
    assert "index" in twins.text
    assert not second.is_error
    assert [touch["label"] for touch in phone.log()] == ["同名"]
