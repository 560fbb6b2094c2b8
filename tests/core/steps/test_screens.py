"""Screens are told apart, nags spotted, and elements named so that they are found again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.devices.base import AppInfo, Size
from core.errors import ScreenUnreadable
from core.screen import hierarchy, lookup
from core.screen import screen as screens
from core.screen.screen import Screen
from core.steps import likeness, nags, ranking
from core.steps.finding import find
from core.steps.schema import Expect
from tests.core.screen.making import node, read, seen, window

DUMPS = Path(__file__).resolve().parents[4] / "shared" / "data" / "ui_dumps"
PERMISSIONS = "com.android.permissioncontroller"
IDS = [f"app:id/part{at}" for at in range(10)]


def made_of(ids: list[str], text: str = "") -> Screen:
    return read(window(*(node(text or f"text {at}", rid=rid) for at, rid in enumerate(ids))))


def button(text: str, package: str = "app", at: int = 0) -> str:
    bounds = f"[0,{at * 100}][500,{at * 100 + 90}]"
    return node(text, kind="Button", package=package, bounds=bounds)


def test_a_screen_is_alike_whatever_its_words() -> None:
    one, other = likeness.of(made_of(IDS)), likeness.of(made_of(IDS[::-1], "价格"))

    assert likeness.likeness(one, other) == 1.0
    assert likeness.mark(one) == likeness.mark(other)


@pytest.mark.parametrize(
    ("ids", "alike"),
    [(IDS[:9], True), (IDS[:7], False), ([*IDS, "app:id/new"], True), (["x", "y", "z"], False)],
)
def test_a_screen_with_most_of_the_same_parts_is_the_same(ids: list[str], alike: bool) -> None:
    likely = likeness.likeness(likeness.of(made_of(IDS)), likeness.of(made_of(ids)))

    assert (likely >= likeness.ALIKE) is alike


def test_a_screen_without_ids_is_told_by_its_shape() -> None:
    deep = node(kind="LinearLayout", inside=node("a") + node(kind="ImageView"))
    one = likeness.of(read(window(deep, node("b"))))
    same = likeness.of(read(window(node("c"), deep)))
    other = likeness.of(read(window(node(kind="WebView"))))

    assert (one.ids, one.shape) != ((), ())
    assert likeness.likeness(one, same) == 1.0
    assert likeness.likeness(one, other) < likeness.ALIKE


def test_another_app_is_another_screen_and_no_expectation_fits_all() -> None:
    now = likeness.of(made_of(IDS))

    assert likeness.likeness(now.model_copy(update={"app": "other"}), now) == 0.0
    assert likeness.likeness(Expect(), now) == 1.0


def test_what_lies_over_the_app_changes_nothing() -> None:
    parts = window(*(node(f"text {at}", rid=rid) for at, rid in enumerate(IDS)))
    ball = window(node("Ball", package="ball", rid="ball:id/x"), package="ball")

    assert likeness.of(read(parts, ball)) == likeness.of(read(parts))


@pytest.mark.parametrize(
    ("words", "package", "name", "pressed"),
    [
        (["允许“地图”获取位置?", "仅在使用中允许", "不允许"], PERMISSIONS, "permission", "不允许"),
        (["Allow Maps?", "Allow", "Don’t allow"], PERMISSIONS, "permission", "Don’t allow"),
        (["发现新版本 8.1", "立即更新", "稍后提醒"], "app", "update", "稍后提醒"),
        (["Update available", "Update", "Not now"], "app", "update", "Not now"),
        (["跳过 5s"], "app", "ad", "跳过 5s"),
        (["3 跳过广告"], "app", "ad", "3 跳过广告"),
        (["Skip ad"], "app", "ad", "Skip ad"),
        (["青少年模式", "我知道了"], "app", "teen_mode", "我知道了"),
        (["Enjoying Maps?", "Rate us", "Maybe later"], "app", "rating", "Maybe later"),
        (["允许", "不允许"], "app", None, ""),
        (["Song", "Skip"], "player", None, ""),
        (["Pay now", "Later"], "app", None, ""),
        (["立即更新", "更新内容"], "app", None, ""),
    ],
)  # fmt: skip
def test_a_nag_is_answered_with_what_changes_nothing(
    words: list[str], package: str, name: str | None, pressed: str
) -> None:
    drawn = [button(text, package, at) for at, text in enumerate(words)]
    screen = read(window(*drawn, package=package), app=AppInfo(package, ""))

    spotted = nags.spot(screen, nags.DEFAULT_NAGS)

    told = (spotted[0].name, spotted[1].label) if spotted else (None, "")
    assert told == (name, pressed)


def test_the_most_lasting_name_comes_first() -> None:
    label = node("蓝牙", bounds="[0,310][90,380]")
    row = node(kind="LinearLayout", bounds="[0,300][500,390]", inside=label)
    screen = read(
        window(
            node("Buy", kind="Button", rid="app:id/buy", bounds="[0,0][100,90]"),
            node("Add", kind="Button", bounds="[0,100][100,190]"),
            node("Add", kind="Button", bounds="[0,200][100,290]"),
            row,
        )
    )
    buy, first, second, bluetooth = screen.elements

    names = [[each.given for each in ranking.ranked(screen, e)] for e in screen.elements]

    assert names[0][:2] == [{"resourceId": "app:id/buy"}, {"text": "Buy"}]
    assert names[2][0] == {"text": "Add", "instance": 1}
    assert names[3][0] == {"text": "蓝牙"}
    found = [find(screen, ranking.ranked(screen, e)[:1]).element for e in (buy, first, second)]
    assert found == [buy, first, second]
    assert bluetooth.bounds.contains(find(screen, ranking.ranked(screen, bluetooth)).element.point)


def test_what_a_dump_lists_is_found_again_by_its_names() -> None:
    if not DUMPS.is_dir():
        pytest.skip(f"{DUMPS} is not there")

    named = clickable = 0
    for screen in real_screens():
        for element in screen.elements:
            if not element.clickable:
                continue
            clickable += 1
            for selector in ranking.ranked(screen, element)[:1]:
                first = lookup.elements(screen, selector.given)[0]
                named += first.node is element.node or element.bounds.contains(first.point)

    assert clickable > 300
    assert named / clickable > 0.97


def real_screens() -> Iterator[Screen]:
    for path in sorted(DUMPS.rglob("*.xml")):
        raw = path.read_bytes()
        try:
            tree = hierarchy.parse(raw)
        except ScreenUnreadable:
            continue
        boxes = [each.bounds for each in tree.walk()]
        size = Size(max(b.right for b in boxes), max(b.bottom for b in boxes))
        if size.width and size.height and path.stat().st_size < 200_000:
            packages = [each.get("package") for each in tree.walk()]
            front = max(set(packages), key=packages.count)
            text = raw.decode("utf-8", "replace")
            yield screens.read(seen(text, size=size, app=AppInfo(front, "")))
