"""What callers are offered: which tools, what they cost to list, what their hints promise."""

import json

import pytest
from mcp.types import Tool

from tests.fixtures_mcp import McpHouse

READING = {
    "de_list_devices",
    "de_screenshot",
    "de_ui_tree",
    "de_find",
    "de_current_app",
    "de_list_apps",
    "de_wait_for",
}
TOOLS = READING | {
    "de_tap",
    "de_tap_text",
    "de_tap_xy",
    "de_long_press",
    "de_type_text",
    "de_swipe",
    "de_scroll_to",
    "de_press_key",
    "de_open_app",
    "de_close_app",
    "de_open_url",
    "de_run_action",
    "de_keep_screen",
}
SESSION = {"prove", "ask_user_question"}
LOSES_NOTHING = {"de_scroll_to", "de_open_app", "de_open_url", "de_keep_screen"}
STAYS_ON_THE_PHONE = READING | {"de_close_app", "de_keep_screen"}

# gpt-tokenizer's o200k counted 3.57 characters a token over these very lists (2026-11); its
# vocabulary cannot be had offline, so the budget is kept with a margin
CHARS_PER_TOKEN = 3.3


def cost(tools: list[Tool]) -> float:
    """Estimate the tokens of listing some tools."""
    texts = [json.dumps([t.name, t.description, t.input_schema]) for t in tools]
    return sum(map(len, texts)) / CHARS_PER_TOKEN


def test_the_twenty_tools_cost_at_most_three_thousand_tokens(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        listed = tools.list()

    assert len(listed) == 20
    assert cost(listed) <= 3000


@pytest.mark.parametrize("autonomy", ["auto", "observe"])
def test_what_a_run_is_offered_costs_at_most_4500_tokens(
    mcp_house: McpHouse, autonomy: str
) -> None:
    with mcp_house.run(autonomy) as (_, token), mcp_house.tools(token) as tools:
        listed = tools.list()

    assert {tool.name for tool in listed} >= READING | SESSION
    assert cost(listed) <= 4500


def test_every_tool_is_listed_with_title_and_a_titled_schema(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        listed = tools.list()

    assert {tool.name for tool in listed} == TOOLS
    assert all(tool.title and tool.description for tool in listed)
    assert all(tool.output_schema is None for tool in listed)
    for tool in listed:
        named = tool.input_schema["properties"]
        assert all(each.get("title") and each.get("type") for each in named.values())
        assert tool.name == "de_list_devices" or "serial" in named
    swipe = next(tool for tool in listed if tool.name == "de_swipe")
    assert {"direction", "from", "to", "serial"} == set(swipe.input_schema["properties"])


def test_the_hints_say_what_each_tool_may_do(mcp_house: McpHouse) -> None:
    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        hints = {tool.name: tool.annotations for tool in tools.list()}

    said = {name: each for name, each in hints.items() if each is not None}
    reads = READING | SESSION
    twice_is_once = reads | LOSES_NOTHING | {"de_close_app"}
    assert {name for name, each in said.items() if each.read_only_hint} == reads
    assert {name for name, each in said.items() if each.destructive_hint} == (
        TOOLS - READING - LOSES_NOTHING
    )
    assert {name for name, each in said.items() if each.idempotent_hint} == twice_is_once
    assert {name for name, each in said.items() if not each.open_world_hint} == (
        STAYS_ON_THE_PHONE | SESSION
    )


def test_tools_of_a_run_are_not_for_other_programs(mcp_house: McpHouse) -> None:
    with mcp_house.tools() as tools:
        names = set(tools.names())
        answer = tools.call("prove", checks=[{"text": "设置"}])

    assert not names & SESSION
    assert answer.is_error
    assert "belongs to a run" in answer.text
