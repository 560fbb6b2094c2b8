"""Understand plain commands in Chinese or English, several in one sentence; a pure function."""

import re

from core.words import Lang
from mcp_agent.offline import grammar_en, grammar_zh
from mcp_agent.offline.intents import Intent, Unclear
from mcp_agent.offline.quotes import Quotes

HAN = re.compile(r"[\u3400-\u9fff]")


def understand(prompt: str) -> list[Intent]:
    """Turn a prompt into intents, in the order in which they are to be carried out.

    A part that is not understood becomes `Unclear`. Names in quotes are taken as they stand.
    """
    quotes = Quotes(prompt.strip())
    grammar = grammar_zh.GRAMMAR if lang_of_text(quotes.text) == "zh" else grammar_en.GRAMMAR
    return grammar.understand(quotes) or [Unclear(prompt.strip())]


def lang_of(prompt: str) -> Lang:
    """Say which language a prompt is written in, leaving names in quotes out."""
    return lang_of_text(Quotes(prompt).text)


def lang_of_text(text: str) -> Lang:
    """Say which language a text is written in."""
    return "zh" if HAN.search(text) else "en"
