"""the history of runs by status and by phone is read in order, without a sort."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_runs_status_created", "runs", ["status", "created"])
    op.create_index("ix_runs_serial_created", "runs", ["serial", "created"])
    op.drop_index("ix_runs_status", "runs")


def downgrade() -> None:
    op.create_index("ix_runs_status", "runs", ["status"])
    op.drop_index("ix_runs_serial_created", "runs")
    op.drop_index("ix_runs_status_created", "runs")
