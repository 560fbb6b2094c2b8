"""What the rules say: only what was read back, in the prompt's language, and what stopped them."""

import json
from dataclasses import replace

import pytest

from tests.mcp_agent.conftest import Desk
from virtual_phone.testing import PhoneHandle


def answer(desk: Desk, prompt: str) -> str:
    last = desk.run(prompt)[-1]
    assert last.name == "done"
    return str(json.loads(last.data)["answer"])


def test_what_is_so_already_is_not_touched(desk: Desk, phone: PhoneHandle) -> None:
    said = answer(desk, "打开设置，把 Wi-Fi 打开")

    assert "本来就是打开的" in said
    assert phone.get("settings.wifi") is True


def test_a_name_that_is_nowhere_is_said_with_the_nearest(desk: Desk, phone: PhoneHandle) -> None:
    phone.set("settings.toggles", [{"label": "智能提醒", "on": False}])

    said = answer(desk, "打开设置，把「智能提示」打开，然后返回")

    assert "没有 开关「智能提示」" in said
    assert "「智能提醒」" in said
    assert "后面的没有做" in said
    assert phone.get("settings.toggles") == [{"label": "智能提醒", "on": False}]


def test_two_of_the_same_name_are_not_guessed_between(desk: Desk, phone: PhoneHandle) -> None:
    twins = [{"label": "提醒", "on": False}, {"label": "提醒", "on": False}]
    phone.set("settings.toggles", twins)

    said = answer(desk, "打开设置，进入更多功能，把「提醒」打开")

    assert "有多个元素" in said
    assert phone.get("settings.toggles") == twins


def test_what_is_not_understood_touches_nothing(desk: Desk, phone: PhoneHandle) -> None:
    said = answer(desk, "open Settings, and book me a table")

    assert "book me a table" in said
    assert "Nothing was done" in said
    assert phone.log() == []


@pytest.mark.parametrize(
    ("prompt", "said"),
    [("is Wi-Fi on?", '"Wi-Fi" is on.'), ("Wi-Fi 开着吗？", "「Wi-Fi」现在是打开的。")],
)
def test_a_question_is_answered_in_its_language(desk: Desk, prompt: str, said: str) -> None:
    assert answer(desk, prompt) == said


def test_the_screen_is_read_out_without_the_system_bars(desk: Desk) -> None:
    said = answer(desk, "打开备忘录，屏幕上有什么？")

    assert "购物清单" in said
    assert "电量" not in said


def test_with_no_steps_left_it_says_so(desk: Desk, phone: PhoneHandle) -> None:
    desk.settings = replace(desk.settings, agent_max_steps=1)

    said = answer(desk, "打开设置，把 Wi-Fi 关掉")

    assert "步数上限（1 步）" in said
    assert phone.get("settings.wifi") is True
