"""Keep the rules by which unasked windows are pressed away, when a person changed them.

A rule can press what it likes; policy judges the touch all the same, so none grants or pays.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.db import Database
from core.errors import Invalid
from core.models import AppMeta
from core.steps.nags import DEFAULT_NAGS, Nag

KEY = "step_nags"
MOST = 100
CHARS = 1_000


def load(db: Database) -> tuple[Nag, ...]:
    """Give the rules, in the order in which they are tried."""
    with db.read() as session:
        row = session.get(AppMeta, KEY)
    return DEFAULT_NAGS if row is None else tuple(Nag(**each) for each in json.loads(row.value))


def shown(db: Database) -> dict[str, Any]:
    """Give the rules as the API shows them, and whether they are as delivered."""
    rules = load(db)
    return {"items": [asdict(rule) for rule in rules], "usual": rules == DEFAULT_NAGS}


def save(db: Database, rules: Sequence[Nag]) -> None:
    """Keep rules in place of all that are there.

    Raises:
        Invalid: A pattern cannot be read; ``path`` names it.
    """
    if len(rules) > MOST:
        raise Invalid(path="items", detail=f"These are more than {MOST} rules.")
    for at, rule in enumerate(rules):
        for field in ("press", "over", "says"):
            _check(getattr(rule, field), f"items.{at}.{field}")
    with db.write() as session:
        value = json.dumps([asdict(rule) for rule in rules], ensure_ascii=False)
        session.merge(AppMeta(key=KEY, value=value))


def reset(db: Database) -> None:
    """Go back to the rules as delivered."""
    with db.write() as session:
        row = session.get(AppMeta, KEY)
        if row is not None:
            session.delete(row)


def _check(pattern: str, path: str) -> None:
    try:
        made = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise Invalid(path=path, detail=f"{path} cannot be read: {error}.") from error
    if path.endswith(".press") and made.fullmatch(""):
        raise Invalid(path=path, detail=f"{path} would press what has no label at all.")
