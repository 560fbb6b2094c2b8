"""The states are told apart by evidence: black, forbidden and missing pictures are three things."""

from pathlib import Path

import pytest

from core.devices import dumpsys
from core.devices.base import AppInfo
from core.screen import screen, state
from core.screen.state import ADVICE, Evidence, PictureFacts
from tests.core.screen.making import dump, node, read, seen, window

BLACK, FAILED, FINE = PictureFacts(is_black=True), PictureFacts(error="0 bytes"), PictureFacts()
SYSTEM_UI = "com.android.systemui"
PHONES = Path(__file__).parents[3].parent / "shared" / "data" / "tool_outputs"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (Evidence(), "ok"),
        (Evidence(labels=False), "thin"),
        (Evidence(picture=FINE), "ok"),
        (Evidence(picture=FINE, labels=False), "thin"),
        (Evidence(picture=BLACK), "secure"),  # the tree is whole and the picture is not
        (Evidence(picture=BLACK, secure=False), "black"),
        (Evidence(picture=BLACK, labels=False), "black"),
        (Evidence(picture=BLACK, labels=False, secure=True), "secure"),
        (Evidence(picture=FAILED, secure=True), "secure"),
        (Evidence(picture=FAILED), "capture_failed"),
        (Evidence(picture=FAILED, labels=False), "capture_failed"),
        (Evidence(picture=BLACK, locked=True), "locked"),
        (Evidence(picture=BLACK, locked=True, screen_on=False), "off"),
        (Evidence(picture=FAILED, screen_on=False, reachable=False), "offline"),
    ],
)
def test_the_state_follows_from_what_is_known(known: Evidence, expected: str) -> None:
    assert state.judge(known) == expected


def test_every_state_but_ok_has_advice() -> None:
    assert set(ADVICE) == set(state.ScreenState.__args__) - {"ok"}


def test_a_screen_is_judged_with_the_picture_of_its_moment() -> None:
    told = seen(dump(window(node("hello"))))
    forbidden = PictureFacts(error="0 bytes", forbidden=True)

    states = [screen.read(told, "s1", facts).state for facts in (None, FAILED, BLACK, forbidden)]

    assert states == ["ok", "capture_failed", "secure", "secure"]


def test_one_node_without_area_is_thin() -> None:
    wechat = node(package="com.tencent.mm", bounds="[0,0][0,0]")

    assert read(wechat, app=AppInfo("com.tencent.mm", ".ui.LauncherUI")).state == "thin"


@pytest.mark.parametrize(
    ("inside", "app", "expected"),
    [
        ("keyguard_indication_area", "", "locked"),
        ("keyguard_pin_view", SYSTEM_UI, "locked"),
        ("keyguard_pin_view", "com.whatsapp", "ok"),  # a call over the lock screen
        ("keyguard_message_area_container", SYSTEM_UI, "ok"),  # the shade of an unlocked phone
    ],
)
def test_a_lock_screen_is_known_by_its_parts(inside: str, app: str, expected: str) -> None:
    part = node("10:08", package=SYSTEM_UI, rid=f"{SYSTEM_UI}:id/{inside}")
    call = window(node("Answer", package="com.whatsapp"), package="com.whatsapp")
    windows = [window(part, package=SYSTEM_UI)] + [call] * (app == "com.whatsapp")

    assert read(*windows, app=AppInfo(app, "")).state == expected


@pytest.mark.parametrize(
    ("policy", "locked"),
    [
        ("KeyguardServiceDelegate\n  showing=true\n", True),
        ("    showing=false\n    showingAndNotOccluded=true\n", False),
        ("mShowingLockscreen=true mShowingDream=false", True),
        ("nothing of the kind", False),
    ],
)
def test_the_policy_says_whether_the_phone_is_locked(policy: str, locked: bool) -> None:
    assert dumpsys.locked(policy) is locked


@pytest.mark.skipif(not PHONES.exists(), reason="the data set is not here")
@pytest.mark.parametrize("name", ["screen_on", "screen_off"])
def test_the_policy_of_a_real_phone_without_a_lock_is_not_locked(name: str) -> None:
    policy = (PHONES / f"dumpsys_window_policy_{name}.txt").read_text()

    assert dumpsys.locked(policy) is False
