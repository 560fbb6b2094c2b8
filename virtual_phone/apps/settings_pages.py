"""What stands on each page of Settings: cards rebuilt from the state for every drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from virtual_phone import theme
from virtual_phone.state import State, get_path, set_path, toggle
from virtual_phone.view import App, View, clear_app, stop_app
from virtual_phone.widgets import Row

MAX_BRIGHTNESS = 255


@dataclass(frozen=True, slots=True)
class Group:
    """Rows on one card, with an optional heading."""

    rows: list[Row]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the main list and what opens behind it."""

    key: str
    names: tuple[str, str]
    about: tuple[str, str]
    icon: str
    color: str
    groups: Callable[[View], list[Group]]


def open_page(state: State, key: str) -> None:
    """Go one page deeper."""
    page = state["settings"]["ui"]
    page["stack"] = [*page["stack"], key]
    page["scrolls"][key] = 0


def switch(view: View, key: str, names: tuple[str, str], about: tuple[str, str] = ("", "")) -> Row:
    """Make a row that turns ``settings.<key>`` over."""
    path = f"settings.{key}"
    return Row(
        key,
        view.tr(*names),
        summary=view.tr(*about),
        on=bool(get_path(view.state, path)),
        tap=partial(toggle, view.state, path),
    )


def slider(view: View, key: str, names: tuple[str, str], top: int = 100) -> Row:
    """Make a row with a slider over a number from 0 to ``top``."""
    path = f"settings.{key}"

    def slide(fraction: float) -> None:
        set_path(view.state, path, round(fraction * top))

    level = get_path(view.state, path) / top
    return Row(key, view.tr(*names), level=level, slide=slide)


def choice(view: View, path: str, value: str, text: str) -> Row:
    """Make a radio row that writes ``value``."""
    act = partial(set_path, view.state, path, value)
    return Row(value, text, chosen=get_path(view.state, path) == value, tap=act)


def _network(view: View) -> list[Group]:
    groups = [
        Group(
            [
                switch(view, "wifi", ("Wi-Fi", "Wi-Fi"), _wifi_words(view)),
                switch(view, "mobile_data", ("移动数据", "Mobile data")),
                switch(view, "airplane", ("飞行模式", "Airplane mode")),
            ]
        )
    ]
    if view.state["settings"]["wifi"]:
        rows = [_access_point(view, n) for n in view.state["settings"]["networks"]]
        groups.append(Group(rows, view.tr("可用网络", "Available networks")))
    return groups


def _wifi_words(view: View) -> tuple[str, str]:
    settings = view.state["settings"]
    if not settings["wifi"]:
        return "已关闭", "Off"
    name = settings["wifi_network"]
    return (f"已连接到 {name}", f"Connected to {name}") if name else ("未连接", "Not connected")


def _access_point(view: View, network: State) -> Row:
    joined = view.state["settings"]["wifi_network"] == network["ssid"]
    words = view.tr("已保存", "Saved")
    if joined:
        words = view.tr("已连接", "Connected")
    act = partial(set_path, view.state, "settings.wifi_network", network["ssid"])
    return Row("network", network["ssid"], words, icon="wifi", color=_shade(joined), tap=act)


def _shade(active: bool) -> str:
    return theme.BLUE if active else theme.SLATE


def _bluetooth(view: View) -> list[Group]:
    rows = [switch(view, "bluetooth", ("蓝牙", "Bluetooth"), ("连接耳机、手表等", "Pair devices"))]
    name = Row("device_name", view.tr("设备名称", "Device name"), value=_about(view, "model"))
    return [Group(rows), Group([name])]


