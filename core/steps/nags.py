"""Get what nobody asked for out of the way: permission dialogs, update nags, skippable ads.

Tried only when a step does not find its element. A rule never grants, installs or buys: it takes
the answer that changes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.screen.elements import Element
from core.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class Nag:
    """One rule; the patterns are regular expressions that ignore case, empty means any.

    Args:
        name: What it is, as it is noted with the step.
        over: Searched in the package of the window that nags.
        says: Searched in the words on the screen.
        press: Held against the whole label of what to press.
    """

    name: str
    press: str
    over: str = ""
    says: str = ""


DEFAULT_NAGS: tuple[Nag, ...] = (
    Nag(
        "permission",
        r"不允许|拒绝|禁止|始终拒绝|don.t allow|deny|deny anyway",
        over=r"permissioncontroller|packageinstaller|securitycenter|permissionmanager",
    ),
    Nag(
        "update",
        r"稍后(提醒|更新|再说|升级)?(我)?|以后再说|暂不(更新|升级)?|下次再说|忽略此版本|"
        r"not now|later|remind me later|skip this version|maybe later|no,? thanks",
        says=r"更新|升级|新版本|\bupdates?\b|\bupgrade|new version",
    ),
    Nag(
        "ad",
        r"(\d+\s*s?秒?\s*[|·]?\s*)?跳过(广告)?(\s*[|·]?\s*\d+\s*s?秒?)?|关闭广告|"
        r"skip ads?( in)?( \d+s?)?|close ad",
    ),
    Nag("teen_mode", r"我?知道了|关闭|不再提醒", says=r"青少年模式|未成年人模式"),
    Nag(
        "rating",
        r"下次再说|以后再说|残忍拒绝|不了,?谢谢|稍后|not now|maybe later|later|no,? thanks",
        says=r"评分|给个好评|五星好评|rate (us|this app)|enjoying ",
    ),
)


def spot(screen: Screen, rules: Sequence[Nag]) -> tuple[Nag, Element] | None:
    """Find the first rule that speaks of this screen, and what it presses."""
    for rule in rules:
        if rule.says and not any(_of(rule.says).search(e.label) for e in screen.elements):
            continue
        for element in screen.elements:
            if _is_answer(element, rule):
                return rule, element
    return None


def _is_answer(element: Element, rule: Nag) -> bool:
    if not element.clickable or element.covered or "disabled" in element.flags:
        return False
    if rule.over and not _of(rule.over).search(element.package):
        return False
    return _of(rule.press).fullmatch(element.label.strip()) is not None


@cache
def _of(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
