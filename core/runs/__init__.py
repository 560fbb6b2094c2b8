"""Runs: one agent execution each, what happened in it, and who may start the next."""
