"""A small MCP server as a process of its own, which a test may kill and start again.

``python tests/small_mcp.py PORT`` serves tools that take as long as they are told, ask, or show.
"""

import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.stack import ROOT, free_port, wait_for

PICTURE = b"\xff\xd8\xff\xe0 a small picture"


def serve(port: int) -> None:
    """Serve until killed."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Image
    from mcp.types import CallToolResult, TextContent, ToolAnnotations

    server = MCPServer("small")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def look(seconds: float = 0, mark: str = "") -> str:
        """Look."""
        _leave(mark)
        time.sleep(seconds)
        return "seen"

    @server.tool(structured_output=False)
    def act(seconds: float = 0, mark: str = "") -> str:
        """Act."""
        _leave(mark)
        time.sleep(seconds)
        return "acted"

    asked: list[str] = []

    @server.tool(structured_output=False)
    def ask() -> CallToolResult:
        """Ask a person, and act at the second call."""
        asked.append("called")
        text = "Acted." if len(asked) % 2 == 0 else "Waiting for approval q1"
        meta = (
            {}
            if len(asked) % 2 == 0
            else {"phonedeck/question": "q1", "phonedeck/kind": "approval"}
        )
        return CallToolResult(content=[TextContent(type="text", text=text)], _meta=meta)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def picture() -> Image:
        """Take a picture."""
        return Image(data=PICTURE, format="jpeg")

    server.run(transport="streamable-http", port=port, stateless_http=True)


def _leave(mark: str) -> None:
    if mark:
        with Path(mark).open("a") as file:
            file.write("called\n")


class SmallMcp:
    """The process, from a test's side."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> "SmallMcp":
        command = [sys.executable, "-m", "tests.small_mcp", str(self.port)]
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


if __name__ == "__main__":
    serve(int(sys.argv[1]))
