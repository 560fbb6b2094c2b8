"""what memories earn, by the hour."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    counts = ("succeeded", "failed", "replays", "steps_saved", "tokens_saved")
    op.create_table(
        "earned_hours",
        sa.Column("hour", sa.DateTime(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in counts),
        sa.PrimaryKeyConstraint("hour", name=op.f("pk_earned_hours")),
    )


def downgrade() -> None:
    op.drop_table("earned_hours")
