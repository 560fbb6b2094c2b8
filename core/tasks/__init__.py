"""Tasks: saved steps with inputs, targets and a schedule, and what came of their runs."""
