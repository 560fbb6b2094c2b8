"""No page of the console reads more of the database as it fills.

What SQLite does for a page is counted in steps of its virtual machine, which are the same on
every machine.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

from bench import pages
from web.app import console_of

#: A page's worth of everything, against 2,000 runs and 100,000 events.
PAGE_OF_RUNS, PAGE_OF_EVENTS = 250, 12_500
STEPS = 50


@dataclass
class Counter:
    """Counts what SQLite does for one console, in portions of ``STEPS``."""

    client: FlaskClient
    steps: int = 0

    def prepare(self, connection: Any, *_: object) -> None:
        connection.set_progress_handler(self.count, STEPS)

    def count(self) -> int:
        self.steps += STEPS
        return 0

    def of(self, page: str) -> int:
        self.client.get(page)  # what is read once for good
        self.steps = 0
        assert self.client.get(page).status_code == 200
        return self.steps


@pytest.fixture(scope="module")
def counters() -> Iterator[tuple[Counter, Counter]]:
    """Have a console with few things and one with many."""
    with ExitStack() as opened:
        made = []
        for sizes in ((PAGE_OF_RUNS, PAGE_OF_EVENTS), (pages.RUNS, pages.EVENTS)):
            counter = Counter(opened.enter_context(pages.console(*sizes)))
            db = console_of(counter.client.application).instance.db
            db.engine.dispose()  # a connection is counted from its beginning
            event.listen(db.engine, "checkout", counter.prepare)
            made.append(counter)
        yield made[0], made[1]


def test_no_page_reads_more_of_the_database_as_it_fills(
    counters: tuple[Counter, Counter],
) -> None:
    few, many = counters
    asked = pages.pages(few.client.application)

    steps = {page: (few.of(page), many.of(page)) for page in asked}

    assert len(asked) > 20
    assert any(small > 0 for small, _ in steps.values())
    grown = {page: both for page, both in steps.items() if both[1] > 2 * both[0] + 500}
    assert grown == {}
