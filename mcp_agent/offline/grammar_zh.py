"""Plain commands in Chinese."""

import re
from collections.abc import Callable

from mcp_agent.offline import labels
from mcp_agent.offline.grammar import Builder, Built, Grammar, simply, when
from mcp_agent.offline.intents import (
    Check,
    Direction,
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
    WaitFor,
)
from mcp_agent.offline.quotes import HOLE, Quotes

ON = "打开|开启|启用|开一下|打开一下|开"
OFF = "关闭|关掉|关上|禁用|停用|关一下|关了|关"
VERB = (
    "打开|开启|启用|启动|进入|进到|进|回到|回|返回|后退|退出|退回|关闭|关掉|关上|禁用|停用|切换|"
    "点击|点按|点一下|点开|点|轻触|单击|按|选择|选中|选|输入|填写|填入|填|键入|写|搜索|搜|查找|找到|"
    "滚动|滑动|滑到|向[上下左右]|往[上下左右]|[上下左右][滑翻]|翻到|等|读|列出|看|查看|显示|告诉|说|截|"
    "新建|添加|保存|删除|取消|确定|确认|发送|完成|把|将|在.+?[里中上]|标题|正文|内容|现在|屏幕|当前|检查|关"
)
PUT = "打开|开启|关闭|关掉|关上|关了"
BREAKS = re.compile(
    r"[，,。；;！!\n]+|然后再?|接着再?|之后再?|随后|最后"
    rf"|(?<=\S)(?:再|并且|并|和)(?={VERB})"
    rf"|(?<=[^，,])(?=[把将].+?(?:{PUT}))"
)
FILLER = re.compile(
    r"^(?:请你?|麻烦你?|帮我|帮忙|帮|给我|替我|我想要?|我要|你|能不能|可以|可不可以|先|再|然后|接着)"
    r"|^(?:并且|并|最后|之后|就|直接|现在(?!屏|画|界)|好的?[，,]|谢谢|多谢)"
    r"|(?:谢谢你?|多谢|好吗|可以吗|行吗|吧|呢|[。！!？?、，,；;.\s]+)$"
)
TAIL = re.compile(
    r"(?:这?个)?(?:的?开关|按钮|按键|键|图标|选项|这一项|那一项|这一行|这项|应用程序|应用|软件|页面?|界面|菜单|"
    r"[aA][pP][pP]|标签页?|条目)$|一下$"
)
HEAD = re.compile(r"^(?:那个|这个|名为|名叫|叫做?|标题为|标题是|上面的|下面的|里面的|一下)")
NOTES = "备忘录|笔记|便签"
#: Buttons that are commands by their own name.
BUTTONS = "新建|添加|保存|删除|取消|确定|确认|发送|完成|提交|下一步|允许|拒绝|同意"
ITEM = re.compile(
    rf"(?P<app>{NOTES})(?:里|中)?的?(?:标题[为是]|名[为叫]|叫做?)?(?P<name>{HOLE})"
    rf"|(?:标题[为是]|名[为叫]|叫做?)?(?P<name2>{HOLE})(?:这[条篇])?的?(?:{NOTES})"
)
DIRECTIONS: dict[str, Direction] = {"上": "up", "下": "down", "左": "left", "右": "right"}
NUMBERS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5}


def _target(text: str, quotes: Quotes) -> Target:
    piece = text.strip()
    before = None
    while before != piece and len(piece) > 1:
        before = piece
        piece = TAIL.sub("", HEAD.sub("", piece)).strip() or before
    return quotes.target(piece)


def _open(found: re.Match[str], quotes: Quotes) -> Built:
    name = found["x"]
    item = ITEM.fullmatch(name.strip())
    if item:
        shown = item["name"] or item["name2"]
        return [Open(Target(item["app"] or "备忘录")), Open(quotes.target(shown))]
    outer, _, inner = name.partition("里面的") if "里面的" in name else name.partition("里的")
    if inner:
        return [Open(_target(outer, quotes)), Open(_target(inner, quotes))]
    if re.search(r"开关$", name):
        return [Switch(_target(name, quotes), on=True)]
    return _several(name, quotes, lambda target: Open(target))


def _switch(on: bool | None) -> Builder:
    def build(found: re.Match[str], quotes: Quotes) -> Built:
        return _several(found["x"], quotes, lambda target: Switch(target, on))

    return build


