"""people: where sessions come from, last uses, owners, audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=True),
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("method", sa.String(length=8), nullable=False),
        sa.Column("target", sa.String(length=200), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    with op.batch_alter_table("auth_sessions") as table:
        table.add_column(sa.Column("address", sa.String(64), nullable=False, server_default=""))
        table.add_column(sa.Column("agent", sa.String(200), nullable=False, server_default=""))
        table.add_column(sa.Column("used", sa.DateTime(), nullable=True))
    op.add_column("api_tokens", sa.Column("used", sa.DateTime(), nullable=True))
    with op.batch_alter_table("conversations") as table:
        table.add_column(sa.Column("owner_id", sa.String(16), nullable=True))
        table.create_foreign_key(
            op.f("fk_conversations_owner_id_users"),
            "users",
            ["owner_id"],
            ["id"],
            ondelete="SET NULL",
        )


def downgrade() -> None:
    with op.batch_alter_table("conversations") as table:
        table.drop_constraint(op.f("fk_conversations_owner_id_users"), type_="foreignkey")
        table.drop_column("owner_id")
    op.drop_column("api_tokens", "used")
    with op.batch_alter_table("auth_sessions") as table:
        table.drop_column("used")
        table.drop_column("agent")
        table.drop_column("address")
    op.drop_table("audit_log")
