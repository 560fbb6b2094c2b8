"""an edited message, and what followed it, names the run that replaced it."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("conversation_messages") as messages:
        messages.add_column(sa.Column("replaced_by", sa.String(length=16), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("conversation_messages") as messages:
        messages.drop_column("replaced_by")
