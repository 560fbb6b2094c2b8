"""What texts speak of, told apart in Chinese and in English."""

import pytest

from core.meanings import marks, meanings, sought


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("关掉 Wi-Fi", "turn off the Wi Fi"),
        ("清除浏览器的历史记录", "clear the browser's history"),
        ("给张三发短信", "send Ann an SMS"),
        ("新建一个闹钟", "create an alarm"),
        ("把购物车里的商品全部删除", "delete all items from the shopping-cart"),
    ],
)
def test_the_same_is_spoken_of_in_two_languages(chinese: str, english: str) -> None:
    assert meanings(chinese) == meanings(english) != frozenset()
    assert marks(chinese) == sought(english)
    assert marks(english) == sought(chinese)


@pytest.mark.parametrize("text", ["", "，。!", "hello", "你好", "searching", "category"])
def test_a_part_of_a_word_and_small_talk_mean_nothing(text: str) -> None:
    assert meanings(text) == frozenset()


def test_the_longest_word_is_meant() -> None:
    assert meanings("flight mode") == meanings("飞行模式") != meanings("flight")
