"""adbutils and uiautomator2 drive the phone, and what they see is one screen."""

import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import adbutils
import pytest
import uiautomator2

from virtual_phone.apps import APPS
from virtual_phone.testing import PhoneHandle

SETTINGS, NOTES = "com.android.settings", "com.example.notes"


def device(phone: PhoneHandle) -> adbutils.AdbDevice:
    return adbutils.adb.device(phone.address)


def until(claim: Callable[[], bool], limit_s: float = 5.0) -> bool:
    deadline = time.monotonic() + limit_s
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def labels(xml: str, package: str) -> list[tuple[str, str]]:
    nodes = ElementTree.fromstring(xml).iter("node")
    return [(n.get("text", ""), n.get("bounds", "")) for n in nodes if n.get("package") == package]


def test_adbutils_reads_what_the_phone_is(phone: PhoneHandle) -> None:
    found = device(phone)

    assert found.prop.model == "Pixel 7"
    assert found.window_size() == (1080, 2400)
    assert found.rotation() == 0
    assert found.is_screen_on()
    assert found.battery().level == 87
    assert found.app_info(NOTES).version_name == "1.0"
    assert found.wlan_ip() == "192.168.1.57"
    assert set(found.list_packages()) == {app.package for app in APPS}


def test_adbutils_starts_an_app_and_sees_it(phone: PhoneHandle) -> None:
    found = device(phone)

    found.app_start(SETTINGS)

    assert found.app_current().package == SETTINGS
    assert found.screenshot().size == (1080, 2400)
    assert found.shell2("cat /nothing", v2=True).returncode == 1


