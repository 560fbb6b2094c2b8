"""The MCP server of the session, for the tests of this folder."""

from tests.fixtures_mcp import mcp_house, mcp_url, session_house

__all__ = ["mcp_house", "mcp_url", "session_house"]
