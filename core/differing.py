"""Say in what two sentences that are alike ask for different things: by a number or an opposite.

"Page 1" and "page 11", "turn on" and "turn off" share nearly all of their signs, and what is done
for one is wrong for the other. Words of both languages stand side by side, so it does not matter
in which a sentence is. What one sentence leaves unsaid is no difference, but for what changes the
job by being said: a number, a negation, a day, a time of day.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

#: An axis a line, its sides between bars.
_OPPOSITES = """
打开 开启 启用 启动 开 turn_on switch_on on open enable activate \
  | 关闭 关掉 关上 停用 禁用 关 turn_off switch_off off disable deactivate close
调高 增大 调大 增加 提高 调亮 放大 increase raise more louder brighter zoom_in \
  | 调低 减小 调小 减少 降低 调暗 缩小 decrease lower less reduce quieter dimmer zoom_out
添加 新增 加入 新建 创建 add create | 删除 删掉 移除 移出 清除 清空 delete remove clear
安装 install | 卸载 uninstall
显示 show unhide | 隐藏 hide
锁定 锁上 lock | 解锁 unlock
连接 connect | 断开 disconnect
进入 enter | 退出 离开 exit leave quit
登录 登陆 log_in login sign_in | 退出登录 登出 注销 log_out logout sign_out
播放 play | 暂停 pause
开始 start begin | 结束 end finish
静音 mute | 取消静音 unmute
关注 订阅 follow subscribe | 取消关注 取关 取消订阅 unfollow unsubscribe
收藏 favorite favourite | 取消收藏 unfavorite unfavourite
点赞 like upvote | 取消点赞 点踩 unlike dislike downvote
置顶 pin | 取消置顶 unpin
归档 archive | 取消归档 unarchive
勾选 check select | 取消勾选 uncheck deselect unselect
屏蔽 拉黑 block | 取消屏蔽 取消拉黑 unblock
接听 answer | 挂断 hang_up
同意 接受 允许 accept allow approve | 拒绝 decline reject deny refuse
买入 购买 buy | 卖出 出售 sell
转入 收入 income deposit | 转出 支出 expense withdraw
已读 as_read | 未读 as_unread
上一 上个 上周 上月 上次 previous last | 本周 本月 这周 this | 下一 下个 下周 下月 下次 next
上滑 向上 往上 上移 up upward | 下滑 向下 往下 下移 down downward
左滑 向左 往左 左边 左侧 left | 右滑 向右 往右 右边 右侧 right
前进 forward | 后退 back backward
最新 newest latest most_recent | 最早 最旧 oldest earliest
最高 highest maximum | 最低 lowest minimum
最贵 most_expensive | 最便宜 cheapest
最大 largest biggest | 最小 smallest
最远 farthest furthest | 最近的 nearest closest
最多 most | 最少 fewest least
升序 从低到高 ascending | 降序 从高到低 descending
深色 暗色 dark | 浅色 亮色 light
横屏 landscape | 竖屏 portrait
男 男士 male men | 女 女士 female women
之前 before | 之后 after
秒 秒钟 seconds secs | 分钟 minute minutes mins | 小时 钟头 hour hours
"""
#: The same, for what also differs from saying nothing.
_TELLING = """
不 别 未 勿 取消 停止 除了 not dont never without except cancel stop
早上 早晨 上午 清晨 凌晨 am morning | 中午 noon | 下午 pm afternoon \
  | 晚上 傍晚 夜里 今晚 evening night tonight
今天 今日 今晚 today tonight | 明天 明日 明早 明晚 tomorrow | 后天 | 昨天 昨日 yesterday | 前天
monday | tuesday | wednesday | thursday | friday | saturday | sunday
january | february | march | april | june | july \
  | august | september | october | november | december
"""
#: In which a word of the table is no word of its own.
_WITHIN = """
不错 不同 不限 不过 不断 不久 差不多 特别 分别 区别 识别 告别 别墅 类别 级别 个别 别人 别的 性别
未来 关于 相关 有关 关键 关系 海关 开发 开心 开会 公开 离开 展开 开学 开头 开关
on_the i_am
"""
_ENGLISH_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_DIGITS = {sign: at for at, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
#: After these a lone 一 is a number; elsewhere it is "a", or a part of a word.
_COUNTS = "第周期拜午上晨晚月到"
_CHINESE_NUMBER = re.compile(rf"[{''.join(_DIGITS)}{''.join(_UNITS)}]+")
_DAY = re.compile(r"(?<=周|期|拜)[日天]")
_TIME = re.compile(r"(\d{1,2})(?:点钟|点|:00(?!\d)|:)(?:(半)|(\d{1,2})分?|)")
_NUMBER = re.compile(r"(?<![0-9a-z])-?\d+(?:[.:]\d+)*|\d+(?:[.:]\d+)*")
_NOT = re.compile(r"\b(do|does|did|is|are|would|should|ca|wo)n['’]?t\b|\bcannot\b")
_NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class Difference:
    """What one sentence says and what the other says in its place; either may be empty."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class _Sign:
    """A word that tells: ``side`` is what it says, on an axis that is ``telling`` or not."""

    axis: str
    side: str
    word: str
    telling: bool


