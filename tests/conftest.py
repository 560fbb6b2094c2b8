"""Fixtures for every test: virtual phones on a private adb server, and the whole product."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from core.config import Config
from core.people import passwords
from core.setup import Instance, ensure
from tests.fixtures_mcp import mcp_house, mcp_url, session_house
from tests.stack import ROOT, Stack
from virtual_phone.testing import PhoneHandle, VirtualRack

__all__ = ["mcp_house", "mcp_url", "session_house"]

pytest_plugins = ["virtual_phone.pytest_plugin"]

TESTS = ROOT / "tests"
ALONE = TESTS / "virtual_phone"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the phone's own tests first, then those of the whole product, then the rest.

    An MCP server follows every phone that its adb sees, and would be in the phone's own way. The
    files at the top are the longest; small ones at the end keep every worker busy until then.
    Each worker has an adb server, a phone and an MCP server of its own, and meets its share of
    the files in this order.
    """
    items.sort(key=lambda item: (not item.path.is_relative_to(ALONE), item.path.parent != TESTS))


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> None:
    """Hash cheaply here: a tenth of a second for each login would be most of many tests."""
    passwords.HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    passwords.NOBODYS = passwords.hashed("no such user")


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Set up a data folder once, to be copied: to migrate costs forty times what a copy does."""
    data = tmp_path_factory.mktemp("blank") / "data"
    ensure(Config(phonedeck_data=data)).db.close()
    return data


@pytest.fixture
def instance(blank: Path, tmp_path: Path) -> Iterator[Instance]:
    """Give a new instance on a real database."""
    shutil.copytree(blank, tmp_path / "data")
    made = ensure(Config(phonedeck_data=tmp_path / "data"))
    yield made
    made.db.close()


@pytest.fixture
def checkout(phone: PhoneHandle) -> PhoneHandle:
    """Stand before the slider that pays."""
    phone.start("com.example.shop")
    phone.set("shop.cart", [{"product": 1, "count": 1}])
    phone.set("shop.ui.page", "confirm")
    return phone


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


@pytest.fixture(scope="module")
def stack(
    adb_port: int, shelf: VirtualRack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """Run a product for one file of tests that kill parts of it and start them again."""
    addresses = [phone.address for phone in shelf.phones]
    made = Stack(tmp_path_factory.mktemp("own") / "data", addresses, adb_port)
    try:
        yield made.start()
    finally:
        made.stop()
