"""Judge what a model wrote down for later: is it a recipe, and safe to tell to other runs.

A memory is told to every run that is like it, so what came from a screen must not get in as an
order, and what is somebody's own must not get in at all. Nothing is mended here: what does not
pass is not kept, and the code says why.
"""

import re

from core import policy
from core.memory.people import NOTHING, Private
from core.screen.labels import UNSEEN
from core.similar import HAN, squeezed
from core.words import Lang

SHORTEST, LONGEST = 8, 1_500
NAME_SHORTEST, NAME_LONGEST = 3, 40
LABEL_LONGEST = 16  # signs of what may be called "always allow"
HARMLESS_ORDERS = frozenset({"grant"})  # what "always allow" speaks of
#: Of the signs of a text in Chinese, labels in Latin letters may be this much and no more.
HAN_SHARE = 0.2
VERBS = re.compile(
    r"打开|点|按|输入|填|搜|滑|返回|等|选|进入|切换|关闭|看|找|滚动|启动|开启|拨"
    r"|\b(?:open|tap|press|type|enter|search|scroll|swipe|select|choose|go|wait|turn|toggle|check"
    r"|find|switch|read|close|launch|look|pick|set)(?:s|es|ing|ed)?\b",
    re.IGNORECASE,
)
#: A line that holds a place instead of words, numbered or not.
PLACEHOLDER = re.compile(
    r"^\s*(?:(?:\d+|[一二三四五])[.、)）:：]|[-*•])?\s*"
    r"(?:…+|\.{2,}|<[^>\n]*>|\[[^\]\n]*\]|【[^】\n]*】|[xX]{2,}|步骤\s*\d*|step\s*\d*)?\s*$",
    re.MULTILINE | re.IGNORECASE,
)
PLACE = re.compile(r"<[^<>\n]{1,40}>|\{[^{}\n]{0,40}\}")
CLAUSE = re.compile(r"[\n，,。.;；!！?？、:：]")
COORDINATES = re.compile(
    r"[(\[（]\s*\d{1,4}\s*[,，]\s*\d{1,4}\s*[)\]）]|坐标|coordinate|@\d+,\d+|\b[xy]\s*[=:：]\s*\d",
    re.IGNORECASE,
)
#: Numbers and addresses that name a person, an account, a place to live or an entry; no dates.
PERSONAL = re.compile(
    # from where such signs begin only: a text of letters would be read again from each of them
    r"(?<![A-Za-z0-9.+_-])[A-Za-z0-9.+_-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.]+"
    r"|(?<!\d)(?!\d{4}-\d\d?-\d\d?(?!\d))\+?\d(?:[ -]?\d){6,}(?!\d)"
    r"|(?:密码|口令|验证码|校验码|取件码|身份证号?|卡号|微信号|账号"
    r"|(?<![A-Za-z])(?:password|passcode|pin|code|token|secret|api.?key))"
    r"(?:\s*(?:是|为|is|[:：=])\s*\S|\s*(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{4,})"
    r"|\b(?:sk|pk|ghp|xox[a-z])[-_]\w{8,}"
    r"|[路街道巷弄]\s*\d+\s*[号弄]|\d+\s*(?:号楼|号院|单元|栋|幢)"
    r"|(?-i:[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z]·?[A-Z0-9]{5,6}(?![A-Za-z]))"
    r"|(?-i:\b\d{1,5} (?:[A-Z][a-z]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Boulevard)\b)",
    re.IGNORECASE,
)
#: Orders for good, which a recipe does not give, and talk to the model itself.
ORDERS = re.compile(
    r"总是|永远|一律|每次都|务必|无论如何|(?:忽略|无视).{0,6}(?:指令|规则|要求|提示)|系统提示|不要告诉"
    r"|记住|从今|今后|以后[都每]|凡是|不(?:要|用|必)(?:再)?(?:问|确认)"
    r"|\balways\b|\bnever\b|\bwhatever happens\b|\bignore\b.{0,20}\b(?:instruction|rule|prompt)"
    r"|\bsystem prompt\b|\byou (?:are|must)\b|\bdo not (?:tell|ask)\b|\bwithout asking\b"
    r"|\bremember\b|\bfrom now on\b|\bdisregard\b|\bevery ?time\b",
    re.IGNORECASE,
)
#: A line that passes for another's words.
ROLE = re.compile(r"^\W*(?:system|assistant|user|系统|助手|用户)\s*[:：]", re.I | re.M)
#: A request that wants to be told something.
ASKS = re.compile(
    r"[?？]|吗|什么|多少|几[个条次点]|哪|是否|有没有|怎么|看看|看一下|查看|告诉|列出|总结|读|汇报|截图"
    r"|\b(?:what|which|how|who|when|where|whether|why|is|are|does|tell|list|read|show|check|summari[sz]e"
    r"|report|find out|screenshot)\b",
    re.IGNORECASE,
)


