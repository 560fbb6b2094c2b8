"""A real MCP server over one virtual phone, for benchmarks of what goes through it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fixtures_mcp import McpHouse
from virtual_phone.adb_server import AdbServer, free_port
from virtual_phone.testing import VirtualRack


@contextmanager
def one_phone() -> Iterator[McpHouse]:
    """Start server and phone, and end them again."""
    os.environ["ANDROID_ADB_SERVER_PORT"] = str(port := free_port())
    server = AdbServer(port)
    with TemporaryDirectory() as folder, VirtualRack(phones=1) as rack:
        server.connect(rack.phones[0].address)
        house = McpHouse(Path(folder) / "data", [rack.phones[0].address]).start()
        try:
            yield house
        finally:
            house.stop()
            server.close()
