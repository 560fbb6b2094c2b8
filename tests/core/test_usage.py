"""What tokens cost, and how they are summed."""

import pytest

from core import settings
from core.models import AppMeta
from core.runs.events import Usage
from core.runs.usage import Price, cost
from core.runs.wire import usage_wire
from core.settings import SettingsChange
from core.setup import Instance

PRICE = Price(input=2, output=8, cached=0.5, currency="CNY")


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        (Usage(1_000_000, 0), PRICE, 2),
        (Usage(0, 500_000), PRICE, 4),
        (Usage(1_000_000, 0, cache_read=400_000), PRICE, 1.4),
        (Usage(1_000_000, 0, cache_read=400_000), PRICE.model_copy(update={"cached": None}), 2),
        (Usage(100, 0, cache_read=400), PRICE, 0.00005),  # more hits than tokens: all are hits
    ],
)
def test_each_kind_of_token_has_its_price(usage: Usage, price: Price, expected: float) -> None:
    assert cost(usage, price) == pytest.approx(expected)


def test_costs_are_summed_with_their_currency() -> None:
    total = Usage(1, 1, cost=0.1, currency="CNY") + Usage(1, 1) + Usage(1, 1, cost=0.2)

    shown = usage_wire(total)

    assert (shown["cost"], shown["currency"], shown["calls"]) == (0.3, "CNY", 3)


def test_without_a_price_nothing_is_said_of_cost() -> None:
    assert not {"cost", "currency"} & set(usage_wire(Usage(1, 1)))


def test_prices_are_kept_and_broken_ones_are_none(instance: Instance) -> None:
    kept = settings.save(instance, SettingsChange(agent_prices={"m1": PRICE})).agent_prices
    with instance.db.write() as session:
        session.merge(AppMeta(key="agent_prices", value='{"m1": {"input": "much"}}'))

    broken = settings.load(instance).agent_prices

    assert kept == {"m1": PRICE}
    assert broken == {}
