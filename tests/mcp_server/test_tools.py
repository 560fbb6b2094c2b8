"""The tools as a model meets them: the official client, a real server, a phone on adb."""

import base64
import io

from PIL import Image

from tests.fixtures_mcp import McpHouse
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


def number_of(tree: str, part: str) -> int:
    """Find an element's number in the compact text."""
    line = next(each for each in tree.splitlines() if part in each and "[" in each)
    return int(line.split("[")[1].split("]")[0])


def test_a_tap_by_text_flips_the_switch_in_the_phone(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    before = phone.get("settings.wifi")

    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        tools.call("de_open_app", app="设置")
        tools.call("de_tap_text", text="网络和互联网")
        answer = tools.call("de_tap_text", text="Wi-Fi")

    assert phone.get("settings.wifi") is not before
    assert "Tapped switch" in answer.text
    assert "The screen changed. New: switch" in answer.text


def test_a_tap_by_number_follows_an_element_that_moved(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tree = tools.call("de_ui_tree").text
        tools.call("de_swipe", **{"from": [540, 1500], "to": [540, 1200]})
        answer = tools.call("de_tap", element=number_of(tree, "存储"))

    assert not answer.is_error
    assert "存储" in answer.text
    assert phone.state()["system"]["foreground"] == SETTINGS


def test_a_stale_number_is_refused_with_what_is_there(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tree = tools.call("de_ui_tree").text
        tools.call("de_press_key", key="home")
        touches = len(phone.log())
        answer = tools.call("de_tap", element=number_of(tree, "蓝牙"))

    assert answer.is_error
    assert "蓝牙" in answer.text
    assert "备忘录" in answer.text
    assert len(phone.log()) == touches


def test_a_number_without_a_tree_says_where_numbers_come_from(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_tap", element=3)

    assert answer.is_error
    assert "Numbers come from de_ui_tree" in answer.text


def test_text_that_nothing_carries_names_the_nearest(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_tap_text", text="蓝牙耳机")

    assert answer.is_error
    assert "Nearest" in answer.text
    assert "蓝牙" in answer.text


def test_several_matches_are_refused_until_an_index_chooses(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.set(
        "settings.toggles", [{"label": "选项甲", "on": False}, {"label": "选项乙", "on": False}]
    )
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_swipe", direction="up")
        tools.call("de_tap_text", text="更多功能")
        refused = tools.call("de_tap_text", text="选项")
        chosen = tools.call("de_tap_text", text="选项", index=1)

    assert refused.is_error
    assert "index 0" in refused.text
    assert not chosen.is_error
    assert [toggle["on"] for toggle in phone.get("settings.toggles")] == [False, True]


def test_chinese_typed_is_chinese_read_back(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        answer = tools.call("de_type_text", text="蓝牙和 Wi-Fi", into="搜索设置")
        tree = tools.call("de_ui_tree").text

    assert answer.text.startswith('Typed. The field holds "蓝牙和 Wi-Fi". The screen changed.')
    assert 'field "蓝牙和 Wi-Fi" focused' in tree


def test_typing_without_a_field_says_that_nothing_was_typed(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_type_text", text="你好")

    assert answer.is_error
    assert "No text field has the focus" in answer.text


def test_typing_adds_and_clear_replaces(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        tools.call("de_type_text", text="显示")
        added = tools.call("de_type_text", text="器")
        replaced = tools.call("de_type_text", text="声音", clear=True)

    assert '"显示器"' in added.text
    assert '"声音"' in replaced.text


def test_an_app_opens_by_its_label_on_the_home_screen(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.tools() as tools:
        opened = tools.call("de_open_app", app="备忘录")
        front = tools.call("de_current_app")
        unknown = tools.call("de_open_app", app="没有这个应用")

    assert "is in front" in opened.text
    assert front.text.startswith("com.example.notes/")
    assert unknown.is_error
    assert "There is no app 没有这个应用" in unknown.text


def test_a_screenshot_is_an_image_block_that_fits(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        answer = tools.call("de_screenshot")

    picture = Image.open(io.BytesIO(base64.b64decode(answer.images[0].data)))
    assert picture.size == (540, 1200)
    assert answer.images[0].mime_type == "image/jpeg"
    assert "· 1080x2400 · rotation 0 · ok. The picture is 540x1200" in answer.text


def test_a_capture_that_failed_is_an_error_and_no_black_picture(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.fault("screencap_fail")

    with mcp_house.tools() as tools:
        answer = tools.call("de_screenshot")

    assert answer.is_error
    assert not answer.images
    assert "gave no picture" in answer.text


def test_waiting_ends_when_the_text_comes_and_says_so_when_not(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    with mcp_house.tools() as tools:
        there = tools.call("de_wait_for", text="蓝牙")
        never = tools.call("de_wait_for", text="量子", timeout_s=0.2)
        gone = tools.call("de_wait_for", text="量子", gone=True)

    assert there.text.startswith("There is item")
    assert never.is_error
    assert "Waited 0.2 s in vain" in never.text
    assert gone.text == '"量子" is gone.'


def test_the_list_of_devices_names_the_holder(mcp_house: McpHouse) -> None:
    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        answer = tools.call("de_list_devices")

    assert mcp_house.serial in answer.text
    assert "ready · 1080x2400 · held by AI · 打开 Wi-Fi · this run's device" in answer.text


def test_a_phone_that_drops_off_during_a_run_is_told_clearly(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        tools.call("de_ui_tree")
        phone.fault("offline_link")
        answer = tools.call("de_tap_text", text="设置")
        phone.fault("offline_link", on=False)

    assert answer.is_error
    assert mcp_house.serial in answer.text
    assert "broke" in answer.text or "does not answer" in answer.text


def test_a_screen_without_elements_says_so_and_what_to_do(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.fault("dump_fail")

    with mcp_house.tools() as tools:
        answer = tools.call("de_ui_tree")

    assert "· thin" in answer.text.splitlines()[0]
    assert "take de_screenshot" in answer.text
