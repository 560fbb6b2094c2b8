"""Fixtures for every test: virtual phones on a private adb server, and the whole product."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack import Stack
from virtual_phone.testing import VirtualRack

pytest_plugins = ["virtual_phone.pytest_plugin"]


@pytest.fixture(scope="session")
def shared_stack(
    adb_port: int, shelf: VirtualRack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """Run the product over the session's phone; tests that kill it make a `stack` of their own."""
    addresses = [phone.address for phone in shelf.phones]
    made = Stack(tmp_path_factory.mktemp("stack") / "data", addresses, adb_port)
    try:
        yield made.start()
    finally:
        made.stop()


@pytest.fixture
def stack(adb_port: int, rack: VirtualRack, tmp_path: Path) -> Iterator[Stack]:
    """Run a product of the test's own."""
    made = Stack(tmp_path / "data", [phone.address for phone in rack.phones], adb_port)
    try:
        yield made.start()
    finally:
        made.stop()
