"""Rules by which windows that nobody asked for are pressed away."""

from typing import Annotated

from pydantic import Field

from core.steps.nag_rules import CHARS, MOST
from web.schemas.base import Gives, Takes

Pattern = Annotated[str, Field(max_length=CHARS)]


class NagRule(Takes):
    """One rule; the patterns are regular expressions that ignore case, empty means any.

    ``over`` is searched in the package of the window, ``says`` in the words on the screen, and
    ``press`` held against the whole label of what to press.
    """

    name: str = Field(min_length=1, max_length=64)
    press: str = Field(min_length=1, max_length=CHARS)
    over: Pattern = ""
    says: Pattern = ""


class NagRules(Takes):
    """All rules, in the order in which they are tried."""

    items: list[NagRule] = Field(max_length=MOST)


class NagsShown(Gives):
    """All rules; ``usual`` says that they are as delivered."""

    items: list[NagRule]
    usual: bool
