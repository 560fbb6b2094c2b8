"""The agent: its loop, the brains it can have, and the runner that carries runs."""
