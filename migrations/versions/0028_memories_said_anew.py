"""what was kept under older rules is said anew, but for what a person put into words."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

EXPERIENCES = "/api/agent/experiences/"


def upgrade() -> None:
    op.add_column(
        "experiences", sa.Column("edition", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "experiences", sa.Column("by_hand", sa.Boolean(), nullable=False, server_default="0")
    )
    # what people corrected before stands in the log of what they did
    op.execute(
        "UPDATE experiences SET by_hand = true WHERE id IN (SELECT substr(target, "
        f"{len(EXPERIENCES) + 1}) FROM audit_log WHERE method = 'PUT' AND target LIKE '{EXPERIENCES}%')"
    )


def downgrade() -> None:
    op.drop_column("experiences", "by_hand")
    op.drop_column("experiences", "edition")
