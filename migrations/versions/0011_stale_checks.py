"""a check may be older than the run's last act."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("run_checks") as checks:
        checks.add_column(
            sa.Column("stale", sa.Boolean(), nullable=False, server_default=sa.false())
        )


def downgrade() -> None:
    with op.batch_alter_table("run_checks") as checks:
        checks.drop_column("stale")
