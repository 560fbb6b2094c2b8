"""mobile-mcp, another project's server, drives the phone: it knows nothing of us, only adb.

Opt-in (``--foreign``): npm fetches the package into the test's own folder. Its helper for iOS is
replaced by a script that only tells a version, and its telemetry cannot reach the network.
"""

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from virtual_phone.adb_server import adb_program
from virtual_phone.testing import PhoneHandle

pytestmark = [pytest.mark.foreign, pytest.mark.timeout(300)]

PACKAGE = "@mobilenext/mobile-mcp@0.0.48"
NO_NETWORK = "data:text/javascript,globalThis.fetch=()=>Promise.reject(new Error('no network'))"
NOTES = "com.example.notes"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package and return what node must run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("mobile-mcp")
    words = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=240)
    return folder / "node_modules/@mobilenext/mobile-mcp/lib/index.js"


@pytest.fixture
def server(program: Path, adb_port: int, tmp_path: Path) -> StdioServerParameters:
    tools = tmp_path / "sdk" / "platform-tools"
    tools.mkdir(parents=True)
    (tools / "adb").symlink_to(adb_program())
    stand_in = tmp_path / "mobilecli"
    stand_in.write_text('#!/bin/sh\necho "mobilecli version 0"\n')
    stand_in.chmod(0o755)
    place = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ANDROID_HOME": str(tmp_path / "sdk"),
        "ANDROID_ADB_SERVER_PORT": str(adb_port),
        "MOBILECLI_PATH": str(stand_in),
    }
    words = ["--import", NO_NETWORK, str(program), "--stdio"]
    return StdioServerParameters(command="node", args=words, env=place)


class Hands:
    """Calls tools on one device and gives their text."""

    def __init__(self, client: Client, serial: str) -> None:
        self._client, self._serial = client, serial

    async def do(self, tool: str, **arguments: Any) -> str:
        found = await self._client.call_tool(
            f"mobile_{tool}", {"device": self._serial, **arguments}
        )
        text = "".join(getattr(block, "text", "") for block in found.content)
        assert not found.is_error, text
        return text

    async def elements(self) -> list[dict[str, Any]]:
        text = await self.do("list_elements_on_screen")
        return json.loads(text.partition(": ")[2])

    async def tap(self, words: str) -> None:
        named = [e for e in await self.elements() if words in (e.get("text"), e.get("label"))]
        box = named[0]["coordinates"]
        x, y = box["x"] + box["width"] // 2, box["y"] + box["height"] // 2
        await self.do("click_on_screen_at_coordinates", x=x, y=y)


def test_mobile_mcp_finds_its_way_and_writes_a_note(
    server: StdioServerParameters, phone: PhoneHandle, tmp_path: Path
) -> None:
    said: dict[str, str] = {}

    async def drive() -> None:
        async with Client(server) as client:
            hands = Hands(client, phone.address)
            said["size"] = await hands.do("get_screen_size")
            said["apps"] = await hands.do("list_apps")
            await hands.do("launch_app", packageName=NOTES)
            await hands.tap("新建")
            await hands.tap("标题")
            await hands.do("type_keys", text="from another server", submit=False)
            await hands.tap("保存")
            said["listed"] = json.dumps(await hands.elements(), ensure_ascii=False)
            await hands.do("save_screenshot", saveTo=str(tmp_path / "shot.png"))
            await hands.do("set_orientation", orientation="landscape")
            said["turned"] = await hands.do("get_orientation")
            await hands.do("set_orientation", orientation="portrait")
            await hands.do("swipe_on_screen", direction="up")
            await hands.do("press_button", button="HOME")
            await hands.do("open_url", url="https://example.org/a")
            await hands.do("terminate_app", packageName=NOTES)

    asyncio.run(drive())

    assert "1080x2400" in said["size"]
    assert NOTES in said["apps"]
    assert "from another server" in said["listed"]
    assert "landscape" in said["turned"]
    assert phone.get("notes.items")[-1]["title"] == "from another server"
    assert phone.get("browser.url") == "https://example.org/a"
    assert (tmp_path / "shot.png").read_bytes().startswith(b"\x89PNG")
    assert phone.unknown() == []


def test_mobile_mcp_types_chinese_with_its_helper_app(
    server: StdioServerParameters, phone: PhoneHandle
) -> None:
    phone.set("system.helpers", ["com.mobilenext.devicekit"])
    phone.start(NOTES)

    async def drive() -> None:
        async with Client(server) as client:
            hands = Hands(client, phone.address)
            await hands.tap("搜索备忘录")
            await hands.do("type_keys", text="购物", submit=False)

    asyncio.run(drive())

    assert phone.get("notes.ui.query") == "购物"
