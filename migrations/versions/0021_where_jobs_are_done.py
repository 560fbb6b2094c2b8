"""where jobs are done, and what memories earn is summed along an index."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

EARNED = ["app", "hits", "steps_saved", "tokens_saved"]


def upgrade() -> None:
    with op.batch_alter_table("experiences") as table:
        table.add_column(sa.Column("screens", sa.JSON(), nullable=False, server_default="[]"))
    op.drop_index(op.f("ix_experiences_app"), "experiences")
    op.create_index("ix_experiences_earned", "experiences", EARNED)


def downgrade() -> None:
    op.drop_index("ix_experiences_earned", "experiences")
    op.create_index(op.f("ix_experiences_app"), "experiences", ["app"])
    with op.batch_alter_table("experiences") as table:
        table.drop_column("screens")
