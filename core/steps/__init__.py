"""Steps: typed instructions that need no model, their checks, and the runner of them."""
