"""The one program that touches phones: MCP tools for agents, a loopback API for the console."""
