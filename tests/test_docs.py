"""The documents speak of what is there."""

import re

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
