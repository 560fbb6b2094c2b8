"""Words find elements: exactly, else loosely, never by guessing."""

import pytest

from core.devices.base import AppInfo, Bounds, Size
from core.errors import Ambiguous, ElementGone, Invalid
from core.screen import selectors
from core.screen.elements import Element
from core.screen.hierarchy import Hierarchy
from core.screen.screen import Screen


def element(number: int, label: str, *texts: str, **changes: object) -> Element:
    values: dict[str, object] = {
        "kind": "button",
        "flags": (),
        "short_id": "",
        "package": "app",
        "bounds": Bounds(0, number * 100, 100, number * 100 + 50),
        "depth": 0,
        "clickable": True,
    }
    return Element(number=number, label=label, texts=texts or (label,), **{**values, **changes})  # type: ignore[arg-type]


def shown(*elements: Element) -> Screen:
    return Screen(
        AppInfo("app", ".Main"), Size(1080, 2400), 0, "ok", None, elements, Hierarchy((), 0, False)
    )


SCREEN = shown(
    element(1, "Wi-Fi · connected", "Wi-Fi", "connected"),
    element(2, "Wi-Fi calling"),
    element(3, "WLAN+"),
    element(4, "ＷＬＡＮ"),
    element(5, "Delete"),
    element(6, "Delete"),
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Wi-Fi", 1),  # exactly, although it is a part of another
        ("wi-ficalling", 2),  # without case and spaces
        ("wlan", 4),  # without width
        ("ling", 2),  # a part
        ("Wi-Fi · connected", 1),  # as the line shows it
    ],
)
def test_text_matches_exactly_else_loosely_else_as_a_part(text: str, number: int) -> None:
    assert selectors.find(SCREEN, text).number == number


def test_several_are_refused_with_candidates_unless_an_index_chooses() -> None:
    with pytest.raises(Ambiguous, match=r"index 0: .5. button .*index 1: .6. button"):
        selectors.find(SCREEN, "Delete")

    assert selectors.find(SCREEN, "Delete", 1).number == 6


def test_an_index_beyond_the_matches_says_how_many_there_are() -> None:
    with pytest.raises(Invalid, match="2 elements match"):
        selectors.find(SCREEN, "Delete", 2)


def test_what_is_not_there_names_the_nearest() -> None:
    with pytest.raises(ElementGone, match=r'Nearest: .*"Delete"'):
        selectors.find(SCREEN, "Deleted")


def test_an_empty_text_matches_nothing() -> None:
    with pytest.raises(Invalid, match="text is empty"):
        selectors.find(SCREEN, " ​")


def test_an_element_that_moved_is_followed() -> None:
    before = element(1, "Save", bounds=Bounds(0, 0, 10, 10))
    now = shown(element(1, "Title"), element(2, "Save"))

    assert selectors.again(now, before).number == 2


def test_of_twins_only_the_one_at_the_same_place_is_the_same() -> None:
    twins = shown(element(5, "Delete"), element(6, "Delete"))

    assert selectors.again(twins, element(6, "Delete")).number == 6
    with pytest.raises(ElementGone):
        selectors.again(twins, element(9, "Delete"))


@pytest.mark.parametrize(
    "now",
    [
        element(1, "Save", package="evil"),
        element(1, "Save all"),
        element(1, "Save", kind="switch"),
    ],
)
def test_what_only_looks_alike_is_not_the_same(now: Element) -> None:
    with pytest.raises(ElementGone, match=r"button .*Save"):
        selectors.again(shown(now), element(1, "Save"))


def test_an_icon_without_words_must_be_where_it_was() -> None:
    icon = element(1, "", kind="icon")
    moved = element(2, "", kind="icon")

    assert selectors.again(shown(icon), icon).number == 1
    with pytest.raises(ElementGone):
        selectors.again(shown(moved), icon)


def row(at: int, name: str) -> list[Element]:
    top = at * 100
    return [
        element(2 * at + 1, name, kind="text", bounds=Bounds(0, top, 500, top + 90)),
        element(2 * at + 2, "Delete", bounds=Bounds(900, top, 1000, top + 90)),
    ]


LIST = shown(*row(0, "Anna"), *row(1, "Bert"), *row(2, "Carl"))


def test_of_equal_buttons_the_one_in_the_same_row_is_followed() -> None:
    scrolled = shown(*row(0, "Bert"), *row(1, "Carl"), *row(2, "Dora"))

    found = selectors.again(scrolled, LIST.elements[3], LIST)

    assert found == scrolled.elements[1]


def test_an_equal_button_that_took_the_place_of_another_rows_is_refused() -> None:
    without_bert = shown(*row(0, "Anna"), *row(1, "Carl"))

    with pytest.raises(ElementGone):
        selectors.again(without_bert, LIST.elements[3], LIST)


def test_the_last_of_equal_buttons_is_refused_in_another_row() -> None:
    bert = shown(*row(0, "Anna"))

    with pytest.raises(ElementGone):
        selectors.again(bert, LIST.elements[3], LIST)


def test_a_button_that_stayed_is_itself_whatever_changed_beside_it() -> None:
    def bar(count: str) -> Screen:
        return shown(
            element(1, count, kind="text", bounds=Bounds(0, 0, 500, 90)),
            element(2, "Done", bounds=Bounds(900, 0, 1000, 90)),
        )

    before = bar("1 selected")

    assert selectors.again(bar("2 selected"), before.elements[1], before).label == "Done"


def test_what_lies_under_the_keyboard_gives_way_to_what_can_be_tapped() -> None:
    under = element(1, "Send", covered="keyboard", clickable=False)

    assert selectors.find(shown(under, element(2, "Send to")), "Send") == under
    assert selectors.find(shown(under, element(2, "Send")), "Send").number == 2