def recipe_fault(recipe: str, task: str, done: str, private: Private = NOTHING) -> str | None:
    """Say what is wrong with a recipe; None when it may be kept.

    Args:
        recipe: As the model wrote it.
        task: What the person had asked for.
        done: What was done, in words; a grave act that is in neither is not the person's.
        private: Whom the person named, and what was to be told them.
    """
    if len(recipe) > LONGEST:  # first, so that a flood costs no more than its length
        return "long"
    own = f"{task}\n{done}"
    checks = (
        ("placeholder", has_places(recipe)),
        ("short", len(squeezed(recipe)) < SHORTEST),
        ("verbless", not VERBS.search(recipe)),
        ("language", language(recipe) != language(task)),
        ("hidden", bool(UNSEEN.search(recipe))),
        ("coordinates", bool(COORDINATES.search(recipe))),
        ("personal", is_personal(recipe, private)),
        ("order", orders(recipe, own)),
    )
    return next((code for code, is_so in checks if is_so), None)


def name_fault(name: str, own: str, private: Private = NOTHING) -> str | None:
    """Say what is wrong with the name of an action; None when it may be kept."""
    if len(name) > NAME_LONGEST:
        return "long"
    checks = (
        ("short", len(squeezed(name)) < NAME_SHORTEST),
        ("placeholder", has_places(name)),
        ("hidden", bool(UNSEEN.search(name))),
        ("coordinates", bool(COORDINATES.search(name))),
        ("personal", is_personal(name, private)),
        ("order", orders(name, own)),
    )
    return next((code for code, is_so in checks if is_so), None)


def orders(text: str, own: str) -> bool:
    """Say whether a text gives orders, or speaks of grave acts that ``own`` does not."""
    said, asked = policy.plain(text), policy.plain(own)
    if ROLE.search(text) or any(found[0] not in asked for found in ORDERS.finditer(said)):
        return True
    return bool(_kinds(text) - _kinds(own))


def commands(label: str) -> bool:
    """Say whether a label gives orders, or is a sentence of grave acts, as no button is called.

    A button that does such an act says so in a few words, and a person was asked before it.
    """
    is_order, kinds = bool(ORDERS.search(policy.plain(label))), policy.kinds_said(label)
    if is_order and (len(squeezed(label)) > LABEL_LONGEST or kinds - HARMLESS_ORDERS):
        return True
    return policy.is_sentence(label) and bool(kinds)


def is_personal(text: str, private: Private = NOTHING) -> bool:
    """Say whether a text names a person's number, address or secret, or what is private."""
    return bool(PERSONAL.search(text)) or private.is_told_in(text)


def without_personal(text: str, private: Private = NOTHING) -> str:
    """Leave a person's numbers and addresses out, and put placeholders for what is private."""
    return PERSONAL.sub("…", private.hide(text, language(text)))


def language(text: str) -> Lang:
    """Say which language a text is in, whatever labels it quotes."""
    signs = squeezed(text)
    return "zh" if len(HAN.findall(signs)) > HAN_SHARE * len(signs) else "en"


def has_places(text: str) -> bool:
    """Say whether a text holds places to be filled in where words should be, or is no prose."""
    if text.lstrip().startswith(("{", "[")):
        return True
    lines = (" ".join(line.split()) for line in text.splitlines() if line.strip())
    return bool(PLACE.search(text)) or any(map(PLACEHOLDER.match, lines))


def _kinds(text: str) -> frozenset[str]:
    """List the kinds of grave acts that a text speaks of, clause by clause and as a whole."""
    clauses = (clause for clause in CLAUSE.split(text) if clause.strip())
    return policy.kinds_said(text).union(*map(policy.kinds_said, clauses))
