"""What phones and shells do to a dump is undone, or said."""

import contextlib
import random
from pathlib import Path

import pytest

from core.errors import ScreenUnreadable
from core.screen import hierarchy, repair, screen
from tests.core.screen.making import seen

SMALL = "<hierarchy rotation='0'><node text=\"{}\" bounds='[0,0][1,1]'/></hierarchy>"


def texts(dump: str | bytes) -> list[str]:
    return [node.get("text") for node in hierarchy.parse(dump).windows]


@pytest.mark.parametrize(
    ("dump", "text"),
    [
        (b"\xef\xbb\xbf" + SMALL.format("设置").encode(), "设置"),
        (("<?xml encoding='UTF-8'?>" + SMALL.format("设置")).encode("utf-16"), "设置"),
        (SMALL.format("设置").encode("utf-16-le"), "设置"),
        (
            b"I/log: \xc7\xd1\n" + SMALL.format("한국어 설정 확인").encode("cp949"),
            "한국어 설정 확인",
        ),
        (SMALL.format("通讯录和设置").encode("gb18030"), "通讯录和设置"),
        ("UI hierchary dumped to: /dev/tty\n" + SMALL.format("a"), "a"),
        (SMALL.format("a") + "UI hierchary dumped to: /dev/tty", "a"),
        (SMALL.format("a & b <c> &amp; &#128512;"), "a & b <c> & 😀"),
        (SMALL.format("a\x0b\x01&#0;&#55357;b"), "ab"),
        (SMALL.format("≡ƒÿÇ ok Γ₧í∩╕Å"), "😀 ok ➡️"),
        (SMALL.format("╭── Größe €"), "╭── Größe €"),
        (SMALL.format("设置").encode() + b"\xff\xfe noise", "设置"),
    ],
)
def test_a_damaged_dump_reads_as_what_it_was(dump: str | bytes, text: str) -> None:
    assert texts(dump) == [text]


def test_a_dump_cut_inside_a_character_keeps_what_came_before() -> None:
    whole = SMALL.format("一").replace("</hierarchy>", "<node text='二二'/></hierarchy>").encode()

    tree = hierarchy.parse(whole[: whole.rindex("二".encode()) + 1])

    assert ([n.get("text") for n in tree.windows], tree.partial) == (["一"], True)


def test_a_mended_dump_is_whole() -> None:
    assert not hierarchy.parse(SMALL.format("a & b")).partial


def test_a_few_ruined_bytes_do_not_make_a_dump_korean() -> None:
    raw = SMALL.format("设置和通讯录").encode().replace("录".encode(), b"\xff")

    assert texts(raw) == ["设置和通讯\ufffd"]


@pytest.mark.parametrize(
    ("dump", "said"),
    [
        (b"ERROR: null root node returned by UiTestAutomationBridge.", "null root node"),
        ("<hierarchy rotation='0", "broke off before the first"),
        ("<hierarchical/>", "hierarchical"),
    ],
)
def test_what_is_no_hierarchy_says_what_came_instead(dump: str | bytes, said: str) -> None:
    with pytest.raises(ScreenUnreadable, match=said):
        hierarchy.parse(dump, "s1")


def test_a_bound_that_is_none_has_no_area() -> None:
    assert hierarchy.parse_bounds("[a]").area == 0
    assert hierarchy.parse_bounds("[476,624][572,620]").area == 0


def test_characters_of_a_shells_code_page_are_left_where_they_mean_themselves() -> None:
    assert repair.ungarbled("ßéà Σ = Γ") == "ßéà Σ = Γ"


NOISE = (b"<", b"&", b'"', b">", b"\x00", b"</node>", b"<!DOCTYPE x>", b"<![CDATA[", b"&#x0;")


def ruined(raw: bytes, dice: random.Random) -> bytes:
    for _ in range(dice.randint(1, 6)):
        start = dice.randrange(len(raw))
        end = start + dice.randint(1, 200)
        middle = (b"", dice.randbytes(50), dice.choice(NOISE), raw[start:end] * 2)
        raw = raw[:start] + dice.choice(middle) + raw[end:]
    return raw[: dice.randint(1, len(raw) * 2)]


@pytest.mark.parametrize("name", ["chat_windows", "settings_screen"])
def test_whatever_befalls_a_dump_it_reads_or_says_why_not(name: str) -> None:
    raw = (Path(__file__).parents[2] / "golden" / f"{name}.xml").read_bytes()
    dice = random.Random(name)
    read = 0

    for _ in range(150):
        dump = ruined(raw, dice)
        with contextlib.suppress(ScreenUnreadable):
            now = screen.read(seen(repair.text_of(dump)))
            read += bool(now.elements)
            assert all(now.size.bounds.contains(e.point) for e in now.elements)

    assert read > 100
