"""What stands on each page of Settings: cards rebuilt from the state for every drawing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from virtual_phone import theme
from virtual_phone.state import State, get_path, set_path, toggle
from virtual_phone.view import App, View, stop_app
from virtual_phone.widgets import Row

MAX_BRIGHTNESS = 255


@dataclass(frozen=True, slots=True)
class Group:
    """Rows on one card, with an optional heading."""

    rows: list[Row]
    heading: str = ""


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


def network_page(view: View) -> list[Group]:
    """Build the page about Wi-Fi, mobile data, airplane mode and the networks in reach."""
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


def bluetooth_page(view: View) -> list[Group]:
    """Build the page about Bluetooth."""
    rows = [switch(view, "bluetooth", ("蓝牙", "Bluetooth"), ("连接耳机、手表等", "Pair devices"))]
    name = Row("device_name", view.tr("设备名称", "Device name"), value=_about(view, "model"))
    return [Group(rows), Group([name])]


def display_page(view: View) -> list[Group]:
    """Build the page about theme, brightness and font size."""
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


def sound_page(view: View) -> list[Group]:
    """Build the page about volumes, vibration and silence."""
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


def notifications_page(view: View) -> list[Group]:
    """Build the page about what may interrupt."""
    return [
        Group(
            [
                switch(view, "do_not_disturb", ("勿扰模式", "Do Not Disturb")),
                switch(view, "lock_notifications", ("锁屏通知", "Notifications on lock screen")),
                switch(view, "badges", ("应用图标角标", "Notification dots")),
            ]
        )
    ]


def apps_page(view: View) -> list[Group]:
    """Build the page about installed apps."""
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
                    tap=partial(view.state["settings"]["ui"].update, ask=app.key),
                    danger=True,
                ),
            ]
        ),
    ]


def battery_page(view: View) -> list[Group]:
    """Build the page about charge and saver."""
    level = f"{view.state['system']['battery']}%"
    return [
        Group([Row("level", view.tr("剩余电量", "Battery level"), value=level)]),
        Group([switch(view, "battery_saver", ("省电模式", "Battery Saver"))]),
    ]


def storage_page(view: View) -> list[Group]:
    """Build the page about used and free space."""
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


def location_page(view: View) -> list[Group]:
    """Build the page about location."""
    return [Group([switch(view, "location", ("使用位置信息", "Use location"))])]


def language_page(view: View) -> list[Group]:
    """Build the page about the language of the phone."""
    rows = [
        choice(view, "system.locale", "zh-CN", "简体中文"),
        choice(view, "system.locale", "en-US", "English"),
    ]
    return [Group(rows)]


def time_page(view: View) -> list[Group]:
    """Build the page about date and time."""
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


def accessibility_page(view: View) -> list[Group]:
    """Build the page about magnification and the like."""
    return [
        Group(
            [
                switch(view, "magnification", ("放大功能", "Magnification")),
                switch(view, "color_inversion", ("颜色反转", "Color inversion")),
                switch(view, "captions", ("字幕", "Captions")),
            ]
        )
    ]


def more_page(view: View) -> list[Group]:
    """Build the page about the switches whose labels are state."""
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


def about_phone_page(view: View) -> list[Group]:
    """Build the page about what this phone is."""
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
