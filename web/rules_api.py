"""What people decided about an app's acts for good: kept by an "always", listed and taken back."""

from typing import Any

from flask import Blueprint

from core import policy_rules
from core.clock import utc_now
from core.policy_rules import Rule
from web.api import contract
from web.console import console
from web.guard import principal
from web.schemas.base import Ok
from web.schemas.rules import NewRule, RulePage, RuleShown

blueprint = Blueprint("rules", __name__, url_prefix="/api/agent/rules")


@blueprint.get("")
@contract(gives=RulePage)
def listing() -> dict[str, Any]:
    """List every rule, newest first."""
    rules = policy_rules.listing(console().instance.db)
    return {"items": [rule.shown() for rule in rules], "next": None}


@blueprint.post("")
@contract(NewRule, RuleShown, status=201)
def add(json: NewRule) -> tuple[dict[str, Any], int]:
    """Keep a decision about an app; the same one again replaces the one before."""
    rule = Rule("", json.app, json.kind, json.label, json.effect, utc_now(), principal().name)
    with console().instance.db.write() as session:
        return policy_rules.add(session, rule).shown(), 201


@blueprint.delete("/<rule_id>")
@contract(gives=Ok)
def remove(rule_id: str) -> dict[str, Any]:
    """Take a decision back: a person is asked again."""
    policy_rules.remove(console().instance.db, rule_id)
    return {"ok": True}
