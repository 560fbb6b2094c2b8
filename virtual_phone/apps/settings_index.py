"""The main list of Settings: which pages there are, and which intents open them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from virtual_phone import theme
from virtual_phone.apps import settings_pages as pages
from virtual_phone.apps.settings_pages import Group
from virtual_phone.view import View


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the main list and what opens behind it."""

    key: str
    names: tuple[str, str]
    about: tuple[str, str]
    icon: str
    color: str
    groups: Callable[[View], list[Group]]


PAGES = (
    Page(
        "network",
        ("网络和互联网", "Network & internet"),
        ("Wi-Fi、移动数据、飞行模式", "Wi-Fi, mobile data, airplane mode"),
        "wifi",
        theme.BLUE,
        pages.network_page,
    ),
    Page(
        "bluetooth_page",
        ("蓝牙", "Bluetooth"),
        ("已连接的设备", "Connected devices"),
        "bluetooth",
        theme.INDIGO,
        pages.bluetooth_page,
    ),
    Page(
        "display",
        ("显示", "Display"),
        ("深色模式、亮度、字体大小", "Dark theme, brightness, font size"),
        "sun",
        theme.AMBER,
        pages.display_page,
    ),
    Page(
        "sound",
        ("声音", "Sound"),
        ("音量、振动、静音", "Volume, vibration, mute"),
        "sound",
        theme.PINK,
        pages.sound_page,
    ),
    Page(
        "notifications",
        ("通知", "Notifications"),
        ("勿扰模式、锁屏通知", "Do Not Disturb, lock screen"),
        "bell",
        theme.RED,
        pages.notifications_page,
    ),
    Page(
        "apps",
        ("应用", "Apps"),
        ("应用信息、清除数据", "App info, clear data"),
        "apps",
        theme.TEAL,
        pages.apps_page,
    ),
    Page(
        "battery",
        ("电池", "Battery"),
        ("电量、省电模式", "Level, Battery Saver"),
        "battery",
        theme.GREEN,
        pages.battery_page,
    ),
    Page(
        "storage",
        ("存储", "Storage"),
        ("已用空间和可用空间", "Used and free space"),
        "storage",
        theme.PURPLE,
        pages.storage_page,
    ),
    Page(
        "location_page",
        ("位置信息", "Location"),
        ("定位服务", "Location services"),
        "location",
        theme.SKY,
        pages.location_page,
    ),
    Page(
        "accessibility",
        ("无障碍", "Accessibility"),
        ("放大、颜色反转、字幕", "Magnification, inversion, captions"),
        "person",
        theme.GREEN,
        pages.accessibility_page,
    ),
    Page(
        "language",
        ("语言", "Language"),
        ("简体中文、English", "简体中文, English"),
        "globe",
        theme.ORANGE,
        pages.language_page,
    ),
    Page(
        "date_time",
        ("日期和时间", "Date & time"),
        ("自动设置时间", "Set time automatically"),
        "clock",
        theme.INDIGO,
        pages.time_page,
    ),
    Page(
        "more",
        ("更多功能", "More features"),
        ("其他开关", "Other switches"),
        "tune",
        theme.SLATE,
        pages.more_page,
    ),
    Page(
        "about",
        ("关于手机", "About phone"),
        ("型号、版本、序列号", "Model, version, serial number"),
        "info",
        theme.SLATE,
        pages.about_phone_page,
    ),
)
BY_KEY = {page.key: page for page in PAGES}
ACTIONS = {
    "android.settings.WIRELESS_SETTINGS": "network",
    "android.settings.WIFI_SETTINGS": "network",
    "android.settings.AIRPLANE_MODE_SETTINGS": "network",
    "android.settings.BLUETOOTH_SETTINGS": "bluetooth_page",
    "android.settings.DISPLAY_SETTINGS": "display",
    "android.settings.SOUND_SETTINGS": "sound",
    "android.settings.APPLICATION_SETTINGS": "apps",
    "android.settings.INTERNAL_STORAGE_SETTINGS": "storage",
    "android.settings.LOCATION_SOURCE_SETTINGS": "location_page",
    "android.settings.ACCESSIBILITY_SETTINGS": "accessibility",
    "android.settings.LOCALE_SETTINGS": "language",
    "android.settings.DATE_SETTINGS": "date_time",
    "android.settings.DEVICE_INFO_SETTINGS": "about",
}
