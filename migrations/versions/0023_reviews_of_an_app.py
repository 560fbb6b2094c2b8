"""of which app what was reviewed is, so that it can be forgotten with the app."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("experience_audit") as table:
        table.add_column(sa.Column("app", sa.String(200), nullable=False, server_default=""))
    op.execute(
        "UPDATE experience_audit SET app = COALESCE((SELECT COALESCE(NULLIF(e.app, ''), e.package)"
        " FROM experiences AS e WHERE e.id = experience_audit.experience_id), '')"
    )


def downgrade() -> None:
    with op.batch_alter_table("experience_audit") as table:
        table.drop_column("app")
