"""tasks."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_groups",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("task_id", sa.String(length=16), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=False),
        sa.Column("scheduled_for", sa.DateTime(), nullable=True),
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("lang", sa.String(length=2), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_groups")),
    )
    with op.batch_alter_table("task_groups", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_task_groups_created"), ["created"], unique=False)
        batch_op.create_index(batch_op.f("ix_task_groups_task_id"), ["task_id"], unique=False)

    op.create_table(
        "tasks",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("series", sa.String(length=16), nullable=False),
        sa.Column("anchor", sa.DateTime(), nullable=False),
        sa.Column("next_at", sa.DateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("updated_by", sa.String(length=64), nullable=False),
        sa.Column("updated", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
    )
    with op.batch_alter_table("tasks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tasks_next_at"), ["next_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_tasks_updated"), ["updated"], unique=False)

    op.create_table(
        "task_dues",
        sa.Column("series", sa.String(length=16), nullable=False),
        sa.Column("scheduled_for", sa.DateTime(), nullable=False),
        sa.Column("task_id", sa.String(length=16), nullable=False),
        sa.Column("group_id", sa.String(length=16), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["task_id"], ["tasks.id"], name=op.f("fk_task_dues_task_id_tasks"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series", "scheduled_for", name=op.f("pk_task_dues")),
    )
    with op.batch_alter_table("task_dues", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_task_dues_task_id"), ["task_id"], unique=False)

    op.create_table(
        "task_revisions",
        sa.Column("task_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.id"],
            name=op.f("fk_task_revisions_task_id_tasks"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("task_id", "number", name=op.f("pk_task_revisions")),
    )
    op.create_table(
        "task_runs",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("group_id", sa.String(length=16), nullable=False),
        sa.Column("task_id", sa.String(length=16), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("app", sa.String(length=200), nullable=False),
        sa.Column("row", sa.Integer(), nullable=True),
        sa.Column("inputs", sa.JSON(), nullable=False),
        sa.Column("fixed", sa.Boolean(), nullable=False),
        sa.Column("serial", sa.String(length=128), nullable=True),
        sa.Column("hardware_serial", sa.String(length=128), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("alive_until", sa.DateTime(), nullable=True),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.Column("at", sa.String(length=200), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("path", sa.String(length=200), nullable=False),
        sa.Column("seen", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("started", sa.DateTime(), nullable=True),
        sa.Column("ended", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["task_groups.id"],
            name=op.f("fk_task_runs_group_id_task_groups"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_runs")),
    )
    with op.batch_alter_table("task_runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_task_runs_created"), ["created"], unique=False)
        batch_op.create_index(batch_op.f("ix_task_runs_ended"), ["ended"], unique=False)
        batch_op.create_index(batch_op.f("ix_task_runs_group_id"), ["group_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_task_runs_hardware_serial"), ["hardware_serial"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_task_runs_task_id"), ["task_id"], unique=False)
        batch_op.create_index("ix_task_runs_waiting", ["status", "not_before"], unique=False)

    op.create_table(
        "task_run_steps",
        sa.Column("run_id", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("pictures", sa.JSON(), nullable=False),
        sa.Column("ended", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["task_runs.id"],
            name=op.f("fk_task_run_steps_run_id_task_runs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "attempt", "number", name=op.f("pk_task_run_steps")),
    )
    with op.batch_alter_table("artifacts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("task_run_id", sa.String(length=16), nullable=True))
        batch_op.alter_column("run_id", existing_type=sa.VARCHAR(length=16), nullable=True)
        batch_op.create_index(batch_op.f("ix_artifacts_task_run_id"), ["task_run_id"], unique=False)
        batch_op.create_foreign_key(
            batch_op.f("fk_artifacts_task_run_id_task_runs"),
            "task_runs",
            ["task_run_id"],
            ["id"],
            ondelete="CASCADE",
        )


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE run_id IS NULL")
    with op.batch_alter_table("artifacts", schema=None) as batch_op:
        batch_op.drop_constraint(
            batch_op.f("fk_artifacts_task_run_id_task_runs"), type_="foreignkey"
        )
        batch_op.drop_index(batch_op.f("ix_artifacts_task_run_id"))
        batch_op.alter_column("run_id", existing_type=sa.VARCHAR(length=16), nullable=False)
        batch_op.drop_column("task_run_id")
    for table in (
        "task_run_steps",
        "task_runs",
        "task_revisions",
        "task_dues",
        "tasks",
        "task_groups",
    ):
        op.drop_table(table)
