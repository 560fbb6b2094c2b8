"""What plain commands mean, in both languages; the screen is not needed for that."""

import pytest

from mcp_agent.offline.intents import (
    Check,
    Intent,
    Look,
    Open,
    Press,
    Read,
    Scroll,
    ScrollTo,
    Search,
    Switch,
    Tap,
    Target,
    Type,
    Unclear,
    WaitFor,
)
from mcp_agent.offline.understand import lang_of, understand


def plain(text: str) -> Target:
    return Target(text)


def quoted(text: str) -> Target:
    return Target(text, exact=True)


COMMANDS: list[tuple[str, list[Intent]]] = [
    ("打开设置，把 Wi-Fi 关掉", [Open(plain("设置")), Switch(plain("Wi-Fi"), False)]),
    ("open Settings and turn off Wi-Fi", [Open(plain("Settings")), Switch(plain("Wi-Fi"), False)]),
    ("打开设置把蓝牙打开", [Open(plain("设置")), Switch(plain("蓝牙"), True)]),
    ("turn Wi-Fi off", [Switch(plain("Wi-Fi"), False)]),
    ("关闭 Wi-Fi 和蓝牙", [Switch(plain("Wi-Fi"), False), Switch(plain("蓝牙"), False)]),
    (
        "turn on Wi-Fi and Bluetooth",
        [Switch(plain("Wi-Fi"), True), Switch(plain("Bluetooth"), True)],
    ),
    ("切换深色模式", [Switch(plain("深色模式"), None)]),
    ("toggle dark mode", [Switch(plain("dark mode"), None)]),
    ("将飞行模式设为关闭", [Switch(plain("飞行模式"), False)]),
    ("蓝牙关掉", [Switch(plain("蓝牙"), False)]),
    ("make sure Bluetooth is off", [Switch(plain("Bluetooth"), False)]),
    ("把「A和B」关了", [Switch(quoted("A和B"), False)]),
    ('turn on "Smart, and quick"', [Switch(quoted("Smart, and quick"), True)]),
    ("打开蓝牙", [Open(plain("蓝牙"))]),
    ("打开“勿扰，静音”开关", [Switch(quoted("勿扰，静音"), True)]),
    ("open Network and internet", [Open(plain("Network and internet"))]),
    ("打开声音和振动", [Open(plain("声音和振动"))]),
    ("打开设置里的更多功能", [Open(plain("设置")), Open(plain("更多功能"))]),
    ("在设置里打开飞行模式", [Open(plain("设置")), Open(plain("飞行模式"))]),
    (
        "In Settings, turn off Bluetooth",
        [Open(plain("Settings")), Switch(plain("Bluetooth"), False)],
    ),
    ("open Display in Settings", [Open(plain("Settings")), Open(plain("Display"))]),
    ("打开备忘录「周会」", [Open(plain("备忘录")), Open(quoted("周会"))]),
    ('open the note "Plan B"', [Open(plain("Notes")), Open(quoted("Plan B"))]),
    ("打开标题为「买菜」的备忘录", [Open(plain("备忘录")), Open(quoted("买菜"))]),
    ("点击「保存」按钮", [Tap(quoted("保存"))]),
    ("tap Display then go back", [Tap(plain("Display")), Press("back")]),
    ("保存", [Tap(plain("保存"))]),
    ("create a new note", [Tap(plain("new"))]),
    ("点「下一步」，然后按返回键", [Tap(quoted("下一步")), Press("back")]),
    ("返回", [Press("back")]),
    ("press the back button", [Press("back")]),
    ("回到桌面", [Press("home")]),
    ("go to the home screen", [Press("home")]),
    ("home", [Press("home")]),
    ("输入 你好，世界", [Type("你好，世界")]),
    ("在标题里输入「买牛奶」", [Type("买牛奶", plain("标题"))]),
    ("标题写「买菜」，正文写「鸡蛋」", [Type("买菜", plain("标题")), Type("鸡蛋", plain("正文"))]),
    ("type hello into the title field", [Type("hello", plain("title"))]),
    ('type "a and b, then c" into title', [Type("a and b, then c", plain("title"))]),
    ("搜索 购物", [Search("购物")]),
    ("open Notes, search for milk", [Open(plain("Notes")), Search("milk")]),
    ("在备忘录里搜索购物", [Open(plain("备忘录")), Search("购物")]),
    ("向下滑动", [Scroll("down")]),
    ("向上滑三次", [Scroll("up", 3)]),
    ("scroll down", [Scroll("down")]),
    ("swipe up twice", [Scroll("down", 2)]),
    ("滚动到底部", [Scroll("down", 20)]),
    ("滚动到 关于手机", [ScrollTo(plain("关于手机"))]),
    ("scroll to About phone", [ScrollTo(plain("About phone"))]),
    ("等待「完成」出现", [WaitFor(quoted("完成"))]),
    ("wait for Loading to disappear", [WaitFor(plain("Loading"), gone=True)]),
    ("屏幕上有什么？", [Read()]),
    ("读一下屏幕上有什么", [Read()]),
    ("what is on the screen?", [Read()]),
    ("list what is on the screen", [Read()]),
    ("截图", [Look()]),
    ("Wi-Fi 开着吗？", [Check(plain("Wi-Fi"))]),
    ("is Bluetooth on?", [Check(plain("Bluetooth"))]),
    (
        "请帮我打开设置然后进入显示再打开深色模式，谢谢",
        [Open(plain("设置")), Open(plain("显示")), Open(plain("深色模式"))],
    ),
    (
        'Please open the Settings app, go to More features and turn on "One-handed mode".',
        [
            Open(plain("Settings")),
            Open(plain("More features")),
            Switch(quoted("One-handed mode"), True),
        ],
    ),
]


@pytest.mark.parametrize(("prompt", "intents"), COMMANDS, ids=[prompt for prompt, _ in COMMANDS])
def test_a_plain_command_is_understood(prompt: str, intents: list[Intent]) -> None:
    assert understand(prompt) == intents


@pytest.mark.parametrize(
    "prompt", ["帮我写一首诗", "what's the weather?", "你好", "明天几点开会", "？"]
)
def test_what_is_no_command_is_unclear(prompt: str) -> None:
    intents = understand(prompt)

    assert intents and all(isinstance(intent, Unclear) for intent in intents)


@pytest.mark.parametrize(
    ("prompt", "part"),
    [
        ("打开备忘录，帮我写一首诗", "帮我写一首诗"),
        ("打开设置，订一张桌子", "订一张桌子"),
        ("open Settings, and book me a table", "book me a table"),
    ],
)
def test_the_part_that_was_not_understood_is_named(prompt: str, part: str) -> None:
    intents = understand(prompt)

    assert [each.text for each in intents if isinstance(each, Unclear)] == [part]


@pytest.mark.parametrize(
    ("prompt", "lang"), [("打开 Settings", "zh"), ("open Settings", "en"), ("open 「设置」", "en")]
)
def test_the_language_is_that_of_the_words_around_names(prompt: str, lang: str) -> None:
    assert lang_of(prompt) == lang
