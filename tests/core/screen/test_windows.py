"""The app's own window is told from what lies over it, in whatever order the dump has them."""

import itertools

from core.devices.base import AppInfo, Bounds
from tests.core.screen.making import node, read, window

APP = window(node("Buy", kind="Button", bounds="[400,1100][600,1200]"))
BAR = window(node("10:08"), package="com.android.systemui", bounds="[0,0][1080,80]")
BALL = window(
    node("Ball", kind="Button", package="ball", bounds="[450,1000][900,1300]"),
    package="ball",
    bounds="[450,1000][900,1300]",
)


def test_the_order_of_the_windows_in_a_dump_changes_nothing() -> None:
    texts = {read(*order).text for order in itertools.permutations((APP, BAR, BALL))}

    assert len(texts) == 1


def test_what_lies_over_the_app_is_listed_after_it_and_said() -> None:
    shown = read(BAR, BALL, APP)

    assert [e.label for e in shown.elements] == ["Buy", "Ball", "10:08"]
    assert "\n-- over the app: ball\n[2] " in shown.text
    assert "\n-- over the app: com.android.systemui\n[3] " in shown.text


def test_an_element_half_under_another_window_is_tapped_where_it_is_free() -> None:
    buy = read(APP, BALL).elements[0]

    assert (buy.bounds, buy.covered) == (Bounds(400, 1100, 450, 1200), "")


def test_an_element_wholly_under_another_window_cannot_be_tapped() -> None:
    wide = BALL.replace("[450,1000]", "[390,1000]")

    buy = read(APP, wide).elements[0]

    assert (buy.covered, buy.clickable) == ("ball", False)
    assert "under=ball" in buy.line()


def test_glass_over_the_whole_screen_covers_only_where_something_is() -> None:
    glass = window(node("Tip", package="tips", bounds="[0,0][50,50]"), package="tips")

    buy = read(APP, glass).elements[0]

    assert (buy.label, buy.covered) == ("Buy", "")


def test_an_empty_window_covers_nothing() -> None:
    empty = window(package="gesture", bounds="[0,1000][1080,1300]")

    assert read(empty, APP).elements[0].covered == ""


def test_widgets_of_other_apps_inside_the_launchers_window_belong_to_it() -> None:
    launcher = window(node("Clock", package="clock"), node("Mail", package="mail"))

    shown = read(launcher)

    assert (shown.titles, shown.state) == ((), "ok")
    assert [e.package for e in shown.elements] == ["clock", "mail"]


def test_the_screens_size_is_not_taken_from_a_window() -> None:
    shown = read(window(node("x", bounds="[900,0][1200,100]"), bounds="[176,0][2000,1128]"))

    assert shown.elements[0].bounds == Bounds(900, 0, 1080, 100)


def test_nodes_without_a_package_belong_to_the_app_in_front() -> None:
    shown = read(APP.replace('package="app"', ""))

    assert (shown.elements[0].package, shown.state, shown.titles) == ("app", "ok", ())


def test_without_a_word_of_who_is_in_front_the_largest_window_is() -> None:
    shown = read(BAR, BALL, APP, app=AppInfo("", ""))

    assert (shown.state, shown.elements[0].label, len(shown.titles)) == ("ok", "Buy", 2)


def test_a_system_dialog_over_an_app_without_nodes_can_be_read() -> None:
    dialog = window(node("Wait", kind="Button", package="android"), package="android")

    shown = read(dialog, app=AppInfo("game", ".Main"))

    assert (shown.state, shown.elements[0].label) == ("ok", "Wait")


def test_a_point_gives_the_element_on_top() -> None:
    shown = read(APP, BALL)

    assert [getattr(shown.at(p), "label", None) for p in ((420, 1150), (500, 1150), (5, 5))] == [
        "Buy",
        "Ball",
        None,
    ]


def test_a_keyboard_that_the_dump_does_not_hold_lies_where_its_window_is_listed() -> None:
    low, whole = Bounds(0, 1000, 1080, 2400), Bounds(0, 0, 1080, 2400)
    ime = {"keyboard": True, "keyboard_package": "ime"}

    under = read(APP, over=(("ime", low),), **ime)
    unknown = read(APP, over=(("ime", whole),), **ime)

    assert (under.keyboard, under.elements[0].covered) == (low, "keyboard")
    assert unknown.elements[0].covered == "ime"
