"""The adb server is asked by one file, always for one phone, and its words are passed on."""

import ast
from pathlib import Path

import pytest

from core.devices.adb import Adb, devices
from core.errors import AdbDown, NotPaired
from tests.stack import free_port
from virtual_phone.adb_server import AdbServer

ROOT = Path(__file__).resolve().parents[3]
OWNERS = {"adbutils": {"core/devices/adb.py"}, "uiautomator2": {"core/devices/u2_program.py"}}


def importers(package: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for folder in ("core", "mcp_server", "mcp_agent", "web")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if package in imported(node)
    }


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return set()


@pytest.mark.parametrize("package", OWNERS)
def test_one_file_speaks_to_phones_so_every_call_names_its_serial(package: str) -> None:
    allowed = OWNERS[package] | {"core/launch/adb_server.py", "core/launch/children.py"}

    assert importers(package) <= allowed


def test_a_code_that_a_phone_does_not_take_is_refused_in_adbs_words(
    adb_server: AdbServer,
) -> None:
    with pytest.raises(NotPaired, match=r"was not paired\. \w"):
        Adb().pair(f"127.0.0.1:{free_port()}", "123456")


def test_pairing_without_an_adb_server_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(free_port()))

    with pytest.raises(AdbDown):
        Adb().pair("127.0.0.1:1", "123456")


def test_a_name_with_spaces_is_one_serial() -> None:
    name = "adb-1A2B3C (2)._adb-tls-connect._tcp"

    assert devices(f"{name}\tdevice\n????????????\tno permissions\n") == {
        name: "device",
        "????????????": "no permissions",
    }
