"""actions are found by how often they were replayed, and by the run that taught them."""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_actions_most_used", "actions", ["uses", "updated"])
    op.create_index(op.f("ix_actions_run_id"), "actions", ["run_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_actions_run_id"), "actions")
    op.drop_index("ix_actions_most_used", "actions")
