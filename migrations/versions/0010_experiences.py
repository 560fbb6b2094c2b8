"""experiences."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "experiences",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("lang", sa.String(length=2), nullable=False),
        sa.Column("run_id", sa.String(length=16), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("successes", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("updated", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_experiences")),
        sa.UniqueConstraint("id", name=op.f("uq_experiences_id")),
    )
    op.create_index(op.f("ix_experiences_app"), "experiences", ["app"])
    op.create_index(op.f("ix_experiences_updated"), "experiences", ["updated"])
    op.create_table(
        "experience_grams",
        sa.Column("gram", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["number"],
            ["experiences.number"],
            name=op.f("fk_experience_grams_number_experiences"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("gram", "number", name=op.f("pk_experience_grams")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_experience_grams_number"), "experience_grams", ["number"])
    op.create_table(
        "gram_counts",
        sa.Column("gram", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("gram", name=op.f("pk_gram_counts")),
    )


def downgrade() -> None:
    op.drop_table("gram_counts")
    op.drop_table("experience_grams")
    op.drop_table("experiences")
