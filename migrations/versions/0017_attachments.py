"""an artifact may be a file that a person added, which has a name."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("artifacts") as artifacts:
        artifacts.add_column(
            sa.Column("name", sa.String(length=255), nullable=False, server_default="")
        )


def downgrade() -> None:
    with op.batch_alter_table("artifacts") as artifacts:
        artifacts.drop_column("name")