def _display(view: View) -> list[Group]:
    sizes = (("small", "小", "Small"), ("standard", "标准", "Standard"), ("large", "大", "Large"))
    fonts = [choice(view, "settings.font_size", v, view.tr(zh, en)) for v, zh, en in sizes]
    return [
        Group(
            [
                switch(view, "dark_mode", ("深色模式", "Dark theme")),
                slider(view, "brightness", ("亮度", "Brightness"), MAX_BRIGHTNESS),
                switch(view, "auto_brightness", ("自动调节亮度", "Adaptive brightness")),
                switch(view, "auto_rotate", ("自动旋转", "Auto-rotate screen")),
            ]
        ),
        Group(fonts, view.tr("字体大小", "Font size")),
    ]


def _sound(view: View) -> list[Group]:
    return [
        Group(
            [
                slider(view, "volume_media", ("媒体音量", "Media volume")),
                slider(view, "volume_ring", ("铃声音量", "Ring volume")),
                slider(view, "volume_alarm", ("闹钟音量", "Alarm volume")),
            ]
        ),
        Group(
            [switch(view, "vibrate", ("振动", "Vibrate")), switch(view, "mute", ("静音", "Mute"))]
        ),
    ]


def _notifications(view: View) -> list[Group]:
    return [
        Group(
            [
                switch(view, "do_not_disturb", ("勿扰模式", "Do Not Disturb")),
                switch(view, "lock_notifications", ("锁屏通知", "Notifications on lock screen")),
                switch(view, "badges", ("应用图标角标", "Notification dots")),
            ]
        )
    ]


def _apps(view: View) -> list[Group]:
    rows = [
        Row(
            app.key,
            app.label(view.zh),
            app.package,
            icon=app.icon,
            color=app.color,
            tap=partial(open_page, view.state, f"app:{app.key}"),
        )
        for app in view.apps
        if not app.system
    ]
    return [Group(rows, view.tr(f"共 {len(rows)} 个应用", f"{len(rows)} apps"))]


def app_details(view: View, app: App) -> list[Group]:
    """Return the page of one app: what it is, and how to stop or empty it."""
    stop = partial(stop_app, view.state, app)
    return [
        Group(
            [
                Row("package", view.tr("包名", "Package"), value=app.package),
                Row("version", view.tr("版本", "Version"), value="1.0"),
            ]
        ),
        Group(
            [
                Row("force_stop", view.tr("强行停止", "Force stop"), tap=stop, danger=True),
                Row(
                    "clear_data",
                    view.tr("清除数据", "Clear data"),
                    tap=partial(clear_app, view.state, app),
                    danger=True,
                ),
            ]
        ),
    ]


def _battery(view: View) -> list[Group]:
    level = f"{view.state['system']['battery']}%"
    return [
        Group([Row("level", view.tr("剩余电量", "Battery level"), value=level)]),
        Group([switch(view, "battery_saver", ("省电模式", "Battery Saver"))]),
    ]


def _storage(view: View) -> list[Group]:
    used, total = view.state["settings"]["storage_used_gb"], view.state["settings"]["storage_gb"]
    return [
        Group(
            [
                Row("used", view.tr("已使用", "Used"), value=f"{used} GB"),
                Row("free", view.tr("可用", "Free"), value=f"{total - used} GB"),
                Row("total", view.tr("总容量", "Total"), value=f"{total} GB"),
            ]
        )
    ]


def _location(view: View) -> list[Group]:
    return [Group([switch(view, "location", ("使用位置信息", "Use location"))])]


def _language(view: View) -> list[Group]:
    rows = [
        choice(view, "system.locale", "zh-CN", "简体中文"),
        choice(view, "system.locale", "en-US", "English"),
    ]
    return [Group(rows)]


def _time(view: View) -> list[Group]:
    clock = str(view.state["system"]["time"])
    return [
        Group(
            [
                switch(view, "auto_time", ("自动设置时间", "Set time automatically")),
                Row("date", view.tr("日期", "Date"), value=clock.partition("T")[0]),
                Row("time", view.tr("时间", "Time"), value=clock.partition("T")[2][:5]),
            ]
        )
    ]


