"""The compact text is read back into elements, and names find them."""

from mcp_agent.offline import labels
from mcp_agent.offline.intents import Target
from mcp_agent.offline.tree import SWITCHABLE, TAPPABLE, parse

TEXT = """\
com.android.settings/.SubSettings · 1080x2400 · rotation 0 · ok · keyboard
[1] icon "返回" @76,167
[2] text "网络 \\"A\\"" @594,167
[3] list "" scrollable id=list @540,1332
  [4] switch "Wi-Fi · 已连接到 Office-5G" on @933,348
  [5] switch "Foo 12" off disabled @933,520
  [6] switch "Foo 1" off @933,692
  [7] field "标题" focused id=edit_title @540,900
[8] text "10:08" @180,46
(advice below the tree)"""


def test_every_line_becomes_an_element_with_its_flags() -> None:
    seen = parse(TEXT)

    assert (seen.package, seen.keyboard, seen.scrollable) == ("com.android.settings", True, True)
    assert [each.number for each in seen.elements] == list(range(1, 9))
    assert seen.elements[1].label == '网络 "A"'
    assert seen.elements[3].on is True
    assert seen.elements[6].short_id == "edit_title"
    assert "10:08" not in [each.label for each in seen.own]


def test_an_equal_name_wins_over_one_that_only_contains_it() -> None:
    found = parse(TEXT).match(Target("foo 1"), SWITCHABLE)

    assert [each.number for each in found] == [6]


def test_a_quoted_name_is_taken_exactly() -> None:
    seen = parse(TEXT)

    assert seen.match(Target("foo 1", exact=True), SWITCHABLE, labels.MENTIONED) == []
    assert [e.number for e in seen.match(Target("Foo 12", exact=True), SWITCHABLE)] == [5]


def test_other_words_for_the_same_thing_find_it() -> None:
    seen = parse(TEXT)

    for name in ("WLAN", "无线网络", "wifi", "WI FI"):
        assert [each.number for each in seen.match(Target(name), SWITCHABLE)] == [4]
    assert [each.number for each in seen.match(Target("back"), TAPPABLE)] == [1]
