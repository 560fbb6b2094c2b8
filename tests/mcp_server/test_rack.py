"""The rack sees phones come, go and come back, and says why one cannot be used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import setup
from core.config import Config
from core.devices import store
from core.errors import AdbDown, DeviceOffline, NotFound
from core.setup import Instance
from mcp_server.rack import Rack
from tests.stack import free_port, wait_for
from virtual_phone.adb_server import AdbServer
from virtual_phone.testing import PhoneHandle, VirtualRack


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    made = setup.ensure(Config(phonedeck_data=tmp_path / "data"))
    yield made
    made.db.close()


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AdbServer]:
    """Run an adb server that the test may end."""
    server = AdbServer(free_port())
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
    yield server
    server.close()


def card(instance: Instance, serial: str) -> dict[str, Any]:
    return next(item for item in store.listing(instance.db, "en") if item["serial"] == serial)


def wait_state(instance: Instance, serial: str, state: str) -> None:
    def is_so() -> bool:
        items = store.listing(instance.db)
        return any(i["serial"] == serial and i["state"] == state for i in items)

    wait_for(is_so, f"{serial} {state}")


def test_a_phone_becomes_ready_and_tells_who_it_is(instance: Instance, phone: PhoneHandle) -> None:
    rack = Rack(instance.db, [phone.address])

    rack.start()
    wait_state(instance, phone.address, "ready")
    by_hardware = rack.slot(phone.serialno)
    rack.stop()

    item = card(instance, phone.address)
    assert by_hardware.phone.serial == phone.address
    assert item["hardware_serial"] == phone.serialno
    assert (item["width"], item["height"], item["reason"]) == (1080, 2400, None)
    assert item["model"]
    assert item["battery"]


def test_what_was_ready_before_is_offline_until_adb_tells(
    instance: Instance, phone: PhoneHandle
) -> None:
    store.set_state(instance.db, "old", "ready")
    rack = Rack(instance.db)

    rack.start()
    rack.stop()

    assert card(instance, "old")["state"] == "offline"
    with pytest.raises(DeviceOffline, match="old does not answer"):
        rack.slot("old")
    with pytest.raises(NotFound, match="no device never-seen"):
        rack.slot("never-seen")


def test_a_phone_that_dies_is_offline_with_a_reason(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        rack = Rack(instance.db, [address])
        rack.start()
        wait_state(instance, address, "ready")

    wait_state(instance, address, "offline")

    item = card(instance, address)
    assert f"{address} does not answer" in item["reason"]
    with pytest.raises(DeviceOffline):
        rack.slot(address)
    rack.stop()


def test_an_address_where_nobody_answers_says_what_adb_said(
    instance: Instance, own_server: AdbServer
) -> None:
    address = f"127.0.0.1:{free_port()}"
    rack = Rack(instance.db, [address])

    rack.start()
    wait_state(instance, address, "offline")
    rack.stop()

    assert "refused" in card(instance, address)["reason"].lower()


def test_phones_come_back_after_the_adb_server_was_restarted(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        rack = Rack(instance.db, [address])
        rack.start()
        wait_state(instance, address, "ready")

        own_server.close()
        wait_state(instance, address, "offline")
        reason = card(instance, address)["reason"]
        again = AdbServer(own_server.port)
        wait_state(instance, address, "ready")
        app = rack.slot(address).phone.current_app()
        rack.stop()
        again.close()

    assert str(AdbDown()) == reason
    assert app.package
