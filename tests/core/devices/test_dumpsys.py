"""What phones print about themselves, in the forms that vendors print it."""

import pytest

from core.devices import dumpsys
from core.devices.base import AppInfo, Hardware

FOLDED = """  mFocusedApp=null
  mFocusedApp=ActivityRecord{caf038a u0 com.android.systemui/.subscreen.SubHomeActivity t7}
  mFocusedApp=ActivityRecord{a646676 u0 org.chat/.main.MainActivity t285}
  mCurrentFocus=null
  mCurrentFocus=Window{5e9b13b u0 org.chat/org.chat.main.MainActivity}"""
SHADE = """  mCurrentFocus=Window{1f2e3d u0 NotificationShade}
  mFocusedApp=ActivityRecord{d4e5f6a u0 com.android.settings/.Settings t12}"""
OLD = "  mCurrentFocus=Window{b4d2a948 com.sample/com.sample.MainActivity paused=false}"


@pytest.mark.parametrize(
    ("text", "active", "app"),
    [
        (FOLDED, "org.chat", AppInfo("org.chat", ".main.MainActivity")),
        (FOLDED, "", AppInfo("org.chat", ".main.MainActivity")),
        (SHADE, "com.android.systemui", AppInfo("com.android.systemui", "")),
        (SHADE, "com.android.settings", AppInfo("com.android.settings", ".Settings")),
        (SHADE, "", AppInfo("com.android.settings", ".Settings")),
        (OLD, "com.sample", AppInfo("com.sample", ".MainActivity")),
        (
            "mCurrentFocus=Window{5e9 u10 com.a/org.b.Main$Inner}",
            "com.a",
            AppInfo("com.a", "org.b.Main$Inner"),
        ),
        ("mCurrentFocus=null", "com.a", AppInfo("com.a", "")),
        ("", "", AppInfo("", "")),
    ],
)
def test_the_app_in_front_is_found(text: str, active: str, app: AppInfo) -> None:
    assert dumpsys.front(text, active) == app


def test_hardware_is_read_also_when_a_part_is_missing() -> None:
    whole = dumpsys.hardware("R5CT\r\nPixel 7\r\n14\r\n  level: 87\r\n")

    assert whole == Hardware("R5CT", "Pixel 7", "14", 87)
    assert dumpsys.hardware("") == Hardware("", "", "", None)


def test_the_keyboard_is_named_by_its_package() -> None:
    assert dumpsys.keyboard_package("com.latin/.LatinIME\n") == "com.latin"
    assert dumpsys.keyboard_package("null\n") == ""
    assert dumpsys.keyboard_shown("  mInputShown=true")
    assert not dumpsys.keyboard_shown("  mInputShown=false")