def _several(text: str, quotes: Quotes, make: Callable[[Target], Intent]) -> Built:
    """Make one intent a name, but only of names that everybody knows for switches."""
    parts = [_target(part, quotes) for part in re.split(r"、|和|与|跟|及", text) if part.strip()]
    if len(parts) > 1 and all(p.exact or labels.names_switch(p.text) for p in parts):
        return [make(part) for part in parts]
    return [make(_target(text, quotes))]


def _put(found: re.Match[str], quotes: Quotes) -> Built:
    """Read "把 X 打开" and its like."""
    word = found["how"]
    if re.fullmatch(OFF, word):
        return _switch(False)(found, quotes)
    return _several(found["x"], quotes, lambda target: Switch(target, True))


def _type(found: re.Match[str], quotes: Quotes) -> Built:
    groups = found.groupdict()
    into = groups.get("f")
    text = quotes.restore(found["t"])
    return [Type(text, _field(into, quotes) if into and into.strip() else None)]


def _field(text: str, quotes: Quotes) -> Target:
    bare = re.sub(r"(?:输入框|文本框|编辑框|栏|框)(?:里|中)?$", "", text.strip())
    return _target(bare or text, quotes)


def _within(found: re.Match[str], quotes: Quotes) -> Built:
    """Read "在 X 里 …": open X, then the rest."""
    rest = GRAMMAR.clause(found["rest"], quotes)
    return [Open(_target(found["x"], quotes)), *rest]


def _times(text: str | None) -> int:
    if not text:
        return 1
    return min(int(text) if text.isdecimal() else NUMBERS.get(text, 1), 20)


def _scroll(found: re.Match[str], _quotes: Quotes) -> Built:
    groups = found.groupdict()
    return [Scroll(DIRECTIONS[found["d"]], _times(groups.get("n")))]


def _edge(found: re.Match[str], _quotes: Quotes) -> Built:
    return [Scroll("down" if found["e"] in "底尾" else "up", 20)]


def _search(found: re.Match[str], quotes: Quotes) -> Built:
    where = found.groupdict().get("f")
    first: list[Intent] = [Open(_target(where, quotes))] if where else []
    return [*first, Search(quotes.restore(found["t"]))]


def _gone(found: re.Match[str], quotes: Quotes) -> Built:
    return [WaitFor(_target(found["x"], quotes), gone=True)]


def _one(make: Callable[[Target], Intent]) -> Builder:
    return lambda found, quotes: [make(_target(found["x"], quotes))]


COUNT = r"(?:\s*(?P<n>\d+|[一两二三四五])\s*[次下屏页])?"
SCREEN = "(?:现在|当前)?的?(?:屏幕|画面|界面|页面|手机)(?:上|里|中)?(?:现在)?的?"
ASK = "(?:查看|看看?|检查|告诉我)?(?:一下)?"
READ = "(?:读出?|列出|看看?|查看|显示|告诉我|说说?|描述)(?:一下)?"
INSIDE = "(?:里面|里|中|上)"
FIELDS = "标题|正文|内容|名称|名字|姓名|密码|账号|用户名"
FIND = "搜索|搜一下|搜|查找"
TO = "(?:设置?为|设成|调成|改成|切换?为|切换?到)?"

