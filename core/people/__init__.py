"""People and what they hold: accounts, browser sessions, API tokens, and what they did."""
