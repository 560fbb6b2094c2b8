"""Addresses that stay connected."""

import threading

import pytest

from core.devices import store
from core.devices.adb import Adb
from core.errors import DeviceOffline
from core.setup import Instance
from mcp_server import addresses
from mcp_server.addresses import Addresses
from tests.stack import wait_for

ADDRESS = "10.0.0.2:5555"


class NobodyThere(Adb):
    """Connects nothing, and counts how often it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.tries = 0

    def connect(self, address: str) -> None:
        self.tries += 1
        raise DeviceOffline(serial=address, reason="Connection refused.")


def test_an_old_address_that_was_let_go_of_is_no_phone_of_its_own_at_the_next_try(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "RETRY_S", (0.01,))
    adb = NobodyThere()
    kept = Addresses(instance.db, adb, dict, threading.Condition())
    kept.keep(ADDRESS)
    wait_for(lambda: store.known(instance.db, ADDRESS) is not None, "that it does not answer")

    wait_for(lambda: adb.tries > 1, "another try")  # what came of the first is stored
    store.forget(instance.db, ADDRESS)
    tries = adb.tries
    wait_for(lambda: adb.tries > tries + 2, "more tries")
    kept.stop()

    assert store.listing(instance.db) == []
