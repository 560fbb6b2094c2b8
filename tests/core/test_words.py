"""The catalogue says the same things in both languages."""

import ast
import re
import string
from typing import Any

import pytest

from core import errors
from core.errors.wire import leaves
from core.words import catalogue, error_words, pick_lang
from tests.stack import ROOT


def placeholders(entry: Any) -> set[str]:
    text = " ".join(entry.values()) if isinstance(entry, dict) else entry
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("part", ["details", "errors", "kinds", "phrases"])
def test_both_languages_have_the_same_keys_and_placeholders(part: str) -> None:
    zh, en = catalogue("zh")[part], catalogue("en")[part]

    assert {key: placeholders(value) for key, value in zh.items()} == {
        key: placeholders(value) for key, value in en.items()
    }


def test_every_error_has_words_of_its_own() -> None:
    codes = set(leaves())

    assert codes - set(catalogue("en")["errors"]) == set()


def test_every_word_is_said_by_something() -> None:
    folders = ("core", "mcp_server", "mcp_agent", "web")
    files = [f for name in folders for f in (ROOT / name).rglob("*.py")]
    nodes = [node for f in files for node in ast.walk(ast.parse(f.read_text(encoding="utf-8")))]
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    report = (ROOT / "templates" / "task_run_report.html").read_text(encoding="utf-8")
    texts |= set(re.findall(r"'(report\.[\w.]+)'", report))
    forms = [_ends(node) for node in nodes if isinstance(node, ast.JoinedStr)]
    forms += [(start, "") for start in re.findall(r"'(report\.\w*)' \+", report)]

    def is_said(key: str) -> bool:
        built = [
            key[len(start) : len(key) - len(end)]
            for start, end in forms
            if "." in start and key.startswith(start) and key.endswith(end)
        ]
        return key in texts or any(each in texts for each in built)

    keys = [key for part in catalogue("en").values() for key in part]
    assert [key for key in keys if not is_said(key)] == []


def _ends(form: ast.JoinedStr) -> tuple[str, str]:
    """Give the fixed text at the beginning and at the end of an f-string."""
    ends = [form.values[0], form.values[-1]]
    start, end = (str(each.value) if isinstance(each, ast.Constant) else "" for each in ends)
    return start, end


def branches(kind: type[errors.ConsoleError], depth: int = 0) -> set[tuple[int, str, str]]:
    own = {(depth, leaf.__name__, vars(leaf).get("code", "")) for leaf in kind.__subclasses__()}
    return own.union(*(branches(leaf, depth + 1) for leaf in kind.__subclasses__()))


def test_the_tree_is_drawn_as_it_is() -> None:
    rows = re.findall(r"^    ([│ ]*)[├└]── (\w+) *(?:\d{3})? *(\w*)", str(errors.__doc__), re.M)

    drawn = {(len(stem) // 4, name, code) for stem, name, code in rows}

    assert drawn == branches(errors.ConsoleError)


def test_what_is_missing_is_named_in_the_readers_language() -> None:
    source = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("core", "mcp_server", "mcp_agent", "web")
        for file in (ROOT / folder).rglob("*.py")
    )
    kinds = set(re.findall(r'NotFound\(kind="([^"]+)"|Registry\("([^"]+)"\)', source))
    named = {first or second for first, second in kinds}

    assert len(named) > 15
    assert named - set(catalogue("zh")["kinds"]) == set()
    assert (
        error_words("not_found", "zh", {"kind": "run", "name": "x"}).message == "没有这个运行：x。"
    )


def test_an_error_crosses_the_loopback_whole() -> None:
    sent = errors.DeviceBusy(serial="a1", holder="AI", path="serial")

    received = errors.from_wire(sent.wire())

    assert type(received) is errors.DeviceBusy
    assert received.body("zh") == sent.body("zh")


def test_a_branch_itself_crosses_as_no_other() -> None:
    sent = errors.Conflict(detail="later")

    received = errors.from_wire(sent.wire())

    assert type(received) is errors.Conflict


def test_a_missing_detail_leaves_a_gap_and_no_second_error() -> None:
    words = error_words("device_busy", "en", {})

    assert words.message == "is in use by ."


@pytest.mark.parametrize(
    ("wishes", "lang"),
    [
        (("", "en-US,en;q=0.9"), "en"),
        (("zh", "en"), "zh"),
        (("", "fr-FR, en;q=0.5"), "en"),
        (("", None), "zh"),
    ],
)
def test_the_users_setting_comes_before_the_browsers(
    wishes: tuple[str | None, ...], lang: str
) -> None:
    assert pick_lang(*wishes) == lang


def test_a_name_does_not_turn_the_words_around_it() -> None:
    words = error_words("device_offline", "en", {"serial": "\u202egpj.\u2069exe"})

    assert "gpj.exe" in words.message


def test_a_reason_that_never_changes_is_said_in_the_readers_language() -> None:
    seen = {"wanted": 'text="声音"', "swipes": 0, "detail": "Nothing on this screen scrolls."}

    said = error_words("not_on_page", "zh", seen).message

    assert said == '这一页上没有 text="声音"，共滑动 0 次。这一屏没有可以滚动的内容。'
