"""actions."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "actions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("used", sa.DateTime(), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("updated", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actions")),
    )
    op.create_index(op.f("ix_actions_app"), "actions", ["app"])
    op.create_index(op.f("ix_actions_updated"), "actions", ["updated"])
    op.create_table(
        "action_names",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("action_id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["action_id"],
            ["actions.id"],
            name=op.f("fk_action_names_action_id_actions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_action_names")),
    )
    op.create_index(op.f("ix_action_names_action_id"), "action_names", ["action_id"])


def downgrade() -> None:
    op.drop_table("action_names")
    op.drop_table("actions")
