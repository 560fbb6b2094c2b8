"""What the window manager lists: what lies over an app, and which app forbids pictures."""

import pytest

from core.devices import window_list
from core.devices.base import Bounds
from tests.stack import ROOT

OLD = ROOT.parent / "shared" / "data" / "tool_outputs"
APP = "com.bank"


def window(package: str, flags: str, frame: str = "[0,0][1080,2400]", more: str = "") -> str:
    return (
        f"  Window #3 Window{{c838dbe u0 {package}/{package}.Main}}:\n"
        f"    mOwnerUid=10178 showForAllUsers=false package={package} appop=NONE\n"
        f"    mAttrs={{(0,0)(fillxfill) ty=BASE_APPLICATION\n      fl={flags} pfl=X}}\n"
        f"    mViewVisibility=0x0 mHaveFrame=true{more}\n"
        f"    Frames: parent=[0,0][1080,2400] display=[0,0][1080,2400] frame={frame}\n"
    )


@pytest.mark.parametrize(
    ("flags", "secure"),
    [
        ("LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", True),
        ("LAYOUT_IN_SCREEN SPLIT_TOUCH", False),
        ("#1810100", False),
        ("#1812100", True),
    ],
)
def test_an_app_that_forbids_pictures_says_so_by_its_flags(flags: str, secure: bool) -> None:
    listed = window_list.parse(window(APP, flags))

    assert window_list.forbids_pictures(listed, APP) is secure
    assert window_list.forbids_pictures(listed, "com.other") is None


@pytest.mark.parametrize("text", ["", "WINDOW MANAGER WINDOWS", "Can't find service: window"])
def test_what_is_no_list_is_empty(text: str) -> None:
    assert window_list.parse(text) == []


def test_what_takes_touches_above_an_app_lies_over_it() -> None:
    text = (
        window("com.android.systemui", "NOT_TOUCHABLE")
        + window("com.hidden", "X", more=" isVisible=false")
        + window("com.chat", "NOT_FOCUSABLE", "[100,200][500,600]")
        + window(APP, "LAYOUT_IN_SCREEN")
        + window("com.launcher", "X")
    )

    over = window_list.over(window_list.parse(text), APP)

    assert [(each.package, each.bounds) for each in over] == [
        ("com.chat", Bounds(100, 200, 500, 600))
    ]
    assert window_list.over(window_list.parse(text), "com.nowhere") == ()


@pytest.mark.skipif(not OLD.exists(), reason="the data set is not here")
def test_the_list_of_an_old_phone_is_read() -> None:
    text = (OLD / "dumpsys_window_windows_android4_sample_ui.txt").read_text()

    listed = window_list.parse(text)

    assert len(listed) == 8
    [app] = [each for each in listed if each.package.startswith("com.dtmilano")]
    assert (app.bounds, app.secure, app.visible) == (Bounds(0, 0, 480, 800), False, True)
    assert not next(each for each in listed if each.title == "Keyguard").visible
