"""Every recorded output of adb and Android is read right, or refused in words.

The recordings lie beside the checkout and are not shipped; without them these tests skip.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.devices import dumpsys, image, window_list
from core.devices.adb import devices
from core.devices.base import AppInfo, Size
from core.devices.complaints import complaint
from core.errors import (
    CaptureFailed,
    ConsoleError,
    DeviceOffline,
    DeviceUnauthorized,
    NoSuchApp,
    PhoneFault,
    TouchRefused,
)

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "tool_outputs"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no recordings in {FOLDER.name}")

S = "s1"
UDEV = "no permissions (missing udev rules? user is in the plugdev group); see "
WRONG = "no permissions (user in plugdev group; are your udev rules wrong?); see "
SITE = "[http://developer.android.com/tools/device.html]"

DEVICES: dict[str, dict[str, str]] = {
    "adb_devices_daemon_start.txt": {"emulator-5554": "offline"},
    "adb_devices_emulators.txt": {
        "emulator-5558": "device",
        "fc74d864": "device",
        "emulator-5556": "unauthorized",
        "emulator-5554": "device",
    },
    "adb_devices_mixed_l.txt": {
        "emulator-5554": "device",
        "984e71340418728d": "unauthorized",
        "0123456789ABCDEF": "offline",
        "192.168.0.100:5555": "device",
        "R58N000TEST": "device",
    },
    "adb_devices_no_permissions_bare.txt": {"????????????": "no permissions"},
    "adb_devices_no_permissions_plugdev.txt": {"863276c1": UDEV + SITE},
    "adb_devices_no_permissions_short.txt": {"1fXXXX9": "no permissions; see " + SITE},
    "adb_devices_no_permissions_wrong_rules.txt": {"009d1cd696d5194a": WRONG + SITE},
    "adb_devices_sideload.txt": {"1fXXXX9": "sideload"},
}

READ: dict[str, tuple[Callable[[str], Any], Any]] = {
    "dumpsys_activity_activities_android14.txt": (
        dumpsys.resumed,
        AppInfo("com.example", ".MainActivity"),
    ),
    "dumpsys_activity_activities_android5_vivo.txt": (
        dumpsys.resumed,
        AppInfo("com.xtc.watch", ".view.home.activity.XtcHomeActivity"),
    ),
    "dumpsys_activity_top_android9.txt": (
        dumpsys.resumed,
        AppInfo("com.example", ".MainActivity"),
    ),
    "dumpsys_battery_emulator.txt": (dumpsys.battery, dumpsys.Battery(89, None, True)),
    "dumpsys_battery_samsung.txt": (dumpsys.battery, dumpsys.Battery(100, 30.9, True)),
    "dumpsys_input_method_shown_no_ui.txt": (dumpsys.keyboard_shown, False),
    "dumpsys_window_displays_android12_flip4.txt": (
        lambda text: dumpsys.front(text, ""),
        AppInfo("jp.naver.line.android", ".activity.main.MainActivity"),
    ),
    "dumpsys_window_displays_flip_subscreen.txt": (
        lambda text: dumpsys.front(text, ""),
        AppInfo("eu.niko.smart.universal", "crc648a3abc16689e594e.MainActivity"),
    ),
    "dumpsys_window_focus_transition.txt": (
        lambda text: dumpsys.front(text, ""),
        AppInfo("com.lookout.enterprise", ".ui.android.activity.StartActivity"),
    ),
    "dumpsys_window_focus_workprofile.txt": (
        lambda text: dumpsys.front(text, ""),
        AppInfo("com.example.app", ".MainActivity"),
    ),
    "dumpsys_window_windows_android13_no_focus.txt": (
        lambda text: dumpsys.front(text, "tv.danmaku.bili"),
        AppInfo("tv.danmaku.bili", ""),
    ),
    "dumpsys_window_windows_android4_sample_ui.txt": (
        lambda text: dumpsys.front(text, ""),
        AppInfo("com.dtmilano.android.sampleui", ".MainActivity"),
    ),
    "dumpsys_window_partial_android4.txt": (dumpsys.locked, False),
    "dumpsys_window_policy_screen_off.txt": (dumpsys.locked, False),
    "dumpsys_window_policy_screen_on.txt": (dumpsys.locked, False),
    "getprop_hammerhead_lines.txt": (
        lambda text: dumpsys.properties(text)["persist.sys.multi"],
        "line one\nline two",
    ),
    "ime_list_s.txt": (
        dumpsys.keyboards,
        ["com.android.inputmethod.latin/.LatinIME", "com.volosyukivan/.WiFiInputMethod"],
    ),
    "settings_enabled_input_methods.txt": (
        dumpsys.keyboards,
        [
            "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME",
            "com.android.adbkeyboard/.AdbIME",
        ],
    ),
    "settings_get_null.txt": (dumpsys.keyboard_package, ""),
    "pm_list_packages.txt": (
        dumpsys.packages,
        frozenset({"org.example.app", "org.example.launcher"}),
    ),
    "wm_size_override.txt": (dumpsys.screen_size, Size(720, 1600)),
    "wm_size_landscape_device.txt": (dumpsys.screen_size, Size(512, 480)),
    # successes that look like trouble, and outputs that concern us only as text
    "am_start_already_running.txt": (lambda text: complaint(S, text), None),
    "uiautomator_dump_ok_typo.txt": (lambda text: complaint(S, text), None),
    "uiautomator_dump_crash_logcat.txt": (lambda text: complaint(S, text), None),
    "dumpsys_package_error.txt": (lambda text: complaint(S, text), None),
}

REFUSED: dict[str, tuple[type[ConsoleError], str]] = {
    "adb_error_insufficient_permissions.txt": (DeviceOffline, "USB rules"),
    "adb_error_unauthorized.txt": (DeviceUnauthorized, "accept USB debugging"),
    "adb_install_user_restricted.txt": (PhoneFault, "Install via USB"),
    "am_start_no_such_activity.txt": (NoSuchApp, "com.example.app.MissingActivity"),
    "am_start_not_exported_android13.txt": (PhoneFault, "does not let others open"),
    "am_start_not_exported_android8.txt": (PhoneFault, "does not let others open"),
    "am_start_not_exported_old.txt": (PhoneFault, "does not let others open"),
    "ime_list_coloros_securityexception.txt": (PhoneFault, "Security settings"),
    "ime_set_unknown.txt": (PhoneFault, "not installed or not enabled"),
    "input_tap_inject_events_android10.txt": (TouchRefused, "Security settings"),
    "input_tap_inject_events_android13.txt": (TouchRefused, "Security settings"),
    "u2_jsonrpc_inject_events.txt": (TouchRefused, "Security settings"),
    "uiautomator_idle_state.txt": (PhoneFault, "never came to rest"),
    "uiautomator_idle_timeout_logcat.txt": (PhoneFault, "never came to rest"),
    "uiautomator_null_root.txt": (PhoneFault, "never came to rest"),
}

PICTURES = {
    "screencap_crlf_damage.bin": None,
    "screencap_multi_display_warning.bin": Size(1, 1),
    "screencap_powershell_utf16_head.bin": None,
}

#: We read no logs, permissions, resolver tables or vendors' batches of properties.
UNREAD = ("logcat_", "dumpsys_package_permissions", "dumpsys_package_activity_", "getprop_batch_")


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("name", DEVICES)
def test_a_list_of_devices_is_read_whatever_stands_in_it(name: str) -> None:
    assert devices(text_of(name)) == DEVICES[name]


@pytest.mark.parametrize("name", READ)
def test_an_output_is_read(name: str) -> None:
    read, expected = READ[name]

    assert read(text_of(name)) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_told_in_words_with_what_to_do(name: str) -> None:
    kind, words = REFUSED[name]

    refusal = complaint(S, text_of(name))

    assert type(refusal) is kind
    assert words in str(refusal)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_told_by_its_signature(name: str) -> None:
    raw, size = (FOLDER / name).read_bytes(), PICTURES[name]

    if size:
        assert image.picture(raw).size == size
    else:
        with pytest.raises(CaptureFailed, match="no picture"):
            image.picture(raw)


TEXTS = sorted(file.name for file in FOLDER.glob("*.txt")) if FOLDER.exists() else []


@pytest.mark.parametrize("name", TEXTS)
def test_no_reader_stumbles_over_the_output_of_another_command(name: str) -> None:
    text = text_of(name)

    dumpsys.front(text, "")
    dumpsys.resumed(text)
    dumpsys.hardware(text)
    dumpsys.battery(text)
    dumpsys.keyboards(text)
    dumpsys.properties(text)
    window_list.parse(text)
    devices(text)


def test_every_recording_has_an_expectation() -> None:
    known = {*DEVICES, *READ, *REFUSED, *PICTURES}

    missing = [
        file.name
        for file in FOLDER.iterdir()
        if file.name not in known and not file.name.startswith(UNREAD)
    ]

    assert missing == []
