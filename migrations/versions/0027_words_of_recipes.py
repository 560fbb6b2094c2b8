"""recipes are searched, too, by the pairs of signs in them."""

import unicodedata
from itertools import pairwise

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

AT_ONCE = 500


def upgrade() -> None:
    connection = op.get_bind()
    connection.exec_driver_sql(
        "CREATE VIRTUAL TABLE experience_words"
        " USING fts5(pairs, content='', detail=none, columnsize=0)"
    )
    known = connection.exec_driver_sql("SELECT number, task, recipe FROM experiences")
    while rows := known.fetchmany(AT_ONCE):
        connection.exec_driver_sql(
            "INSERT INTO experience_words (rowid, pairs) VALUES (?, ?)",
            [(number, _pairs(task, recipe)) for number, task, recipe in rows],
        )


def downgrade() -> None:
    op.execute("DROP TABLE experience_words")


def _pairs(*texts: str) -> str:
    tokens = set()
    for text in texts:
        folded = unicodedata.normalize("NFKC", text).lower()
        signs = [f"{ord(sign):06x}" for sign in folded if sign.isalnum()]
        tokens |= {"".join(pair) for pair in pairwise(signs)} | set(signs[-1:])
    return " ".join(sorted(tokens))