RULES = [
    *when(
        simply(Press("back")),
        r"(?:按|点击?)?(?:一下)?(?:返回|后退|退回)(?:键|按钮|按键)?(?:上一[页级层]|前一页|一下)?",
        r"退出|返回上一[页级层]|回到?上一[页级层]",
    ),
    *when(
        simply(Press("home")),
        r"(?:返?回到?|退到|按|点击?)(?:一下)?(?:手机)?的?(?:桌面|主屏幕?|主页|首页|home)(?:键|按钮)?",
    ),
    *when(
        simply(Press("recents")),
        r"(?:打开|查看)?(?:最近任务|最近使用的应用|多任务|概览)键?",
    ),
    *when(simply(Press("enter")), r"按?(?:一下)?(?:回车|确认键|enter)键?"),
    *when(
        simply(Read()),
        rf"{SCREEN}(?:都)?(?:有|是|显示)(?:些)?什么.*",
        rf"{READ}{SCREEN}(?:都|的)?(?:所有)?(?:有|是|显示)?(?:哪?些?什么|哪些|内容|文字|元素|东西)*",
        r"(?:现在|当前)?有(?:哪些|什么).{0,6}",
    ),
    *when(simply(Look()), r"截图|截屏|截个图|截一?张图|拍一?张截图"),
    *when(
        _type,
        rf"在(?P<f>.+?){INSIDE}?(?:输入|填写|填入|填|键入|写上?|写入)(?P<t>.+)",
    ),
    *when(_search, rf"在(?P<f>.+?){INSIDE}?(?:{FIND})(?P<t>.+)"),
    *when(_within, rf"在(?P<x>.+?){INSIDE}(?P<rest>(?:{VERB}).+|{BUTTONS})"),
    *when(
        _type,
        rf"(?:把|将)(?P<t>.+?)(?:输入|填写|填|写)(?:到|进|入|在)(?P<f>.+?){INSIDE}?",
        rf"(?:输入|填写|填入|键入|写)(?P<t>.+?)(?:到|进)(?P<f>.{{1,12}}?){INSIDE}",
        rf"(?P<f>{FIELDS})(?:里|栏|框)?(?:输入|填写|填|写上?|是|为)(?P<t>.+)",
        r"(?:输入|填写|填入|键入)(?:文字|文本|内容)?[:：]?(?P<t>.+)",
        rf"写[上下入]?[:：]?(?P<t>{HOLE})",
    ),
    *when(_open, rf"在(?P<x>.+?){INSIDE}"),
    *when(_search, rf"(?:{FIND})(?:一下)?[:：]?(?P<t>.+)"),
    *when(_edge, r"(?:滚动|滑动?|翻|拉)到?(?:最|页面)?(?P<e>[底顶尾])[部端]?"),
    *when(
        _scroll,
        rf"(?:向|往)?(?P<d>[上下左右])(?:滑动?|滚动?|翻页?|划动?|拉)(?:一下|一点|一屏|一页)?{COUNT}",
        rf"(?:滑动?|滚动?|翻)(?:向|往|到)?(?P<d>[上下左右])(?:面|边)?{COUNT}",
    ),
    *when(
        _one(ScrollTo),
        r"(?:(?:向|往)?[上下]?(?:滚动|滑动?|翻)(?:到|至)|找到)(?P<x>.+?)(?:为止|出现)?",
    ),
    *when(_gone, r"(?:一直)?等待?(?:到|直到)?(?P<x>.+?)(?:消失|不见)(?:为止)?"),
    *when(_one(WaitFor), r"(?:一直)?等待?(?:到|直到)?(?P<x>.+?)(?:出现)?(?:为止)?"),
    *when(
        _one(Check),
        rf"{ASK}(?P<x>.+?)(?:现在)?(?:是否|是不是|有没有|开没开)(?:已经?)?"
        r"(?:打?开|开启|开着|关闭|关着)?(?:着|的|了)*",
        rf"{ASK}(?P<x>.+?)(?:现在)?(?:是|已经?)?(?:打?开|开启|关闭?)(?:着|了)?的?(?:吗|没有?|么)",
        r"(?:查看|看看?|检查|告诉我)(?:一下)?(?P<x>.+?)的?(?:开关)?状态",
    ),
    *when(
        _put,
        rf"(?:把|将)(?P<x>.+?)(?:的?开关)?(?:给我|给|都)?{TO}(?P<how>{ON}|{OFF})(?:状态|掉|了|一下)?",
    ),
    *when(
        _switch(None),
        r"(?:切换|反转|翻转)(?P<x>.+)",
        r"(?:把|将)(?P<x>.+?)(?:切换|反转)(?:一下)?",
    ),
    *when(_switch(True), r"启用(?P<x>.+)"),
    *when(_switch(False), r"(?:关闭|关掉|关上|禁用|停用|关)(?:一下)?(?P<x>.+)"),
    *when(_open, r"(?:打开|开启|启动|进入到?|进到|进|点开|回到)(?:一下)?(?P<x>.+)"),
    *when(
        _one(Tap),
        r"(?:点击|点按|点一下|点|轻触|单击|按一下|按下|按|选择|选中|选)(?:一下)?(?P<x>.+)",
        rf"(?P<x>{BUTTONS})(?:一下|一[条个篇].*)?",
        rf"(?P<x>{HOLE})",
    ),
    *when(_switch(True), r"(?P<x>.+?)(?:的?开关)?(?:打开|开启)(?:一下)?"),
    *when(_switch(False), r"(?P<x>.+?)(?:的?开关)?(?:关闭|关掉|关上|关了)(?:一下)?"),
]

GRAMMAR = Grammar(
    breaks=BREAKS,
    begins=re.compile(rf"(?:{VERB})|{HOLE}$|.+(?:打开|关闭|关掉)$"),
    weak=re.compile(r"再|并且|并|和|"),
    free=re.compile(rf"输入|填|键入|写|{FIND}|在.+?(?:输入|填|写|{FIND})|(?:{FIELDS})"),
    filler=FILLER,
    rules=RULES,
)
