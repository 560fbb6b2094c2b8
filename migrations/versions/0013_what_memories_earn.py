"""what memories earn, and an index without a foreign key."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TEXTS = {"app_version": 100, "stale": 200}
EXPERIENCE_TEXTS = {"package": 200, **TEXTS}
EXPERIENCE_COUNTS = ("steps", "tokens", "steps_saved", "tokens_saved")
ACTION_TEXTS = {"run_id": 16, **TEXTS}
ACTION_COUNTS = ("successes", "failures")


def upgrade() -> None:
    _add("experiences", EXPERIENCE_TEXTS, EXPERIENCE_COUNTS)
    _add("actions", ACTION_TEXTS, ACTION_COUNTS)
    _grams(())


def downgrade() -> None:
    number = sa.ForeignKeyConstraint(
        ["number"],
        ["experiences.number"],
        name=op.f("fk_experience_grams_number_experiences"),
        ondelete="CASCADE",
    )
    _grams((number,))
    op.create_index(op.f("ix_experience_grams_number"), "experience_grams", ["number"])
    _drop("actions", ACTION_TEXTS, ACTION_COUNTS)
    _drop("experiences", EXPERIENCE_TEXTS, EXPERIENCE_COUNTS)


def _add(table: str, texts: dict[str, int], counts: tuple[str, ...]) -> None:
    with op.batch_alter_table(table) as changed:
        for name, length in texts.items():
            changed.add_column(
                sa.Column(name, sa.String(length), nullable=False, server_default="")
            )
        for name in counts:
            changed.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
        proved = sa.Column("proved", sa.Boolean(), nullable=False, server_default=sa.false())
        changed.add_column(proved)


def _drop(table: str, texts: dict[str, int], counts: tuple[str, ...]) -> None:
    with op.batch_alter_table(table) as changed:
        for name in (*texts, *counts, "proved"):
            changed.drop_column(name)


def _grams(constraints: tuple[sa.ForeignKeyConstraint, ...]) -> None:
    """Make the table of pairs anew, with the rows that it has."""
    op.create_table(
        "new_grams",
        sa.Column("gram", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *constraints,
        sa.PrimaryKeyConstraint("gram", "number", name=op.f("pk_experience_grams")),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO new_grams SELECT gram, number FROM experience_grams ORDER BY gram, number"
    )
    op.drop_table("experience_grams")
    op.rename_table("new_grams", "experience_grams")
