"""What people decided about an app's acts for good: allow without asking, or ask though harmless.

An "always" to an approval becomes a rule for that app, that kind of act and that very label.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.clock import iso
from core.db import Database
from core.errors import NotFound
from core.models import PolicyRule as Row
from core.policy import Risk

Effect = Literal["allow", "ask"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One decision; an empty ``kind`` or ``label`` stands for any."""

    rule_id: str
    app: str
    kind: str
    label: str
    effect: Effect
    created: datetime
    created_by: str

    def shown(self) -> dict[str, Any]:
        """Give the rule as the API shows it."""
        return {
            "id": self.rule_id,
            "app": self.app,
            "kind": self.kind,
            "label": self.label,
            "effect": self.effect,
            "created": iso(self.created),
            "created_by": self.created_by,
        }

    def covers(self, kind: str, label: str) -> bool:
        """Say whether it speaks of this act."""
        return self.kind in ("", kind) and self.label in ("", label)


def of_app(db: Database, app: str) -> list[Rule]:
    """Return the rules of one app."""
    with db.read() as session:
        return [_rule(row) for row in session.scalars(select(Row).where(Row.app == app))]


def listing(db: Database) -> list[Rule]:
    """Return every rule, newest first."""
    with db.read() as session:
        rows = session.scalars(select(Row).order_by(Row.created.desc(), Row.id))
        return [_rule(row) for row in rows]


def add(session: Session, rule: Rule) -> Rule:
    """Keep a decision; one that is there already is replaced. The id is made here."""
    same = select(Row).where(Row.app == rule.app, Row.kind == rule.kind, Row.label == rule.label)
    row = session.scalar(same) or Row(app=rule.app, kind=rule.kind, label=rule.label)
    row.effect, row.created_by = rule.effect, rule.created_by
    session.add(row)
    session.flush()
    return _rule(row)


def remove(db: Database, rule_id: str) -> None:
    """Forget a decision.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        row = session.get(Row, rule_id)
        if row is None:
            raise NotFound(kind="rule", name=rule_id)
        session.delete(row)


def apply(rules: Iterable[Rule], risk: Risk | None, label: str) -> Risk | None:
    """Judge once more with an app's rules; to be asked wins over being allowed."""
    known = list(rules)
    for rule in known:
        if rule.effect == "ask" and rule.covers(risk.kind if risk else rule.kind, label):
            return risk or Risk(rule.kind, label)
    if risk is not None and any(
        rule.effect == "allow" and rule.covers(risk.kind, label) for rule in known
    ):
        return None
    return risk


def _rule(row: Row) -> Rule:
    effect: Effect = "ask" if row.effect == "ask" else "allow"
    return Rule(row.id, row.app, row.kind, row.label, effect, row.created, row.created_by)
