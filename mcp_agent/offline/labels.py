"""Compare what a person calls a thing with what a screen calls it, across two languages."""

import re
import unicodedata
from functools import cache

from mcp_agent.offline.intents import Target

#: Names of the same thing; the first group that holds a name decides.
SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("wifi", "wi-fi", "wlan", "无线网络", "无线局域网", "无线网"),
    ("蓝牙", "bluetooth"),
    ("飞行模式", "airplane mode", "aeroplane mode", "flight mode"),
    ("深色模式", "深色主题", "暗色模式", "夜间模式", "暗黑模式", "dark mode", "dark theme"),
    ("移动数据", "移动网络", "数据流量", "流量", "蜂窝数据", "mobile data", "cellular data"),
    ("勿扰模式", "勿扰", "免打扰", "免打扰模式", "do not disturb", "dnd"),
    ("省电模式", "battery saver", "power saving", "power saver"),
    ("静音", "静音模式", "mute", "silent mode", "silent"),
    ("振动", "震动", "vibrate", "vibration"),
    ("位置信息", "定位", "定位服务", "位置", "location", "location services", "gps"),
    ("自动旋转", "自动旋转屏幕", "屏幕旋转", "auto-rotate", "auto rotate", "auto-rotate screen"),
    ("自动亮度", "自动调节亮度", "adaptive brightness", "auto brightness", "auto-brightness"),
    ("热点", "个人热点", "hotspot", "wi-fi hotspot"),
    ("nfc", "近场通信"),
    ("设置", "settings", "系统设置"),
    ("备忘录", "笔记", "便签", "notes", "note"),
    ("返回", "back"),
    ("保存", "save"),
    ("新建", "添加", "new", "add", "create"),
    ("删除", "delete"),
    ("取消", "cancel"),
    ("确定", "确认", "好", "ok"),
    ("更多功能", "更多", "more features", "more"),
    ("显示", "display"),
    ("声音", "sound", "sounds"),
    ("网络和互联网", "网络", "network & internet", "network and internet", "network"),
    ("关于手机", "about phone", "关于"),
    ("标题", "title"),
    ("搜索", "search", "查找"),
)
#: Groups (by their first name) that name a switch rather than a page or an app.
SWITCHES = frozenset(group[0] for group in SYNONYMS[:14])

#: Groups that name an app.
APPS = ("设置", "备忘录")
PACKAGE = re.compile(r"[a-z]\w*(\.\w+)+", re.IGNORECASE)

#: Where a switch usually lives, for pages that do not mention it: first name of its group to words
#: of the row that leads to it.
HINTS: dict[str, tuple[str, ...]] = {
    "wifi": ("网络", "连接", "network", "internet", "connections"),
    "移动数据": ("网络", "连接", "network", "internet", "connections", "sim"),
    "飞行模式": ("网络", "连接", "network", "internet", "connections"),
    "热点": ("网络", "连接", "network", "internet", "connections"),
    "蓝牙": ("已连接", "连接", "设备", "connected", "connections"),
    "nfc": ("已连接", "连接", "connected", "connections"),
    "深色模式": ("显示", "display"),
    "自动旋转": ("显示", "display"),
    "自动亮度": ("显示", "display"),
    "静音": ("声音", "sound"),
    "振动": ("声音", "sound"),
    "勿扰模式": ("通知", "声音", "notification", "sound"),
    "省电模式": ("电池", "battery"),
}
#: Rows behind which anything may be.
CATCH_ALL = ("更多", "其他", "高级", "more", "other", "advanced")

#: Names of what one searches with.
SEARCH = ("搜索", "search", "查找")

EQUAL, ALIKE, IN_NAME, MENTIONED, NOT = 0, 1, 2, 3, 9


@cache
def plain(text: str) -> str:
    """Reduce a name to what counts: no case, no spaces, no hyphens, no punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(each for each in folded if unicodedata.category(each)[0] in "LNS")
    return kept or folded.strip()


_GROUPS = {plain(name): group[0] for group in reversed(SYNONYMS) for name in group}


def meaning(text: str) -> str:
    """Return the first name of the group that a name belongs to, or its plain form."""
    return _GROUPS.get(plain(text), plain(text))


def names_switch(text: str) -> bool:
    """Say whether everybody calls a switch so."""
    return meaning(text) in SWITCHES


def names_app(text: str) -> bool:
    """Say whether everybody calls an app so, or it is a package."""
    return meaning(text) in APPS or PACKAGE.fullmatch(text) is not None


def rank(target: Target, parts: tuple[str, ...]) -> int:
    """Say how well a label fits, lower is better.

    Args:
        target: What the person said.
        parts: The label's parts; the first is its name, the others describe it.
    """
    if target.text in (parts[0], " · ".join(parts)):
        return EQUAL
    if target.exact:
        return _exact_rank(" ".join(target.text.split()), parts)
    if meaning(target.text) == meaning(parts[0]):
        return ALIKE
    return _loose_rank(target, parts)


def _exact_rank(text: str, parts: tuple[str, ...]) -> int:
    same = [" ".join(part.split()) == text for part in parts]
    if same[0]:
        return EQUAL
    return IN_NAME if any(same) else NOT


def _loose_rank(target: Target, parts: tuple[str, ...]) -> int:
    wanted = [plain(name) for name in same_names(target.text)]
    wanted = [name for name in wanted if len(name) > 1] or wanted
    if any(name in plain(parts[0]) for name in wanted):
        return IN_NAME
    if any(name in plain(part) for name in wanted for part in parts[1:]):
        return MENTIONED
    return NOT


def same_names(text: str) -> tuple[str, ...]:
    """Return every name of the same thing, the given one first."""
    for group in SYNONYMS:
        if any(plain(name) == plain(text) for name in group):
            return (text, *group)
    return (text,)


def leads_to(target: Target, parts: tuple[str, ...]) -> int:
    """Say how likely the target is behind a row, lower is better, `NOT` for unlikely."""
    loose = Target(target.text)
    found = rank(loose, parts)
    if found != NOT:
        return found
    name = plain(" ".join(parts))
    if any(plain(hint) in name for hint in HINTS.get(meaning(target.text), ())):
        return MENTIONED + 1
    if any(plain(word) in plain(parts[0]) for word in CATCH_ALL):
        return MENTIONED + 2
    return NOT


def likeness(target: Target, label: str) -> float:
    """Measure how near a label is, from 0 to 1, by the pairs of characters they share."""
    a, b = _pairs(plain(target.text)), _pairs(plain(label))
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)} or {text}
