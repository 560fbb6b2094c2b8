"""a run remembers the replay that it left standing."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("standing", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("runs", "standing")