def difference(one: str, other: str, *, part: bool = False) -> Difference | None:
    """Say in what two sentences differ by a number or an opposite; None when they do not.

    Args:
        one: A sentence, or a name.
        other: Another sentence.
        part: Whether ``other`` may say more, since ``one`` is only to be a part of it.
    """
    ours, theirs = _by_axis(one), _by_axis(other)
    for axis in dict.fromkeys([*ours, *theirs]):
        mine, its = ours.get(axis, []), theirs.get(axis, [])
        if _differ(mine, its, part):
            return Difference(_said(mine), _said(its))
    return None


def _differ(mine: list[_Sign], its: list[_Sign], part: bool) -> bool:
    own, their = [sign.side for sign in mine], [sign.side for sign in its]
    if part:
        return not _is_within(own, their) and (bool(their) or mine[0].telling)
    if any(sign.telling for sign in (*mine, *its)):
        return own != their
    return not (_is_within(own, their) or _is_within(their, own))


def _is_within(few: Sequence[str], many: Sequence[str]) -> bool:
    """Say whether all of these are among those, in the same order."""
    rest = iter(many)
    return all(each in rest for each in few)


def _said(signs: list[_Sign]) -> str:
    return " ".join(sign.word for sign in signs)


def _by_axis(text: str) -> dict[str, list[_Sign]]:
    said = _NOT.sub(" not ", unicodedata.normalize("NFKC", text).lower())
    said = re.sub(r"\b([ap])\.m\b\.?", r"\1m", said)
    said = re.sub(r"(?<=\d)[ -]?second\b", " seconds", said)  # no ordinal
    signs = [*_numbers(_in_digits(said)), *_words(said)]
    ordered = sorted(signs, key=lambda sign: sign.axis)  # stable: in each axis as it was said
    return {axis: list(found) for axis, found in groupby(ordered, key=lambda sign: sign.axis)}


def _numbers(text: str) -> Iterator[_Sign]:
    for found in _NUMBER.finditer(text):
        side = ":".join(part.lstrip("0") or "0" for part in found[0].split(":"))
        yield _Sign(_NUMBERS, side, side, telling=True)


def _in_digits(text: str) -> str:
    """Write in digits what is said in words, and all times of day in one way."""
    text = _CHINESE_NUMBER.sub(_counted, _DAY.sub("7", text))
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = _ENGLISH.sub(lambda found: f"{_VALUES[found[0]]} ", text)
    return _TIME.sub(_on_the_clock, text)


def _counted(found: re.Match[str]) -> str:
    """Give a Chinese number in digits; what is only a part of a word stays as it is."""
    signs, before = found[0], found.string[: found.start()]
    if signs in ("一", *_UNITS) and signs != "十" and not before.endswith(tuple(_COUNTS)):
        return signs
    if not set(signs) & (_DIGITS.keys() | {"十"}):
        return signs
    if not set(signs) & _UNITS.keys():
        return "".join(str(_DIGITS[sign]) for sign in signs)
    return str(_value(signs))


def _value(signs: str) -> int:
    total = part = digit = 0
    for sign in signs:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign == "万":
            total, part, digit = total + (part + digit) * _UNITS[sign], 0, 0
        else:
            part, digit = part + (digit or 1) * _UNITS[sign], 0
    return total + part + digit


def _on_the_clock(found: re.Match[str]) -> str:
    hour, half, minutes = found.groups()
    past = "30" if half else (minutes or "0").zfill(2)
    return f"{hour}:{past} " if int(past) else f"{hour} "


def _words(text: str) -> Iterator[_Sign]:
    for found in _TABLE.finditer(text):
        yield from _SIDES.get("_".join(found[0].split()), ())


def _table() -> dict[str, tuple[_Sign, ...]]:
    known: dict[str, tuple[_Sign, ...]] = {}
    for lines, telling in ((_OPPOSITES, False), (_TELLING, True)):
        for line in lines.strip().splitlines():
            for side in line.split("|"):
                for word in side.split():
                    shown = word.replace("_", " ")
                    sign = _Sign(line, side, shown, telling)
                    known[word] = (*known.get(word, ()), sign)
    return known


def _any_of(words: Sequence[str]) -> str:
    """Give a pattern of words, the longest first; one in Latin letters is never part of another."""
    longest = sorted(words, key=len, reverse=True)
    han = [word for word in longest if not word.isascii()]
    latin = [word.replace("_", r"\s+") for word in longest if word.isascii()]
    return rf"{'|'.join(han)}|(?<![a-z])(?:{'|'.join(latin)})(?![a-z])"


_SIDES = _table()
_TABLE = re.compile(_any_of([*_SIDES, *_WITHIN.split()]))
_VALUES = {word: at for at, word in enumerate(_ENGLISH_NUMBERS.split(), start=2)} | {
    word: at for at, word in enumerate(_ORDINALS.split(), start=1)
}
_ENGLISH = re.compile(rf"(?<![a-z])(?:{'|'.join(_VALUES)})(?![a-z])")
