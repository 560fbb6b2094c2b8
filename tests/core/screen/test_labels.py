"""A label holds what a person sees, once, and nothing invisible."""

import pytest

from core.devices.base import Bounds
from core.screen.labels import clean
from tests.core.screen.making import node, read, window


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("\ue901 Чаты", "Чаты"),
        ("a\u200bb\ufeff", "ab"),
        ("\u200e\u202aשלום\u202c", "שלום"),
        (" two\n lines ", "two lines"),
        ("\U000f0142", ""),
        ("\u200d\ufe0f ", ""),
        ("👨\u200d👩", "👨\u200d👩"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_cannot_be_seen_is_no_part_of_a_label(text: str, label: str) -> None:
    assert clean(text) == label


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (node("\ue901", rid="app:id/share"), '[1] text "" id=share @50,50'),
        (node("\ue901", kind="Button", rid="app:id/share"), '[1] button "" id=share @50,50'),
        (
            node(kind="LinearLayout", inside=node(rid="app:id/iv_cart")),
            '[1] item "" id=iv_cart @50,50',
        ),
        (
            node("\ue901").replace("android.widget.TextView", "com.shop.CartIcon"),
            '[1] text "" class=CartIcon @50,50',
        ),
    ],
)
def test_an_icon_without_words_is_named_by_id_or_class(shown: str, line: str) -> None:
    assert read(shown).text.splitlines()[1:] == [line]


def test_a_text_that_repeats_its_description_is_said_once() -> None:
    assert read(node("Save", desc="Save")).elements[0].label == "Save"


def test_text_and_description_are_each_cut_so_that_neither_is_lost() -> None:
    shown = read(node("a" * 90, desc="b" * 90))

    assert f"{'a' * 80}…(+10) · {'b' * 80}…(+10)" in shown.text


def test_a_row_without_a_label_takes_those_below_it_and_they_are_not_repeated() -> None:
    badge = node("1") + node("Anna") + node("10:21")

    shown = read(window(node(kind="LinearLayout", inside=badge)))

    assert [e.gist for e in shown.elements] == ['item "1 · Anna · 10:21"']
    assert shown.elements[0].texts == ("1", "Anna", "10:21")


@pytest.mark.parametrize(
    ("row", "below", "count"),
    [
        ("互联网,abcd_5G", "abcd_5G", 1),
        ("Bluetooth. Off", "Bluetooth", 1),
        ("10:21 Anna", "1", 2),
        ("热点", "热", 2),
        ("a" * 80 + " tail", "tail", 2),
    ],
)
def test_words_below_a_row_are_listed_only_where_its_line_lacks_them(
    row: str, below: str, count: int
) -> None:
    shown = read(window(node(desc=row, kind="LinearLayout", inside=node(below))))

    assert len(shown.elements) == count


def test_the_lines_of_a_description_find_it_one_by_one() -> None:
    shown = read(node(desc="Clock&#10;Alarm"))

    assert shown.elements[0].label == "Clock Alarm"
    assert shown.elements[0].texts == ("Clock Alarm", "Clock", "Alarm")


def test_a_switch_keeps_its_name_and_drops_what_on_and_off_say() -> None:
    more = 'checkable="true" checked="true"'

    shown = read(node("Wi-Fi", kind="Switch", more=more), node("ON", kind="Switch", more=more))

    assert [e.gist for e in shown.elements] == ['switch "Wi-Fi" on', 'switch "" on']


def test_a_fields_text_hides_its_hint_which_still_finds_it() -> None:
    field = read(node("Anna", kind="EditText", rid="a:id/n", more='hint="Name"')).elements[0]

    assert (field.label, field.texts) == ("Anna", ("Anna", "Name"))


@pytest.mark.parametrize(
    "bounds", ["[5,5][5,90]", "[476,624][572,620]", "[0,0][0,0]", "[-9,0][0,9]"]
)
def test_what_has_no_area_on_the_screen_is_not_listed(bounds: str) -> None:
    assert read(window(node("x", kind="Button", bounds=bounds))).elements == ()


def test_an_element_is_tapped_in_the_part_that_its_scrolling_parent_shows() -> None:
    row = node("Row", kind="Button", bounds="[0,2000][1080,2390]")
    scroll = node(
        kind="ScrollView", bounds="[0,100][1080,2100]", inside=row, more='scrollable="true"'
    )

    shown = read(window(scroll))

    assert shown.elements[1].bounds == Bounds(0, 2000, 1080, 2100)
