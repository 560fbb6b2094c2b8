"""A small MCP server to be called by tests: ``python tests/small_mcp_server.py PORT [--no-tools]``.

Its tools take as long as they are told, show a picture, or ask a person first. It imports nothing
of ours, so that it is there quickly when a test starts it again.
"""

import sys
import time
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.types import CallToolResult, TextContent, ToolAnnotations

PICTURE = b"\xff\xd8\xff\xe0 a small picture"
READ = ToolAnnotations(read_only_hint=True)
ASK = "ask "
#: What a result that waits for a person carries on the wire.
ASKS = {"phonedeck/question": "q1", "phonedeck/kind": "approval"}

_asked: set[str] = set()


def look(seconds: float = 0, mark: str = "") -> str:
    """Look."""
    _leave(mark)
    time.sleep(seconds)
    return "seen"


def act(seconds: float = 0, mark: str = "") -> str:
    """Act."""
    _leave(mark)
    time.sleep(seconds)
    return "acted"


def ask(key: str) -> CallToolResult:
    """Ask a person at the first call with a key, and act at the second."""
    waits = key not in _asked
    _asked.symmetric_difference_update({key})
    text = TextContent(type="text", text="Waiting for approval q1" if waits else "Acted.")
    return CallToolResult(content=[text], _meta=ASKS if waits else None)


def picture() -> Image:
    """Take a picture."""
    return Image(data=PICTURE, format="jpeg")


def de_wait_for(text: str, gone: bool = False, timeout_s: float = 0) -> CallToolResult:
    """Wait so many seconds as the text says, or ask, for a brain that knows the phone's tools."""
    if text.startswith(ASK):
        return ask(text)
    time.sleep(float(text))
    return CallToolResult(content=[TextContent(type="text", text="It is there.")])


def serve(port: int, with_tools: bool) -> None:
    """Serve until killed."""
    server = MCPServer("small")
    if with_tools:
        for tool in (look, picture, de_wait_for):
            server.tool(annotations=READ, structured_output=False)(tool)
        for tool in (act, ask):
            server.tool(structured_output=False)(tool)
    server.run(transport="streamable-http", port=port, stateless_http=True)


def _leave(mark: str) -> None:
    if mark:
        with Path(mark).open("a") as file:
            file.write("called\n")


if __name__ == "__main__":
    serve(int(sys.argv[1]), "--no-tools" not in sys.argv)
