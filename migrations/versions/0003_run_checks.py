"""run checks."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_checks",
        sa.Column("run_id", sa.String(length=16), nullable=False),
        sa.Column("stated", sa.String(length=2048), nullable=False),
        sa.Column("met", sa.Boolean(), nullable=False),
        sa.Column("seen", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.id"],
            name=op.f("fk_run_checks_run_id_runs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "stated", name=op.f("pk_run_checks")),
    )


def downgrade() -> None:
    op.drop_table("run_checks")
