"""What there is to read in the content app: 96 posts made of topics and headlines, always the same.

They are not in the state, as nothing changes them; the state says which are liked and collected.
"""

from __future__ import annotations

from dataclasses import dataclass

from virtual_phone import theme

_TOPICS = ("咖啡", "徒步", "早餐", "露营", "骑行", "收纳", "绿植", "读书")
_HEADLINES = (
    "{}新手必看的 5 个要点",
    "周末{}攻略，人少又好拍",
    "我的{}清单，每一样都用得上",
    "{}避坑指南：这些钱别花",
    "一个人也能享受的{}时光",
    "预算 100 元的{}计划",
    "带爸妈体验{}，比想象中轻松",
    "坚持{}一年，我的三点变化",
    "本地人私藏的{}去处",
    "下雨天也适合的{}方案",
    "{}入门装备，从便宜的开始",
    "和朋友一起{}，记住这几句话",
)
_AUTHORS = ("阿木", "小满", "江边散步的猫", "林间", "一颗柚子", "老周", "南风")
_COVERS = ("cup", "location", "sun", "star", "data", "apps", "heart", "note")
_BODY = (
    "第一次接触{0}的时候，我也走了不少弯路。后来慢慢发现，重要的不是花多少钱，而是把时间留给自己。",
    "先说准备：提前一天看好天气和路线，把要带的东西列成清单，出门前逐项打勾，不慌不忙。",
    "再说过程：别急着拍照，先感受。{0}最好的部分往往在最安静的那几分钟里。",
    "最后是花费：这次一共用了 {1} 元，大头是交通。如果约上朋友分摊，还能再省一些。",
    "希望这篇对你有用，有问题可以在评论里问我，看到都会回。",
)


@dataclass(frozen=True, slots=True)
class Post:
    """One post as it was published."""

    id: int
    title: str
    author: str
    topic: str
    likes: int
    paragraphs: tuple[str, ...]
    cover: str
    color: str
    nearby: bool


def _post(number: int) -> Post:
    mixed = number * 37 % (len(_TOPICS) * len(_HEADLINES))
    kind, headline = mixed % len(_TOPICS), mixed // len(_TOPICS)
    topic = _TOPICS[kind]
    return Post(
        id=number + 1,
        title=_HEADLINES[headline].format(topic),
        author=_AUTHORS[number * 3 % len(_AUTHORS)],
        topic=topic,
        likes=37 + number * 7919 % 2400,
        paragraphs=tuple(text.format(topic, 60 + number * 13 % 240) for text in _BODY),
        cover=_COVERS[kind],
        color=theme.PALETTE[kind],
        nearby=number % 4 == 1,
    )


POSTS = tuple(_post(number) for number in range(len(_TOPICS) * len(_HEADLINES)))
BY_ID = {post.id: post for post in POSTS}


def search(words: str) -> tuple[Post, ...]:
    """Return the posts that have every word in their title or topic; all for no words."""
    wanted = words.lower().split()
    return tuple(p for p in POSTS if all(w in f"{p.title} {p.topic}".lower() for w in wanted))
