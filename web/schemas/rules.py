"""Decisions about what an app may do without asking."""

from typing import Literal

from pydantic import Field

from web.schemas.base import Gives, Takes


class NewRule(Takes):
    """Allow acts of an app without asking, or ask though they look harmless; empty means any."""

    app: str = Field(min_length=1, max_length=200)
    kind: Literal[
        "",
        "pay",
        "order",
        "transfer",
        "send",
        "publish",
        "delete",
        "install",
        "grant",
        "log_in",
        "call",
        "reset",
        "open",
    ] = ""
    label: str = Field(default="", max_length=200)
    effect: Literal["allow", "ask"]


class RuleShown(Gives):
    """A decision about an app's acts."""

    id: str
    app: str
    kind: str
    label: str
    effect: str
    created: str
    created_by: str


class RulePage(Gives):
    """Decisions, newest first."""

    items: list[RuleShown]
    next: str | None
