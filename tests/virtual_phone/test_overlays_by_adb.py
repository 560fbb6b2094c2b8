"""Dialogs, locks and secure pages as the real clients see them."""

import io
import json
from xml.etree import ElementTree

import adbutils
import pytest
import uiautomator2
from PIL import Image

from virtual_phone.testing import PhoneHandle

SETTINGS, SHOP = "com.android.settings", "com.example.shop"
PERMISSIONS = "com.android.permissioncontroller"


@pytest.fixture
def device(phone: PhoneHandle, adb_port: int) -> adbutils.AdbDevice:
    client = adbutils.AdbClient(host="127.0.0.1", port=adb_port)
    return client.device(phone.address)


@pytest.fixture
def u2(phone: PhoneHandle) -> uiautomator2.Device:
    return uiautomator2.connect(phone.address)


def roots(xml: str) -> list[str]:
    return [str(node.get("package")) for node in ElementTree.fromstring(xml)]


def test_a_permission_dialog_is_answered_with_a_tap(
    phone: PhoneHandle, device: adbutils.AdbDevice, u2: uiautomator2.Device
) -> None:
    phone.start(SETTINGS)
    device.shell("""vphone overlay permission on '{"permission": "CAMERA"}'""")
    seen = roots(u2.dump_hierarchy())
    focus = device.app_current().package

    u2(text="仅限这一次").click()

    assert seen[0] == PERMISSIONS
    assert SETTINGS not in seen
    assert focus == PERMISSIONS
    assert phone.get("system.permissions") == {SETTINGS: {"CAMERA": "once"}}
    assert device.app_current().package == SETTINGS


def test_a_card_over_the_app_is_a_root_of_its_own_beside_the_app(
    phone: PhoneHandle, device: adbutils.AdbDevice, u2: uiautomator2.Device
) -> None:
    phone.start(SETTINGS)
    device.shell("vphone fault update on")

    seen = roots(u2.dump_hierarchy())
    active = roots(device.dump_hierarchy())

    assert seen[:2] == [SETTINGS, "com.android.updater"]
    assert active == [SETTINGS]


def test_the_active_window_of_a_crash_is_the_dialog(
    phone: PhoneHandle, device: adbutils.AdbDevice
) -> None:
    phone.start(SETTINGS)
    device.shell("vphone overlay crash on")

    focus = device.shell("dumpsys window windows")
    dump = device.dump_hierarchy()

    assert f"Application Error: {SETTINGS}" in focus
    assert roots(dump) == ["android"]
    assert "android:id/aerr_close" in dump


def test_overlays_are_listed_and_an_unknown_one_is_refused(device: adbutils.AdbDevice) -> None:
    device.shell("vphone overlay ad on")

    listed = json.loads(device.shell("vphone overlay"))
    refused = device.shell2("vphone overlay sandstorm on")

    assert [name for name, row in listed.items() if row["on"]] == ["ad"]
    assert refused.returncode == 1
    assert "known: permission" in refused.output


def test_a_pin_can_be_typed_from_the_shell(phone: PhoneHandle, device: adbutils.AdbDevice) -> None:
    phone.set("system.pin", "2580")
    device.shell("input keyevent SLEEP; input keyevent WAKEUP")
    locked = phone.get("system.locked")

    device.shell("input swipe 540 2000 540 600 50; input text 2580; input keyevent 66")

    assert locked is True
    assert phone.get("system.locked") is False


def test_a_payment_page_is_black_while_its_tree_is_whole(
    phone: PhoneHandle, device: adbutils.AdbDevice, u2: uiautomator2.Device
) -> None:
    phone.start(SHOP)
    phone.set("shop.ui.page", "pay")

    picture = Image.open(io.BytesIO(device.shell("screencap -p", encoding=None)))

    assert picture.convert("RGB").getcolors() == [(1080 * 2400, (0, 0, 0))]
    assert u2.screenshot().resize((9, 9)).getextrema() == ((0, 0), (0, 0), (0, 0))
    assert u2(text="输入支付密码").exists


def test_a_notification_is_opened_from_the_shade(
    phone: PhoneHandle, u2: uiautomator2.Device
) -> None:
    u2.open_notification()

    u2(text="存储空间").click()

    assert phone.get("system.foreground") == SETTINGS
    assert phone.get("settings.ui.stack") == ["main", "storage"]
