"""task runs are read in order."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index(op.f("ix_task_groups_task_id"), "task_groups")
    op.drop_index(op.f("ix_task_runs_task_id"), "task_runs")
    op.drop_index(op.f("ix_task_runs_hardware_serial"), "task_runs")
    op.create_index("ix_task_groups_of_task", "task_groups", ["task_id", "created"])
    op.create_index("ix_task_runs_of_task", "task_runs", ["task_id", "created"])
    op.create_index("ix_task_runs_by_status", "task_runs", ["status", "created"])
    op.create_index("ix_task_runs_by_phone", "task_runs", ["hardware_serial", "created"])


def downgrade() -> None:
    op.drop_index("ix_task_runs_by_phone", "task_runs")
    op.drop_index("ix_task_runs_by_status", "task_runs")
    op.drop_index("ix_task_runs_of_task", "task_runs")
    op.drop_index("ix_task_groups_of_task", "task_groups")
    op.create_index(op.f("ix_task_runs_hardware_serial"), "task_runs", ["hardware_serial"])
    op.create_index(op.f("ix_task_runs_task_id"), "task_runs", ["task_id"])
    op.create_index(op.f("ix_task_groups_task_id"), "task_groups", ["task_id"])
