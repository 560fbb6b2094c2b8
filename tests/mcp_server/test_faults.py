"""Walks docs/faults.md: what goes wrong on a phone is told as the table says, and is over after.

The first column names a fault or an overlay of the virtual phone, with a value where one is
given, or a part of its state: ``system.screen_on=false``.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from core.devices import store
from tests.fixtures_mcp import Answer, McpHouse, Tools
from tests.stack import ROOT, wait_for
from virtual_phone.faults import FAULTS
from virtual_phone.overlays import OVERLAYS
from virtual_phone.testing import PhoneHandle

TABLE = ROOT / "docs" / "faults.md"
SETTINGS = "com.android.settings"
#: These rows wait for deadlines: the product's own, and the ten seconds for rest that a reset of
#: the virtual phone brings back behind the running server (test_survival reads at once). A server
#: that could not run is left alone for a while.
LONG = {"half_open", "no_idle", "u2_killed"}
QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    fault: str
    value: float | None
    tool: str
    words: str
    state: str
    model: str
    operator: str

    @property
    def arguments(self) -> dict[str, str]:
        """What the tool is called with."""
        names = {"de_press_key": "key", "de_open_app": "app"}
        return {names.get(self.tool, "text"): self.words} if self.words else {}


def parse(line: str) -> Row:
    """Read a row."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    fault, tried, state, model, operator = (cell.replace("`", "") for cell in cells[:5])
    name, _, value = fault.partition(" ")
    tool, _, words = tried.partition(" ")
    return Row(name, float(value) if value else None, tool, words, state, model, operator)


ROWS = [parse(each) for each in TABLE.read_text("utf-8").splitlines() if each.startswith("| `")]


@contextmanager
def wrong(phone: PhoneHandle, row: Row) -> Iterator[None]:
    """Let it go wrong for the length of a block."""
    path, equals, value = row.fault.partition("=")
    if equals:
        phone.set(path, json.loads(value))
        yield
        return
    phone.fault(row.fault, value=row.value)
    yield
    phone.fault(row.fault, on=False)


def asked(tools: Tools, row: Row) -> Answer:
    """Call the row's tool; where the link comes back by itself, until it has."""
    answers: list[Answer] = []

    def is_answered() -> bool:
        answers.append(tools.call(row.tool, **row.arguments))
        comes_back = row.fault in FAULTS and FAULTS[row.fault].link and row.state != "-"
        return not (comes_back and answers[-1].is_error)

    wait_for(is_answered, row.fault, 10)
    return answers[-1]


def test_every_fault_of_the_virtual_phone_has_a_row() -> None:
    named = {row.fault for row in ROWS if "=" not in row.fault}

    assert named == {*FAULTS, *OVERLAYS}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id="-".join(filter(None, (row.fault, row.tool, row.words))),
            marks=pytest.mark.soak if row.fault in LONG else (),
        )
        for row in ROWS
    ],
)
def test_a_fault_is_told_as_the_table_says_and_is_over_after(
    mcp_house: McpHouse, phone: PhoneHandle, row: Row
) -> None:
    phone.start(SETTINGS)

    with mcp_house.run() as (_, token), mcp_house.tools(token) as tools:
        tools.call("de_ui_tree")
        with wrong(phone, row):
            if row.operator.startswith("card"):
                wait_for(lambda: card(mcp_house)[0] in row.operator, row.operator, 10)
            answer = asked(tools, row)
            reason = card(mcp_house)[1]
        phone.reset()
        wait_for(lambda: is_well(tools), "the phone as it was", 30)

    heading = answer.text.split("\n")[0].split(" · ")
    assert answer.is_error is (row.state == "-")
    assert row.state == "-" or row.tool != "de_ui_tree" or row.state in heading
    assert all(words in answer.text for words in QUOTED.findall(row.model))
    if row.operator.startswith("card"):
        assert all(words in reason for words in QUOTED.findall(row.operator))


def is_well(tools: Tools) -> bool:
    """Say whether the screen can be read, and from the best source."""
    seen = tools.call("de_ui_tree")
    return not seen.is_error and " · from " not in seen.text.split("\n")[0]


def card(house: McpHouse) -> tuple[str, str]:
    """Say what the operator reads on the device's card."""
    item = store.listing(house.instance.db, "en")[0]
    return item["state"], item["reason"] or ""
