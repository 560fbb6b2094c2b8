"""Adapters to brains; `mcp_agent.providers.base` says what one must do."""
