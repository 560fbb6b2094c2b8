"""A small MCP server as a process of its own, which a test may kill and start again."""

import socket
import subprocess
import sys

from tests.stack import ROOT, free_port, wait_for

SERVER = ROOT / "tests" / "small_mcp_server.py"


class SmallMcp:
    """The process, from a test's side; see `tests.small_mcp_server` for its tools."""

    def __init__(self, with_tools: bool = True) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.flags = [] if with_tools else ["--no-tools"]

    def start(self) -> "SmallMcp":
        command = [sys.executable, str(SERVER), str(self.port), *self.flags]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        wait_for(self._listens, "the small MCP server")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