def _accessibility(view: View) -> list[Group]:
    return [
        Group(
            [
                switch(view, "magnification", ("放大功能", "Magnification")),
                switch(view, "color_inversion", ("颜色反转", "Color inversion")),
                switch(view, "captions", ("字幕", "Captions")),
            ]
        )
    ]


def _more(view: View) -> list[Group]:
    rows = [
        Row(
            f"toggle_{number}",
            str(item["label"]),
            on=bool(item["on"]),
            tap=partial(toggle, view.state, f"settings.toggles.{number}.on"),
        )
        for number, item in enumerate(view.state["settings"]["toggles"])
    ]
    return [Group(rows)]


def _about_phone(view: View) -> list[Group]:
    return [
        Group(
            [
                Row("model", view.tr("型号", "Model"), value=_about(view, "model")),
                Row(
                    "android",
                    view.tr("Android 版本", "Android version"),
                    value=_about(view, "version"),
                ),
                Row("serial", view.tr("序列号", "Serial number"), value=_about(view, "serial")),
            ]
        )
    ]


def _about(view: View, key: str) -> str:
    return str(view.state["settings"]["about"][key])


PAGES = (
    Page(
        "network",
        ("网络和互联网", "Network & internet"),
        ("Wi-Fi、移动数据、飞行模式", "Wi-Fi, mobile data, airplane mode"),
        "wifi",
        theme.BLUE,
        _network,
    ),
    Page(
        "bluetooth_page",
        ("蓝牙", "Bluetooth"),
        ("已连接的设备", "Connected devices"),
        "bluetooth",
        theme.INDIGO,
        _bluetooth,
    ),
    Page(
        "display",
        ("显示", "Display"),
        ("深色模式、亮度、字体大小", "Dark theme, brightness, font size"),
        "sun",
        theme.AMBER,
        _display,
    ),
    Page(
        "sound",
        ("声音", "Sound"),
        ("音量、振动、静音", "Volume, vibration, mute"),
        "sound",
        theme.PINK,
        _sound,
    ),
    Page(
        "notifications",
        ("通知", "Notifications"),
        ("勿扰模式、锁屏通知", "Do Not Disturb, lock screen"),
        "bell",
        theme.RED,
        _notifications,
    ),
    Page(
        "apps",
        ("应用", "Apps"),
        ("应用信息、清除数据", "App info, clear data"),
        "apps",
        theme.TEAL,
        _apps,
    ),
    Page(
        "battery",
        ("电池", "Battery"),
        ("电量、省电模式", "Level, Battery Saver"),
        "battery",
        theme.GREEN,
        _battery,
    ),
    Page(
        "storage",
        ("存储", "Storage"),
        ("已用空间和可用空间", "Used and free space"),
        "storage",
        theme.PURPLE,
        _storage,
    ),
    Page(
        "location_page",
        ("位置信息", "Location"),
        ("定位服务", "Location services"),
        "location",
        theme.SKY,
        _location,
    ),
    Page(
        "accessibility",
        ("无障碍", "Accessibility"),
        ("放大、颜色反转、字幕", "Magnification, inversion, captions"),
        "person",
        theme.GREEN,
        _accessibility,
    ),
    Page(
        "language",
        ("语言", "Language"),
        ("简体中文、English", "简体中文, English"),
        "globe",
        theme.ORANGE,
        _language,
    ),
    Page(
        "date_time",
        ("日期和时间", "Date & time"),
        ("自动设置时间", "Set time automatically"),
        "clock",
        theme.INDIGO,
        _time,
    ),
    Page(
        "more",
        ("更多功能", "More features"),
        ("其他开关", "Other switches"),
        "tune",
        theme.SLATE,
        _more,
    ),
    Page(
        "about",
        ("关于手机", "About phone"),
        ("型号、版本、序列号", "Model, version, serial number"),
        "info",
        theme.SLATE,
        _about_phone,
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
