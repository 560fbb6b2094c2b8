"""The web console: HTTP in, events out; it asks ``core`` and ``mcp_agent`` and owns no phone."""
