"""A step's selector finds the nodes that uiautomator2 would find."""

from typing import Any

import pytest

from core.errors import Invalid
from core.screen import lookup
from tests.core.screen.making import node, read, window

IN_ROW = node("In a row", bounds="[0,300][50,400]")
SCREEN = read(
    window(
        node("Buy", kind="Button", rid="app:id/buy", bounds="[0,0][100,50]"),
        node("Buy again", desc="Again", bounds="[0,50][100,100]"),
        node("Buy", kind="Button", bounds="[0,0][0,0]"),
        node("Buy", kind="Button", bounds="[0,200][100,250]"),
        node(kind="LinearLayout", bounds="[0,300][100,400]", inside=IN_ROW),
    )
)


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ({"text": "Buy"}, 3),
        ({"text": "buy"}, 0),
        ({"textContains": "BUY"}, 4),
        ({"description": "Again"}, 1),
        ({"descriptionContains": "ga"}, 1),
        ({"resourceId": "app:id/buy"}, 1),
        ({"className": "android.widget.Button"}, 3),
        ({"text": "Buy", "resourceId": "app:id/buy"}, 1),
        ({"text": "Buy", "instance": 2}, 1),
        ({"text": "Buy", "instance": 3}, 0),
        ({"xpath": '//android.widget.Button[@text="Buy"]'}, 3),
        ({"xpath": '//node[@content-desc="Again"]'}, 1),
        ({"xpath": '//node[.//node[@content-desc="Again"] and not(//node[@text="]//["])]'}, 1),
        ({"xpath": "//android.widget.LinearLayout/android.widget.TextView"}, 1),
        ({"xpath": '//*[@resource-id="app:id/buy"]', "text": "Buy again"}, 0),
    ],
)
def test_all_keys_must_hold(selector: dict[str, Any], count: int) -> None:
    assert len(lookup.nodes(SCREEN.hierarchy, selector)) == count


def test_what_has_no_area_is_no_instance() -> None:
    tops = [e.bounds.top for e in lookup.elements(SCREEN, {"text": "Buy"})]
    second = lookup.elements(SCREEN, {"text": "Buy", "instance": 1})

    assert tops == [0, 200]
    assert [e.bounds.top for e in second] == [200]


def test_a_listed_node_is_its_element_and_a_rows_text_can_be_tapped_too() -> None:
    (buy,) = lookup.elements(SCREEN, {"resourceId": "app:id/buy"})
    (text,) = lookup.elements(SCREEN, {"text": "In a row"})

    assert buy is SCREEN.elements[0]
    assert (text.number, text.label, text.point) == (0, "In a row", (25, 350))


def test_what_lies_under_another_window_says_so_though_it_is_not_listed() -> None:
    row = node(kind="LinearLayout", bounds="[0,300][100,400]", inside=IN_ROW)
    ball = window(node("Ball", package="ball"), package="ball", bounds="[0,250][200,450]")

    (text,) = lookup.elements(read(window(row), ball), {"text": "In a row"})

    assert (text.covered, text.clickable) == ("ball", False)


@pytest.mark.parametrize(
    ("selector", "path"),
    [
        ({"txt": "a"}, "selector.txt"),
        ({}, "selector"),
        ({"instance": 1}, "selector"),
        ({"xpath": "//["}, "selector.xpath"),
        ({"xpath": "count(//*)"}, "selector.xpath"),
        ({"xpath": "//node[//node[//node[//node[//node[@text='zz']]]]]"}, "selector.xpath"),
        ({"xpath": "//node[../node[../node/@text=/*/*/@text]]"}, "selector.xpath"),
        ({"xpath": "//node[*[following::*[@text='zz']]]"}, "selector.xpath"),
        ({"xpath": "//node[following::*/preceding::*[@text='zz']]"}, "selector.xpath"),
        ({"xpath": "//x:y"}, "selector.xpath"),
    ],
)
def test_a_selector_that_cannot_be_meant_is_refused(selector: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refused:
        lookup.nodes(SCREEN.hierarchy, selector)

    assert refused.value.path == path