def test_uiautomator2_turns_wifi_off_by_its_label(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    u2.app_start(SETTINGS)
    u2(text="网络和互联网").click()
    switch = u2(className="android.widget.Switch", instance=0)
    before = switch.info["checked"]

    u2(text="Wi-Fi").click()

    assert (before, switch.info["checked"]) == (True, False)
    assert phone.get("settings.wifi") is False
    assert not u2(text="可用网络").exists


def test_the_row_takes_the_tap_and_the_switch_shows_it(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    u2(text="网络和互联网").click()

    row = u2(resourceId=f"{SETTINGS}:id/airplane")
    switch = row.child(className="android.widget.Switch")

    assert row.info["clickable"] and not switch.info["clickable"]
    assert row.child(text="飞行模式").exists
    assert u2(text="飞行模式").sibling(className="android.widget.Switch").info["checked"] is False


def test_chinese_that_was_typed_is_read_back(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    phone.start(NOTES)
    u2(description="新建").click()
    u2(resourceId=f"{NOTES}:id/edit_title").click()
    u2.send_keys("今天的会议，下午三点")
    u2(resourceId=f"{NOTES}:id/edit_body").set_text("带上“报告”")

    u2(text="保存").click()

    note = phone.get("notes.items")[-1]
    assert (note["title"], note["body"]) == ("今天的会议，下午三点", "带上“报告”")
    assert u2(text="今天的会议，下午三点").exists


def test_the_clipboard_is_pasted_into_the_field_with_the_caret(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(NOTES)
    u2(resourceId=f"{NOTES}:id/search").click()

    u2.clipboard = "读书"
    u2.jsonrpc.pasteClipboard()

    assert u2.clipboard == "读书"
    assert u2(resourceId=f"{NOTES}:id/note").count == 1


def test_text_without_a_field_is_not_called_typed(u2: uiautomator2.Device) -> None:
    u2.set_input_ime()

    reply = u2.shell("am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aGk=").output

    assert "result=0" in reply


def test_both_dumps_and_the_picture_show_the_same_screen(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    before = u2.screenshot()

    u2(text="显示").click()

    full, short = u2.dump_hierarchy(), device(phone).dump_hierarchy()
    assert labels(full, SETTINGS) == labels(short, SETTINGS)
    assert "深色模式" in dict(labels(full, SETTINGS))
    assert before.tobytes() != u2.screenshot().tobytes()
    assert u2.screenshot().tobytes() == u2.screenshot().tobytes()


def test_scrolling_brings_up_rows_that_were_not_in_the_tree(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    seen_before = bool(u2(text="关于手机").exists)

    u2.swipe(540, 2000, 540, 700, steps=2)

    assert not seen_before
    assert u2(text="关于手机").exists
    assert u2(scrollable=True).scroll.toBeginning()
    assert u2(scrollable=True).scroll.to(text="更多功能")


def test_a_row_cut_by_the_edge_is_cut_in_the_tree(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)

    bounds = re.findall(r'bounds="\[\d+,(-?\d+)\]\[\d+,(\d+)\]"', u2.dump_hierarchy())

    assert all(0 <= int(top) < int(bottom) <= 2400 for top, bottom in bounds)


def test_back_hides_the_keyboard_before_it_leaves_the_page(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(NOTES)
    u2(description="新建").click()
    u2(resourceId=f"{NOTES}:id/edit_title").click()
    shown = bool(u2(packageName="com.android.inputmethod.latin").exists)

    u2.press("back")
    after_one = phone.get("system.keyboard"), phone.get("notes.ui.page")
    u2.press("back")

    assert shown
    assert after_one == (False, "editor")
    assert phone.get("notes.ui.page") == "list"


def test_keys_on_the_screen_type_and_cover_the_app(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(NOTES)
    u2(description="新建").click()
    u2(resourceId=f"{NOTES}:id/edit_body").click()

    for key in ("h", "i", "空格"):
        u2(description=key).click()
    u2.shell("input text 'a%sb'")

    assert phone.get("notes.ui.draft.body") == "hi a b"
    assert u2(resourceId=f"{NOTES}:id/edit_body").info["bounds"]["bottom"] <= 1440


def test_a_label_set_by_a_test_is_on_the_screen(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.set("settings.toggles", [{"label": f"开关 {n}", "on": False} for n in range(30)])
    phone.start(SETTINGS)
    u2(scrollable=True).scroll.to(text="更多功能")
    u2(text="更多功能").click()
    u2(scrollable=True).scroll.to(text="开关 27")

    u2(text="开关 27").click()

    assert phone.get("settings.toggles.27.on") is True
    assert [t["on"] for t in phone.get("settings.toggles")].count(True) == 1


def test_search_finds_a_switch_on_another_page(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    phone.start(SETTINGS)
    u2(resourceId=f"{SETTINGS}:id/search").set_text("深色")

    u2(text="深色模式").click()
    u2(text="深色模式").click()

    assert phone.get("settings.dark_mode") is True


def test_the_touches_say_what_was_hit(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    u2(text="备忘录").click()

    (touch,) = phone.log()
    assert (touch["kind"], touch["label"]) == ("tap", "备忘录")
    assert touch["package"] == "com.example.launcher"


def test_waiting_for_an_element_ends_when_it_appears(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    u2.shell("sh -c 'sleep 0.3; am start -n com.example.notes/.MainActivity' &")

    assert u2(text="购物清单").wait(timeout=5)
    assert not u2(text="没有的字").wait(timeout=0.1)


def test_a_missing_element_is_an_error_with_its_selector(u2: uiautomator2.Device) -> None:
    with pytest.raises(uiautomator2.exceptions.UiObjectNotFoundError):
        _ = u2(text="没有的字").info


def test_a_method_that_the_server_does_not_have_is_an_error(u2: uiautomator2.Device) -> None:
    with pytest.raises(uiautomator2.exceptions.RPCUnknownError, match="method not found"):
        u2.jsonrpc.makeToast("hello", 1000)


def test_the_server_ends_with_the_shell_that_started_it(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    line = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9100"
    with device(phone).shell(line, stream=True) as stream:
        banner = stream.read_string(10)
        listening = phone.ask(lambda p: "9100" in p.listeners)

    assert (banner, listening) == ("[server] I", True)
    assert until(lambda: not phone.ask(lambda p: "9100" in p.listeners))
    assert u2.info["currentPackageName"] == "com.example.launcher"


def test_a_screen_that_is_off_is_black_and_has_no_tree(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    u2.screen_off()

    assert u2.screenshot().getcolors() == [(1080 * 2400, (0, 0, 0))]
    assert not device(phone).is_screen_on()
    assert u2.jsonrpc.dumpWindowHierarchy(False, 50) == '<hierarchy rotation="0" />'


def test_a_secure_screen_has_a_black_picture_and_a_whole_tree(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.fault("secure")

    assert u2.screenshot().getcolors() == [(1080 * 2400, (0, 0, 0))]
    assert u2(text="设置").exists


def test_faults_of_reading_the_screen_look_as_on_a_phone(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.fault("screencap_fail")
    phone.fault("dump_fail")

    assert u2.jsonrpc.takeScreenshot(1, 80) is None
    assert device(phone).shell("screencap -p", encoding=None) == b""
    assert "null root node" in device(phone).shell("uiautomator dump /dev/tty")


def test_an_empty_field_reports_its_hint_as_its_text(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    field = u2(text="搜索设置")

    field.set_text("蓝牙")

    assert not field.exists
    assert u2(resourceId=f"{SETTINGS}:id/search").get_text() == "蓝牙"


def test_a_locked_phone_shows_its_lock_screen_until_it_is_swiped_open(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.set("system.locked", True)
    focus = u2.shell("dumpsys window | grep mCurrentFocus").output
    u2.press("home")
    still = bool(u2(text="上滑解锁").exists)

    u2.swipe(540, 1900, 540, 600, steps=2)

    assert "NotificationShade" in focus
    assert still
    assert phone.get("system.locked") is False
    assert u2(text="备忘录").exists


def test_an_address_is_opened_in_the_browser(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    u2.open_url("https://example.org/a")
    opened = phone.get("browser.url")

    u2(resourceId="com.example.browser:id/url_bar").set_text("example.net")
    u2(resourceId="com.example.browser:id/url_bar").click()
    u2(description="回车").click()

    assert opened == "https://example.org/a"
    assert phone.get("browser.url") == "https://example.net"
    assert u2(text="无法访问此网站").exists


def test_clearing_an_app_asks_first(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    phone.set("notes.items", [])
    phone.start(SETTINGS)
    u2(text="应用").click()
    u2(text="备忘录").click()
    u2(text="清除数据").click()
    asked = phone.get("notes.items")

    u2(text="清除").click()

    assert asked == []
    assert len(phone.get("notes.items")) == 3
