"""Say in words what a node shows, without the characters that nobody can see.

Icon fonts put private-use characters into a text, and apps put zero-width ones; a label made of
these alone is no label.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from core.screen.hierarchy import Node

LABEL_LIMIT = 80
JOINT = " · "
#: Of a text with more lines, a line alone does not find its element.
LINES = 8

#: What a switch writes on itself, which its line says as ``on`` or ``off`` already.
_STANDS = frozenset(
    ("on", "off", "开", "关", "开启", "关闭", "已开启", "已关闭", "開啟", "關閉", "開", "關")
)
#: Signs that nobody sees; with tags (U+E00xx) a model could read a whole sentence.
UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc"
    "\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
#: Joiners, variation signs and fillers, which mean something only beside other characters.
_ALONE = re.compile("[\u200c\u200d\ufe00-\ufe0f\u3164\u115f\u1160\u2800\\s]*")


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Give the characters of a text that can be seen, on one line; empty when there are none."""
    if not text.isascii():
        text = UNSEEN.sub("", text)
        if _ALONE.fullmatch(text):
            return ""
    return " ".join(text.split())


def cut(text: str) -> str:
    """Cut a text at 80 characters and say how many more there were."""
    extra = len(text) - LABEL_LIMIT
    return text if extra <= 0 else f"{text[:LABEL_LIMIT]}…(+{extra})"


def words(node: Node) -> list[str]:
    """Give a node's own words, each once: text, description, hint.

    A password's text is left out; so is a switch's, where it says only how the switch stands.
    """
    get = node.xml.get
    text, description, hint = get("text", ""), get("content-desc", ""), get("hint", "")
    if not (text or description or hint):
        return []
    if text and _is_unsaid(node, text):
        text = ""
    found = [clean(text), clean(description), clean(hint)]
    return list(dict.fromkeys(each for each in found if each))


def lines(node: Node) -> list[str]:
    """Give the single lines of a node's text and description where they have several."""
    found: list[str] = []
    for text in (node.get("text"), node.get("content-desc")):
        if "\n" in text and not node.is_on("password"):
            parts = [line for line in map(clean, text.splitlines()) if line]
            found += parts if len(parts) <= LINES else []
    return found


def is_said(text: str, parts: Iterable[str]) -> bool:
    """Say whether lines that show ``parts`` show the text too: as one of them, or words of one.

    ``1`` is not said by ``10:21``, and what a part loses where it is cut is not said either.
    """
    return any(text == part or _stands_in(text, cut(part)) for part in parts)


def _stands_in(text: str, shown: str) -> bool:
    at = shown.find(text)
    if at < 0:
        return False
    around = shown[max(0, at - 1) : at], shown[at + len(text) : at + len(text) + 1]
    return not any(map(str.isalnum, around))


def glyphs_only(node: Node) -> bool:
    """Say whether the node shows something that has no words, such as an icon font's sign."""
    shown = node.get("text") + node.get("content-desc")
    return bool(shown) and not shown.isspace() and not clean(shown)


def _is_unsaid(node: Node, text: str) -> bool:
    if node.is_on("password"):
        return True
    return node.is_on("checkable") and clean(text).casefold() in _STANDS
