"""The documents speak of what is there."""

import ast
import re
from pathlib import Path

from tests.stack import ROOT

NOTES = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def test_every_decision_has_a_number_of_its_own_and_says_it() -> None:
    numbers = [int(note.name.partition("-")[0]) for note in NOTES]

    said = [int(note.read_text(encoding="utf-8").split(".")[0].strip("# ")) for note in NOTES]

    assert numbers == list(range(1, len(NOTES) + 1))
    assert said == numbers


def test_the_way_of_a_message_names_files_that_exist() -> None:
    text = (ROOT / "docs" / "one-message.md").read_text(encoding="utf-8")

    named = re.findall(r"`((?:core|mcp_agent|mcp_server|web)/[\w/.]+)`", text)

    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_way_of_a_message_names_functions_that_exist() -> None:
    text = (ROOT / "docs" / "one-message.md").read_text(encoding="utf-8")

    named = re.findall(r"`((?:core|mcp_agent|mcp_server|web)/[\w/]+\.(?:py|ts))` `([\w.]+)`", text)

    assert len(named) > 20
    assert [pair for pair in named if pair[1] not in defined(ROOT / pair[0])] == []


def defined(path: Path) -> set[str]:
    """Name the functions of a file, methods also as ``Class.method``."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ts":
        return set(re.findall(r"function (\w+)", text))
    names: set[str] = set()
    for node in ast.parse(text).body:
        names.add(getattr(node, "name", ""))
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            method = getattr(inner, "name", "")
            names |= {method, f"{node.name}.{method}"}
    return names


def test_the_guides_name_variables_that_are_read() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in guides()}
    read = {name.upper() for name in re.findall(r"phonedeck_\w+", "".join(sources()), re.I)}

    named = {name for text in texts.values() for name in re.findall(r"PHONEDECK_[A-Z_]+", text)}

    assert len(named) > 6
    assert named - read == set()


def guides() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "README.zh-CN.md", *(ROOT / "docs").glob("*.md")]
    return [*found, *(path for path in (ROOT / "packaging").iterdir())]


def sources() -> list[str]:
    folders = ("core", "web", "mcp_server", "virtual_phone")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [path.read_text(encoding="utf-8") for path in paths]


def test_the_guides_lead_to_files_that_are_there() -> None:
    lost = [
        (path.name, target)
        for path in guides()
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]

    assert lost == []


def test_both_languages_of_a_guide_have_the_same_chapters() -> None:
    for chinese in [*(ROOT / "docs").glob("*.zh-CN.md"), ROOT / "README.zh-CN.md"]:
        english = chinese.with_name(chinese.name.replace(".zh-CN", ""))
        levels = [
            re.findall(r"^(#+) ", each.read_text(encoding="utf-8"), re.MULTILINE)
            for each in (chinese, english)
        ]

        assert levels[0] == levels[1], chinese.name
