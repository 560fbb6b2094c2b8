"""What the console knows and can do; it imports no web framework, no MCP and no model client."""
