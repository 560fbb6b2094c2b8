"""what a phone is known by."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("devices", schema=None) as batch_op:
        for name in ("serialno", "mark"):
            batch_op.add_column(
                sa.Column(name, sa.String(length=128), nullable=False, server_default="")
            )
        batch_op.add_column(sa.Column("storage_mb", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("pin", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("devices", schema=None) as batch_op:
        for name in ("pin", "storage_mb", "mark", "serialno"):
            batch_op.drop_column(name)
