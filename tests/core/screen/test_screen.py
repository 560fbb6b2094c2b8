"""A dump becomes a few numbered lines that a model reads and acts on."""

from pathlib import Path

import pytest

from core.devices.base import AppInfo, Bounds
from core.errors import ScreenUnreadable
from core.screen import hierarchy, screen
from tests.core.screen.making import dump, node, read, seen

GOLDEN = Path(__file__).parents[2] / "golden"
SETTINGS = (GOLDEN / "settings_screen.xml").read_text(encoding="utf-8")


def test_the_settings_screen_reads_as_its_golden_text() -> None:
    app = AppInfo("com.android.settings", ".Settings$NetworkActivity")

    text = screen.read(seen(SETTINGS, app=app)).text

    assert text + "\n" == (GOLDEN / "settings_screen.txt").read_text(encoding="utf-8")


def test_five_windows_with_keyboard_and_overlay_read_as_their_golden_text() -> None:
    xml = (GOLDEN / "chat_windows.xml").read_text(encoding="utf-8")
    app = AppInfo("com.example.chat", ".MainActivity")

    now = screen.read(seen(xml, app=app, keyboard=True, keyboard_package="com.example.keys"))

    assert now.text + "\n" == (GOLDEN / "chat_windows.txt").read_text(encoding="utf-8")


def test_a_passwords_text_is_never_read_out() -> None:
    shown = screen.read(seen(SETTINGS))

    assert "hunter2" not in shown.text
    assert not any("hunter2" in text for e in shown.elements for text in e.texts)


def test_a_row_that_holds_more_than_fits_lists_the_rest_below_it() -> None:
    long = "a" * 50
    inside = node(long) + node("b" * 50) + node("c")

    shown = read(node(kind="LinearLayout", inside=inside))

    assert [e.kind for e in shown.elements] == ["item", "text", "text"]
    assert shown.elements[0].label == long


def test_a_label_over_80_characters_is_cut_with_its_length_said() -> None:
    shown = read(node("x" * 100))

    assert f'"{"x" * 80}…(+20)"' in shown.text


def test_the_keyboards_keys_are_not_listed_and_what_it_covers_cannot_be_tapped() -> None:
    keys = node("q", kind="Button", bounds="[0,1500][1080,2400]").replace('"app"', '"ime"')
    under = node("under", bounds="[0,1800][100,1900]")
    half = node("half", bounds="[0,1400][100,1600]")
    app = node(kind="FrameLayout", bounds="[0,0][1080,2400]", inside=under + half)

    shown = read(app, keys, keyboard=True, keyboard_package="ime")

    assert shown.heading.endswith("· ok · keyboard")
    assert [(e.label, e.covered) for e in shown.elements] == [("under", "keyboard"), ("half", "")]
    assert shown.elements[0].line().endswith('text "under" under=keyboard @50,1850')
    assert shown.elements[1].bounds == Bounds(0, 1400, 100, 1500)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "ok"),
        ({"screen_on": False}, "off"),
        ({"app": AppInfo("other", "")}, "thin"),
    ],
)
def test_the_state_says_what_the_screen_is_worth(changes: dict[str, object], state: str) -> None:
    assert read(node("hello"), **changes).state == state


def test_a_screen_that_did_not_change_is_not_read_again() -> None:
    first, same, changed = (screen.read(seen(dump(node(text)))) for text in ("a", "a", "b"))

    assert (same is first, changed.elements[0].label) == (True, "b")


def test_a_ticking_clock_is_no_change_and_a_flipped_switch_is() -> None:
    clock = node("10:08").replace('"app"', '"com.android.systemui"')
    switch = node(kind="Switch").replace('enabled="true"', 'checkable="true" checked="{}"')

    before = read(clock, switch.format("false"))
    later = read(clock.replace("10:08", "10:09"), switch.format("false"))
    flipped = read(clock, switch.format("true"))

    assert before.fingerprint == later.fingerprint
    assert before.fingerprint != flipped.fingerprint


def test_a_source_other_than_the_usual_and_a_broken_dump_are_said() -> None:
    now = screen.read(seen("<hierarchy>" + node("a") + "<node", source="dump"))

    assert now.heading == "app/.Main · 1080x2400 · rotation 0 · from dump · broke off · thin"


@pytest.mark.parametrize(
    "dump",
    [
        b"\xef\xbb\xbf<?xml version='1.0'?><hierarchy><node text='a'/></hierarchy>",
        "<?xml version='1.0' encoding='UTF-8'?><hierarchy><node text='a'/></hierarchy>".encode(
            "utf-16"
        ),
        "<hierarchy><node text='a'/></hierarchy>UI hierchary dumped to: /dev/tty",
        "WARNING: linker\n<hierarchy><node text='a\x01&#x1;&#55296;'/></hierarchy>",
        "<hierarchy><node text='a'/><node text='b",
    ],
)
def test_what_phones_do_to_a_dump_is_repaired(dump: str | bytes) -> None:
    tree = hierarchy.parse(dump)

    assert [n.get("text") for n in tree.walk()] == ["a"]


def test_a_dump_that_broke_off_is_marked() -> None:
    whole = hierarchy.parse("<hierarchy><node/></hierarchy>")
    cut = hierarchy.parse("<hierarchy><node/><node text='b")

    assert (whole.partial, cut.partial) == (False, True)


@pytest.mark.parametrize(
    ("dump", "words"),
    [
        ("", "no readable element list"),
        ("ERROR: could not get idle state.", "could not get idle state"),
        ("<hierarchy" + "<node>" * 300, "no readable element list"),
        ("<hierarchy>" + "<node>" * 300, "nested too deeply"),
    ],
)
def test_what_is_no_hierarchy_is_refused_with_what_it_said(dump: str, words: str) -> None:
    with pytest.raises(ScreenUnreadable, match=words):
        hierarchy.parse(dump, "s1")


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><hierarchy><node text="&a;"/></hierarchy>'

    tree = hierarchy.parse(bomb)

    assert "aaaa" not in [n.get("text") for n in tree.walk()]
