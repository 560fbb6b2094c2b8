"""the audit of memories."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("experiences") as changed:
        changed.add_column(sa.Column("audited", sa.DateTime(), nullable=True))
        changed.create_index(op.f("ix_experiences_audited"), ["audited"])
    op.create_table(
        "experience_audit",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("experience_id", sa.String(length=16), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("mark", sa.String(length=32), nullable=False),
        sa.Column("by", sa.String(length=100), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("decided", sa.DateTime(), nullable=True),
        sa.Column("decided_by", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_experience_audit")),
        sa.UniqueConstraint("id", name=op.f("uq_experience_audit_id")),
    )
    op.create_index(
        op.f("ix_experience_audit_experience_id"), "experience_audit", ["experience_id"]
    )
    op.create_index("ix_experience_audit_queue", "experience_audit", ["action", "score", "number"])


def downgrade() -> None:
    op.drop_table("experience_audit")
    with op.batch_alter_table("experiences") as changed:
        changed.drop_index(op.f("ix_experiences_audited"))
        changed.drop_column("audited")
