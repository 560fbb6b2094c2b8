"""What the console offers to try works without a model too."""

import json

import pytest

from mcp_agent.offline.intents import Unclear
from mcp_agent.offline.understand import understand
from tests.stack import ROOT


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", ["example.1", "example.2", "example.3"])
def test_an_offered_example_is_understood_by_the_rules(lang: str, name: str) -> None:
    words = json.loads((ROOT / f"web/console/i18n/{lang}.json").read_text(encoding="utf-8"))

    intents = understand(words[name])

    assert intents
    assert not any(isinstance(intent, Unclear) for intent in intents)
