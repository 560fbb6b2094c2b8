"""Plain commands on the virtual phone, with labels and start screens that no test chose.

The labels, values and screens come from a seed at test time; only the phone's own JSON judges.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.mcp_agent.conftest import Desk
from virtual_phone.testing import PhoneHandle

SEED = 20261130
ROUNDS = 15
ZH_WORDS = [
    "晨光",
    "灵感",
    "静听",
    "云端",
    "护航",
    "轻触",
    "智联",
    "畅读",
    "夜航",
    "速记",
    "浮窗",
    "微光",
    "星标",
    "回声",
    "远山",
    "青瓷",
]
EN_WORDS = [
    "amber",
    "brisk",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "hazel",
    "ivory",
    "jolly",
    "kappa",
    "lunar",
]

Judge = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True)
class Case:
    """A command and what must be so afterwards."""

    prompt: str
    judge: Judge


def label(dice: random.Random, lang: str) -> str:
    """Make a name; digits and shared words make similar ones likely."""
    words = dice.sample(ZH_WORDS if lang == "zh" else EN_WORDS, 2)
    joined = "".join(words) if lang == "zh" else " ".join(words).capitalize()
    return f"{joined} {dice.randint(1, 99)}" if dice.random() < 0.5 else joined


def set_up(phone: PhoneHandle, dice: random.Random, lang: str) -> tuple[list[Any], list[str]]:
    """Give the phone toggles, notes and a start screen; returns toggles and note titles."""
    names = list({label(dice, lang) for _ in range(dice.randint(6, 24))})
    toggles = [{"label": name, "on": dice.random() < 0.5} for name in names]
    titles = list({label(dice, lang) for _ in range(dice.randint(3, 18))})
    notes = [
        {"id": at, "title": title, "body": label(dice, lang), "updated": "2026-03-01T08:00:00"}
        for at, title in enumerate(titles, 1)
    ]
    phone.set("system.locale", "zh-CN" if lang == "zh" else "en-US")
    phone.set("settings.toggles", toggles)
    phone.set("notes.items", notes)
    screen = dice.choice(["home", "com.android.settings", "com.example.notes"])
    if screen != "home":
        phone.start(screen)
    if screen == "com.android.settings":
        stack = dice.choice([["main"], ["main", "network"], ["main", "more"], ["main", "display"]])
        phone.set("settings.ui", {"stack": stack})
    return toggles, titles


def is_toggled(name: str, on: bool) -> Judge:
    def judge(state: dict[str, Any]) -> bool:
        return any(t["label"] == name and t["on"] == on for t in state["settings"]["toggles"])

    return judge


def has_setting(key: str, on: bool) -> Judge:
    return lambda state: bool(state["settings"][key] == on)


def shows_note(title: str) -> Judge:
    return lambda state: bool(
        state["notes"]["ui"]["page"] == "editor" and state["notes"]["ui"]["draft"]["title"] == title
    )


def has_note(title: str, body: str) -> Judge:
    return lambda state: any(
        note["title"] == title and note["body"] == body for note in state["notes"]["items"]
    )


def switch_case(dice: random.Random, lang: str, toggles: list[Any]) -> Case:
    toggle = dice.choice(toggles)
    name, on = toggle["label"], dice.random() < 0.6 or not toggle["on"]
    zh = [
        f"打开设置，进入更多功能，把「{name}」{'打开' if on else '关掉'}",
        f"把「{name}」{'打开' if on else '关闭'}",
        f"{'开启' if on else '关闭'}「{name}」",
    ]
    en = [
        f'open Settings, go to More features and turn {"on" if on else "off"} "{name}"',
        f'turn {"on" if on else "off"} "{name}"',
        f'{"enable" if on else "disable"} "{name}"',
    ]
    return Case(dice.choice(zh if lang == "zh" else en), is_toggled(name, on))


def known_case(dice: random.Random, lang: str) -> Case:
    zh = {"wifi": ["Wi-Fi", "WLAN", "无线网络"], "bluetooth": ["蓝牙"], "dark_mode": ["深色模式"]}
    en = {"wifi": ["Wi-Fi", "wifi", "WLAN"], "bluetooth": ["Bluetooth"], "dark_mode": ["dark mode"]}
    key, names = dice.choice(list((zh if lang == "zh" else en).items()))
    name, on = dice.choice(names), dice.random() < 0.5
    if lang == "zh":
        prompt = f"打开设置，把 {name} {'打开' if on else '关掉'}"
    else:
        prompt = f"open Settings and turn {'on' if on else 'off'} {name}"
    return Case(prompt, has_setting(key, on))


def note_case(dice: random.Random, lang: str, titles: list[str]) -> Case:
    if dice.random() < 0.5:
        title = dice.choice(titles)
        zh = [f"打开备忘录，打开「{title}」", f"打开备忘录「{title}」"]
        en = [f'open Notes and tap "{title}"', f'open the note "{title}"']
        return Case(dice.choice(zh if lang == "zh" else en), shows_note(title))
    title, body = label(dice, lang), label(dice, lang)
    zh_new = f"打开备忘录，新建，标题写「{title}」，正文写「{body}」，保存"
    en_new = f'open Notes, tap New, type "{title}" into title, type "{body}" into body, tap Save'
    return Case(zh_new if lang == "zh" else en_new, has_note(title, body))


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("at", range(ROUNDS))
def test_a_plain_command_makes_true_what_it_says(
    phone: PhoneHandle, desk: Desk, lang: str, at: int
) -> None:
    dice = random.Random(f"{SEED}-{lang}-{at}")
    toggles, titles = set_up(phone, dice, lang)
    kinds = (
        lambda: switch_case(dice, lang, toggles),
        lambda: known_case(dice, lang),
        lambda: note_case(dice, lang, titles),
    )
    case = kinds[at % len(kinds)]()

    last = desk.run(case.prompt)[-1]

    assert last.name == "done"
    assert case.judge(phone.state()), f"{case.prompt}: {json.loads(last.data)['answer']}"
