"""The database's history; `alembic` reads it, `core.setup` applies it at each start."""
