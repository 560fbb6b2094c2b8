"""How long a selector is likely to find its element, and what a person's touches become."""

import pytest

from core.screen.screen import Screen
from core.steps.checks import parse_steps
from core.steps.finding import find
from core.steps.ranking import ranks
from core.steps.recording import Touch, step_of
from core.steps.schema import Selector
from tests.core.screen.making import node, read, window


def told(screen: Screen, number: int) -> list[tuple[str, str]]:
    element = screen.element(number)
    assert element is not None
    return [(rank.selector.said, rank.lasting) for rank in ranks(screen, element)]


def form() -> Screen:
    """Draw a form: a field that holds words, a button with a number, two of the same name."""
    return read(
        window(
            node("li@example.com", kind="EditText", rid="app:id/mail", bounds="[0,0][900,90]"),
            node("签到领 10 金币", kind="Button", bounds="[0,100][900,190]"),
            node("Add", kind="Button", bounds="[0,200][100,290]"),
            node("Add", kind="Button", bounds="[0,300][100,390]"),
        )
    )


def test_an_id_lasts_and_what_somebody_typed_does_not() -> None:
    found = told(form(), 1)

    assert found[0] == ('resourceId="app:id/mail"', "strong")
    assert ('text="li@example.com"', "weak") in found


def test_words_with_a_number_are_found_by_the_part_without_it() -> None:
    found = told(form(), 2)

    assert found[:2] == [('text="签到领 10 金币"', "fair"), ('textContains="签到领"', "fair")]


def test_one_of_several_of_the_same_name_is_counted_and_lasts_less() -> None:
    found = told(form(), 4)

    assert found[0] == ('text="Add", instance=1', "fair")
    assert found[-1][1] == "weak"


def test_what_a_shrinker_writes_is_no_id() -> None:
    odd = node("OK", kind="Button", rid="com.app:id/0_resource_name_obfuscated")

    found = told(read(window(odd)), 1)

    assert found[0] == ('text="OK"', "strong")
    assert not any("resourceId" in said for said, _ in found)


def test_what_has_no_name_is_reached_from_what_holds_it() -> None:
    icons = "".join(
        node(kind="ImageButton", bounds=f"[{left},0][{left + 90},90]") for left in (0, 100)
    )
    bar = node(kind="FrameLayout", rid="app:id/bar", bounds="[0,0][200,90]", inside=icons)
    screen = read(window(bar))
    second = screen.element(2)
    assert second is not None

    found = told(screen, 2)
    path = Selector(xpath='//node[@resource-id="app:id/bar"]/node[2]')

    assert found[-1] == (path.said, "weak")
    assert find(screen, [path]).element == second


def test_every_selector_that_is_offered_means_the_element_on_its_screen() -> None:
    screen = form()

    for element in screen.elements:
        for rank in ranks(screen, element):
            assert find(screen, [rank.selector]).element == element


def test_a_tap_is_recorded_as_a_click_on_what_it_reached() -> None:
    step = step_of(form(), Touch("tap", (450, 145)))

    assert step is not None
    (made,) = parse_steps([step])
    assert made.type == "click"
    assert step["selector"] == {"text": "签到领 10 金币"}
    assert step["alternatives"] == [{"textContains": "签到领"}]
    assert step["expect"]["app"] == "app"


def test_a_tap_on_nothing_is_recorded_as_the_point() -> None:
    step = step_of(form(), Touch("tap", (540, 2000)))

    assert step is not None
    (made,) = parse_steps([step])
    assert (made.type, step["x"], step["y"]) == ("click_xy", 0.5, 0.833)


def test_what_is_typed_goes_to_the_field_that_had_the_focus() -> None:
    field = node("", kind="EditText", rid="app:id/q", bounds="[0,0][900,90]", more='focused="true"')

    step = step_of(read(window(field)), Touch("text", words="火锅"))

    assert step == {"type": "input_text", "text": "火锅", "selector": {"resourceId": "app:id/q"}}


def test_fingers_and_keys_are_recorded_and_unknown_keys_are_not() -> None:
    steps = [
        step_of(form(), Touch("swipe", (540, 2000), (540, 400))),
        step_of(form(), Touch("key", words="back")),
        step_of(form(), Touch("key", words="nothing")),
    ]

    assert steps[0] == {"type": "swipe", "from": [0.5, 0.833], "to": [0.5, 0.167]}
    assert steps[1:] == [{"type": "press_key", "key": "back"}, None]
    assert len(parse_steps(steps[:2])) == 2


@pytest.mark.parametrize(
    ("kind", "stands"), [("Switch", "on"), ("CheckBox", "on"), ("RadioButton", None)]
)
def test_of_a_switch_it_is_noted_how_it_stood_and_not_of_a_choice(
    kind: str, stands: str | None
) -> None:
    switch = node("Wi-Fi", kind=kind, more='checkable="true" checked="true"')

    step = step_of(read(window(switch)), Touch("tap", (10, 10)))

    assert step is not None
    assert step["expect"].get("stands") == stands
