"""What tokens cost, where somebody entered the price of the model."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from core.runs.events import Usage

MILLION = 1_000_000

Amount = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class Price(BaseModel):
    """The price of a million tokens of each kind; ``cached`` is what a cache hit costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Amount
    output: Amount
    cached: Amount | None = None
    currency: str = Field(pattern=r"^[A-Z]{3}$")


def cost(usage: Usage, price: Price) -> float:
    """Return what tokens cost, in the price's currency."""
    cached = min(usage.cache_read, usage.input)
    fresh = usage.input - cached
    rate = price.input if price.cached is None else price.cached
    return (fresh * price.input + cached * rate + usage.output * price.output) / MILLION
